// The help of `deepwork run`.

export const RUN_HELP = `deepwork run: have a workflow or a team worked on while you are away

Usage: deepwork run <job/workflow or guide> --goal TEXT [options]
       deepwork run --resume [ID] [options]
       deepwork run --team [options]

Starts an agent for the open step, again and again, until everything is accepted
or there is a reason to stop. Each turn is a new conversation with all that it
needs; only what the gate accepts counts. While a person has to decide
something, nothing runs; after the answer (deepwork answer) it continues. Ctrl-C
stops it cleanly; --resume continues it.

Examples:
  deepwork run release_notes/write --goal 'Notes for 2.0' --agent claude
  deepwork run bug_fix/fix --goal 'Issue 42' --worktree --max-minutes 90
  deepwork run bug_fix/fix --goal 'Issue 42' --command './my-agent.sh {prompt}'

Options:
  --goal TEXT         what the run is for
  --inputs k=v        an input that the workflow declares, or several as JSON;
                      may be repeated
  --agent NAME        claude, codex, gemini or opencode, or an agent of
                      team.agents whose command you trust (default: run.agent of
                      .deepwork/config.yml, else the only one of these four
                      that is installed)
  --command CMD       any other agent: it gets the prompt on stdin, or in place
                      of {prompt} as one argument; never run through a shell
  --max-minutes N     how long turns may take together; a running one is ended
  --max-turns N       how many turns there may be
  --max-usd X         what turns may cost, as the client reports it. With
                      --resume, none instead of a number removes a budget
  --worktree          in a git worktree of its own, .deepwork/worktrees/<id>
  --resume [ID]       continue a run that stopped (default: the newest that is
                      unfinished; last: the newest of all); options given
                      again replace those it was started with
  --on-limit WORD     wait until the client has quota again, or stop (default:
                      wait; on a terminal: stop)
  --team              the agents of team.agents in config.yml, or else those of
                      GOAL.md; the coordinator first
  --json              print every event as a line of JSON
  --path DIR          the project (default: the nearest one from the current
                      directory upwards)
  -h, --help          this help

Exit codes:
  0    complete
  1    failed or aborted
  2    not started: wrong options, no project, commands that are not trusted,
       another run is working here, or an agent called it
  3    a budget is used up
  4    the client is out of quota
  5    three turns in a row made no progress
  130  stopped by you, by SIGTERM, or because its terminal was closed
`;
