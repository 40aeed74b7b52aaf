// Every command's help, as a person sees it. Kept apart from the commands, so that
// asking for help loads nothing.

export const HELP = `deepwork: makes AI coding agents do multi-step work properly

Usage: deepwork <command> [options]

Commands:
  serve     the MCP server that agents talk to, over stdio or HTTP
  launch    run an agent with the project's server at hand
  call      call one of the server's tools from here
  answer    what agents ask you, and your answers
  trust     let the commands that a project names run on this machine
  messages  what agents wrote to each other; drop what is no longer needed
  repair    get a team going again whose state cannot be read
  lint      check the jobs, guides and settings of a project, problem by problem

Options:
  -h, --help       this help; after a command, that command's help
  -v, --version    the version

To connect an agent, put this into the project's .mcp.json:
  {"mcpServers": {"deepwork": {"command": "deepwork", "args": ["serve", "--path", "."]}}}
`;

export const SERVE_HELP = `deepwork serve: the MCP server

Usage: deepwork serve [options]

Options:
  --path DIR               the project (default: the current directory)
  --transport TYPE         how clients connect: stdio, http or sse (default: stdio);
                           http and sse are one server, at /mcp and at /sse
  --port PORT              for http and sse (default: 8000; 0: any that is free)
  --host HOST              where to listen (default: 127.0.0.1); others need tokens
  --no-quality-gate        ask for no reviews; rules and checks still hold
  --quality-gate CMD       reviews by this command (payload on stdin, JSON on stdout)
  --external-runner NAME   reviews by the Claude CLI: claude
  --tools LIST             which tools to show, of jobs,guides,team (default: all)
  --agent NAME             who speaks over stdio: name[|model[|variant]] (default:
                           SGAI_AGENT_IDENTITY, else coordinator)
  --trust                  run the commands that this project names without asking
  --platform NAME          accepted for older configurations, without effect
  -h, --help               this help

Options beat .deepwork/config.yml. The log goes to stderr.

Over HTTP each request says who speaks, in the header X-SGAI-Agent-Identity. With
team.tokens: true in the config, requests need a token: DEEPWORK_TOKEN is the owner's.
`;

export const LAUNCH_HELP = `deepwork launch: run an agent with the project's server at hand

Usage: deepwork launch [--agent name[|model[|variant]]] [--path DIR] [-- command args…]

Starts the project's server over HTTP, or uses the one that is there, and runs the
command in the project's folder with SGAI_MCP_URL and SGAI_AGENT_IDENTITY set (and
DEEPWORK_AGENT_TOKEN, where tokens are on). A program given as a relative path is looked for
from where you are. Where the server and its page of questions are is printed on stderr.
Without a command, it runs the one of that agent in .deepwork/config.yml, once trusted. A
server that was started this way ends with its last launch.

Examples:
  deepwork launch -- claude
  deepwork launch --agent 'reviewer|opus' -- ./review.sh --fast

Options:
  --agent NAME    which agent of the team it is (default: coordinator)
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Signals go to the command; its exit code is ours. 125: no server could be reached.
126: the command cannot be run. 127: it was not found. 4: an agent that was launched under
another name cannot launch the coordinator.
`;

export const CALL_HELP = `deepwork call: call a tool as an agent would

Usage: deepwork call [--agent NAME] [--path DIR] <tool> [--json '{…}' | --name value …]

Examples:
  deepwork call get_workflows
  deepwork call start_workflow --job_name release --workflow_name write --goal "Announce 1.2"
  deepwork call finished_step --outputs '{"notes": "notes.md"}'
  deepwork call finished_step --outputs notes=notes.md --outputs pages=a.md,b.md
  deepwork call get_active_workflow --json '{}' | jq .begin_step
  deepwork call workflow_next --workflowId ai-task-implementation --completedSteps understand,plan
  deepwork call workflow_validate --workflowId auth-implementation --stepId implement-login \\
    --output "$(cat report.md)" --context security=high --context environment=production

Lists take commas or the flag once more, maps take name=value; both take JSON. An output is
one path or a list of them, as its step declares it, seen from the project's folder.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --json TEXT   all arguments as one JSON object
  --agent NAME  who calls: name[|model[|variant]] (default: SGAI_AGENT_IDENTITY, else
                coordinator)
  -h, --help    this help, with the list of tools

In a terminal the answer is shown for reading; piped, it is JSON.
Exit code 0, with needs_work too, while nothing has to be fixed: other members of the entry
are open (members_open), or a review goes on (still_running). 1: the tool said no. 2: the command line was wrong, arguments that the tool does
not take included. 4: an agent cannot speak as the coordinator, unless it was launched as it.
`;

export const LINT_HELP = `deepwork lint: check jobs, guides and settings

Usage: deepwork lint [--path DIR] [file or directory …]

Without arguments every job and every guide that the project can run is checked, the
bundled ones included, with .deepwork/config.yml and the front matter of GOAL.md. A file is
a job.yml, a workflow .json, a config.yml or a GOAL.md; a directory is a job, a folder of
jobs or of workflow files, or a project.

Each problem is printed as file:line:column. Exit code 1 if there is any; warnings alone
exit 0.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  -h, --help    this help
`;

export const TRUST_HELP = `deepwork trust: agree to what a project runs and loosens here

Usage: deepwork trust [--path DIR] [--yes | --revoke]

A project can name commands that deepwork runs: the checks of its jobs, and a reviewer, a
notifier and agents in .deepwork/config.yml. With git.branch: checkout, git runs the filters
that the repository's git config names. All of it runs with your rights, so none runs before
you have seen it. Its settings can also loosen something: further hosts, no tokens, reviews
that an agent may skip. This shows both, with what changed since you agreed, and asks.

You are asked again when a command changes, when a file of the project that a command runs
changes, when a check or the reviewer is removed, when a setting is loosened, and when
another repository is at this path. Until you agree, the stricter of both holds. What a
script calls besides, and packages that are installed, are not compared.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --yes         agree without being asked
  --revoke      agree to nothing any more
  -h, --help    this help

For automation: deepwork serve --trust, or DEEPWORK_TRUST=1, which is ignored where an agent
calls. Exit code 4: agents cannot trust.
`;

export const MESSAGES_HELP = `deepwork messages: what agents wrote to each other

Usage: deepwork messages [list] [--path DIR]
       deepwork messages prune --through ID [--unread] [--path DIR]

list shows every message, oldest first. prune drops the read ones up to an id for good;
ids are never used again.

Options:
  --through ID   drop messages up to this one
  --unread       drop unread ones, too: nobody will get them
  --path DIR     the project (default: the nearest one from the current
                 directory upwards)
  -h, --help     this help

Exit code 4: agents cannot drop messages.
`;

export const REPAIR_HELP = `deepwork repair: get a team going again

Usage: deepwork repair [--path DIR]
       deepwork repair --journal [<name>… | --all]

A .sgai/state.json that cannot be read is moved to .sgai/foreign and written anew from
the journal. A damaged journal of the team, which is set aside when it is found, is begun
anew with what state.json shows. Damaged sessions are listed with where their bytes are
kept. Nothing is deleted, and what is whole stays as it is.

A journal that you did not write here (not signed with the key in ~/.deepwork, or tracked
by git) is not believed; it is quarantined. If it is yours all the same, because you copied
the project, lost your home or restored a backup, take it over: --journal lists what is
quarantined, and signs what you name anew. Agents cannot.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --journal     list what is quarantined, or take over what is named
  --all         with --journal: everything
  -h, --help    this help

Exit code 4: agents cannot repair.
`;

export const ANSWER_HELP = `deepwork answer: answer what agents ask you

Usage: deepwork answer [--path DIR]
       deepwork answer <id> --choose TEXT… [--other TEXT]
       deepwork answer <id> --dismiss

Without an id, a terminal asks you each open question; piped, they are listed. The first
answer counts, by whichever way it came: here, in your agent's own dialog, or on the page.

Options:
  --choose TEXT   a choice as it is listed; give it once for each choice
  --other TEXT    your own words, instead of a choice or with it
  --dismiss       close the question without an answer
  --by NAME       who answers (default: your user name)
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Exit code 2: the answer does not fit. 3: somebody was first. 4: agents cannot answer.
`;
