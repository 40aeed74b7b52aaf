// The help of every command, in files of their own so that --help loads nothing else. Commands about one
// subject share a file.

export { HISTORY_HELP, STATUS_HELP } from './help-board.ts';
export { DASHBOARD_HELP } from './help-dashboard.ts';
export { EXPORT_HELP, GRAPH_HELP, PRUNE_HELP, VERIFY_HELP } from './help-records.ts';
export { RUN_HELP } from './help-run.ts';
export { SIMULATE_HELP } from './help-simulate.ts';
export { ABORT_HELP, REDO_HELP, STOP_HELP } from './help-steer.ts';
export { STORE_HELP } from './help-store.ts';

export const HELP = `deepwork: makes AI coding agents do multi-step work properly

Usage: deepwork <command> [options]

Commands:
  init        set a project up: your clients, settings, a first job
  serve       the MCP server that agents talk to, over stdio or HTTP
  launch      run an agent connected to the project's server
  run         have a workflow worked on while you are away, within budgets
  dashboard   the page that shows what your agents do
  call        call one of the server's tools from here
  status      what agents are doing now, and what needs you
  history     what happened recently, or in one run, step by step
  graph       draw a workflow, or a run with its position
  answer      show and answer the questions of agents
  abort       end a run for good, and tell its agent why
  redo        send a run back to a step, and tell its agent why
  stop        stop an unattended run; it can be resumed
  trust       allow a project's commands to run on this machine
  messages    list the messages between agents; delete old ones
  repair      recover a team's state, or your own journals that were set aside
  verify      check that the journal is what was written
  prune       move runs that ended long ago into an archive
  store       where the journal is kept; copy it between files and a database
  export      a run as one file to play back; workflows as skills of a client
  lint        report problems in a project's jobs, guides and settings
  simulate    play a workflow with agents that cheat, and see who gets through
  doctor      check everything that deepwork needs here, and name what to fix
  completion  let your shell complete commands, flags and names

Options:
  -h, --help       this help; after a command, that command's help
  -v, --version    the version

To begin, run \`deepwork init\` in your project, and restart your client. Later,
\`deepwork\` alone shows what is happening there.
`;

export const INIT_HELP = `deepwork init: set a project up

Usage: deepwork init [options]
       deepwork init --undo

Finds the clients that are installed or used in this project and shows, as a
diff, every file that it would write or change. Once you agree, each client
knows the server and calls deepwork's hooks, .deepwork/config.yml shows every
setting, and there is a first job. Then restart your client.

Existing files keep everything else in them, including comments. A second run
changes nothing. --undo removes exactly what init added; what was edited since
is kept, and is named.

Options:
  --path DIR         the project (default: the nearest one from the current
                     directory upwards, else the current directory)
  --clients LIST     of claude,codex,gemini,opencode,cursor,vscode; or none
                     (default: those found)
  --template NAME    the first job: blank, bug_fix, release_notes,
                     research_report, or none (default: blank; none if there are
                     jobs already)
  --no-hooks         only the server; nothing reminds an agent that stops too
                     early
  --yes              write without asking
  --dry-run          show everything, write nothing
  --undo             remove what init added
  -h, --help         this help

Exit code 1: nothing was written, because no one could be asked or you said no;
or a file that cannot be parsed was left alone, and is named. 2: the command
line was wrong. Nothing that the project names is trusted by this: see deepwork
trust.
`;

export const SERVE_HELP = `deepwork serve: the MCP server

Usage: deepwork serve [options]

Options:
  --path DIR               the project (default: the current directory)
  --transport TYPE         how clients connect: stdio, http or sse (default:
                           stdio); http and sse are one server, at /mcp and at
                           /sse
  --port PORT              for http and sse (default: 8000; 0: any free port)
  --host HOST              where to listen (default: 127.0.0.1); others need
                           tokens
  --no-quality-gate        skip reviews; rules and checks still apply
  --quality-gate CMD       reviews by this command (payload on stdin, JSON on
                           stdout)
  --external-runner NAME   reviews by the Claude CLI: claude
  --tools LIST             which tools to show, of jobs,guides,team (default:
                           all)
  --agent NAME             identity over stdio: name[|model[|variant]] (default:
                           SGAI_AGENT_IDENTITY, else coordinator)
  --trust                  run the commands that this project names without
                           asking
  --platform NAME          accepted for older configurations, without effect
  -h, --help               this help

Options override .deepwork/config.yml. The log goes to stderr.

Over HTTP the page that shows what agents do is at /. Each request of an agent
names it in the header X-SGAI-Agent-Identity. With team.tokens: true in the
config, requests need a token; the owner's is in DEEPWORK_TOKEN.
`;

export const LAUNCH_HELP = `deepwork launch: run an agent connected to the project's server

Usage: deepwork launch [--agent name[|model[|variant]]] [--path DIR]
                       [-- command args…]

Starts the project's HTTP server, or uses a running one, and runs the command in
the project's folder with SGAI_MCP_URL and SGAI_AGENT_IDENTITY set (and
DEEPWORK_AGENT_TOKEN, if tokens are on). A relative path to the program is
resolved from the current directory. The addresses of the server and of its page
are printed on stderr. Without a command, runs the agent's command from
.deepwork/config.yml, once trusted. A server started this way ends with its last
launch.

Examples:
  deepwork launch -- claude
  deepwork launch --agent 'reviewer|opus' -- ./review.sh --fast

Options:
  --agent NAME    which agent of the team it is (default: coordinator). If the
                  project defines a team without it, a person is asked
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Signals are passed on to the command, and its exit code is returned. 125: no
server could be reached. 126: the command cannot be run. 127: it was not found.
4: an agent that was launched under another name cannot launch the coordinator.
`;

export const CALL_HELP = `deepwork call: call a tool as an agent would

Usage: deepwork call [--agent NAME] [--path DIR] <tool>
                     [--json '{…}' | --name value …]

Examples:
  deepwork call get_workflows
  deepwork call start_workflow --job_name release --workflow_name write \\
    --goal "Announce 1.2"
  deepwork call finished_step --outputs '{"notes": "notes.md"}'
  deepwork call finished_step --outputs notes=notes.md --outputs pages=a.md,b.md
  deepwork call get_active_workflow --json '{}' | jq .begin_step
  deepwork call workflow_next --workflowId ai-task-implementation \\
    --completedSteps understand,plan
  deepwork call workflow_validate --workflowId auth-implementation \\
    --stepId implement-login --output "$(cat report.md)" \\
    --context security=high --context environment=production

For a list, use commas or repeat the flag; for a map, name=value; for either,
JSON. An output is one path or a list of paths, as its step declares, relative
to the project's folder. A session_id may be shortened if it stays unique; last
is the run with the latest activity.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --json TEXT   all arguments as one JSON object
  --agent NAME  who calls: name[|model[|variant]] (default:
                SGAI_AGENT_IDENTITY, else coordinator)
  -h, --help    this help, with the list of tools

In a terminal the answer is formatted for reading; piped, it is JSON.

Exit codes:
  0  done; also needs_work if nothing has to be fixed: other steps of the entry
     are open (members_open), a review is still running (still_running), or a
     person has to decide first (waiting_for_person)
  1  the tool refused, or the outputs have to be fixed
  2  wrong command line or arguments
  4  an agent cannot speak as the coordinator unless it was launched as the
     coordinator
`;

export const HOOK_HELP = `deepwork hook: what a client's hooks run; set up by deepwork init

Usage: deepwork hook <client> <moment> [--plugin]

Clients:  claude, codex, gemini, opencode
Moments:  start   a conversation begins: gives the agent its open work
          stop    the agent wants to stop: sends it back if a step is open
          tool    a tool is about to write a file: refuses deepwork's own files

  --plugin  for the hooks of a plugin: prints nothing at start and stop if the
            client's settings, in the project or your home, have the same hook

Reads the client's JSON on stdin, answers on stdout or not at all, and always
exits with 0. Errors are written to ~/.deepwork/hook.log.
`;

export const LINT_HELP = `deepwork lint: check jobs, guides and settings

Usage: deepwork lint [--path DIR] [--format FORMAT] [--watch]
                     [file or directory …]

Without arguments, checks every job and guide that the project can run,
including the bundled ones, .deepwork/config.yml and the front matter of
GOAL.md. A file is a job.yml, a workflow .json, a config.yml or a GOAL.md; a
directory is a job, a folder of jobs or of workflow files, or a project.

Each problem is printed as file:line:column. A problem on the paths through a
workflow (a condition that is never true, a step that no path reaches, a
variable or a file that is missing when it is needed) comes with a proof: one
such path. Exit code 1 if there are problems; warnings alone exit 0.

Options:
  --format FORMAT  text (default), json (schemas/lint.schema.json describes it),
                   github (annotations of a workflow run) or sarif (for code
                   scanners)
  --watch          stay and check again whenever a file changes; Ctrl-C ends it
  --path DIR       the project (default: the nearest one from the current
                   directory upwards)
  -h, --help       this help
`;

export const DOCTOR_HELP = `deepwork doctor: check that everything works here

Usage: deepwork doctor [--path DIR] [--json]

Checks Node, the disk and whether writes reach it, the journal, definitions,
settings, what needs your trust, the server over HTTP, each client's server and
hooks, the log of hooks, and git. One line each: ok, warning or problem, with
the fix.

The server and the hooks in clients' settings are started once if they are a
deepwork that is installed outside the project; nothing else that a project
names is run. Nothing is changed, except that a temporary file in .deepwork/tmp
is written and removed.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --json        {"checks": [{"name", "state", "detail", "fix"}]}; fix is null if
                there is none; schemas/doctor.schema.json describes it
  -h, --help    this help

Exit code 1 if there is a problem; warnings alone exit 0.
`;

export const COMPLETION_HELP = `deepwork completion: let your shell complete what you type

Usage: deepwork completion bash|zsh|fish

Prints a script that completes commands, their flags, and the names that they
take.

  bash   in ~/.bashrc:                eval "$(deepwork completion bash)"
  zsh    in ~/.zshrc, after compinit: eval "$(deepwork completion zsh)"
  fish   deepwork completion fish > ~/.config/fish/completions/deepwork.fish

Options:
  -h, --help    this help
`;

export const TRUST_HELP = `deepwork trust: approve the commands and settings of a project

Usage: deepwork trust [--path DIR] [--yes | --revoke]

A project can name commands that deepwork runs: checks and loops of its jobs;
the reviewer, the notifier, agents and worktree.setup in .deepwork/config.yml;
the completionGateScript in GOAL.md. With git.branch: checkout and with deepwork
run --worktree, git runs the filters that the repository's git config names. All
of these run with your rights, so none runs before you approve it. Settings can
also lower protection: additional hosts, no tokens, reviews that an agent may
skip. This command shows both, with the changes since you last agreed, and asks.

You are asked again when a command changes, when a project file that a command
runs changes, when a check or the reviewer is removed, when a setting lowers
protection, and when another repository is at this path. Until you agree, the
stricter version applies. Files that a script calls in turn, and installed
packages, are not compared.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --yes         agree without a prompt
  --revoke      withdraw all trust
  -h, --help    this help

For automation: deepwork serve --trust, or DEEPWORK_TRUST=1, which is ignored
for agents. Exit code 4: agents cannot trust.
`;

export const MESSAGES_HELP = `deepwork messages: the messages between agents

Usage: deepwork messages [list] [--path DIR]
       deepwork messages prune --through ID [--unread] [--path DIR]

list shows every message, oldest first. prune deletes read messages up to an id
for good; ids are never reused.

Options:
  --through ID   delete messages up to this one
  --unread       delete unread ones, too: they will never be delivered
  --path DIR     the project (default: the nearest one from the current
                 directory upwards)
  -h, --help     this help

Exit code 4: agents cannot drop messages.
`;

export const REPAIR_HELP = `deepwork repair: recover a team, or a journal

Usage: deepwork repair [--path DIR]
       deepwork repair --journal [<name>… | --all]

A .sgai/state.json that cannot be read is moved to .sgai/foreign and rewritten
from the journal. A damaged team journal is set aside when it is found; repair
starts a new one from state.json. Damaged sessions are listed with the files
that keep their bytes. Nothing is deleted, and undamaged files stay as they are.

A journal that you did not write here (not signed with the key in ~/.deepwork,
or tracked by git) is not trusted; it is quarantined. If it is yours because you
copied the project, lost your home or restored a backup, take it over: --journal
lists what is quarantined, and signs the journals that you name. Agents cannot.

Options:
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  --journal     list quarantined journals, or take over those named
  --all         with --journal: all of them
  -h, --help    this help

Exit code 4: agents cannot repair.
`;

export const ANSWER_HELP = `deepwork answer: answer the questions of agents

Usage: deepwork answer [--path DIR]
       deepwork answer <id> CHOICE… [--other TEXT]
       deepwork answer <id> --dismiss

A CHOICE is one as listed, in upper or lower case; the lists of open questions
show the command for each. Without an id, prompts for each open question in a
terminal, or lists them when piped, with the ten that were answered last: by
whom, how and when. If none is open, a terminal shows those, too. The first
answer counts, wherever it is given: here, in your agent's own dialog, or on the
page.

Options:
  --choose TEXT   the same as CHOICE
  --other TEXT    free text, instead of a choice or in addition
  --dismiss       close the question without an answer
  --by NAME       who answers (default: your user name)
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Exit code 2: invalid answer. 3: already answered. 4: agents cannot answer.
`;
