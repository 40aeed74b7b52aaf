// The help of the commands by which a person steers a run.

export const ABORT_HELP = `deepwork abort: end a run for good

Usage: deepwork abort <id> --reason TEXT [--by NAME] [--json] [--path DIR]

The run ends where it is, with those nested in it, and cannot be resumed. Its
files stay as they are. The agent's next call is refused with your name and the
reason. If a team is working unattended, its runner ends the agent first. An id
may be shortened if it stays unique; last is the run with the latest activity.

Options:
  --reason TEXT   why; shown to the agent and in the run's history
  --by NAME       who does it (default: your login name)
  --json          {"session_id", "status", "seq", "by"}
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Exit code 1: there is no such run, or it has ended. 2: the command line was
wrong. 4: agents cannot do this; they have abort_workflow for their own work.
`;

export const REDO_HELP = `deepwork redo: send a run back to a step

Usage: deepwork redo <id> <step> --reason TEXT [--by NAME] [--json] [--path DIR]

The step, which must be the current one or an earlier one, and all steps after
it are done again. Files stay as they are. A completed run is open again. The
agent's next call has no effect: it is answered with the step, your name and
the reason. An id may be shortened
if it stays unique; last is the run with the latest activity. deepwork graph
<id> shows the steps.

Options:
  --reason TEXT   why; shown to the agent and in the run's history
  --by NAME       who does it (default: your login name)
  --json          {"session_id", "status", "seq", "step_id", "by"}
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Exit code 1: there is no such run or step, the run has ended, or it has not
reached the step. 2: the command line was wrong. 4: agents cannot do this; they
have go_to_step for their own work.
`;

export const STOP_HELP = `deepwork stop: stop an unattended run

Usage: deepwork stop [ID] [--reason TEXT] [--by NAME] [--json] [--path DIR]

The deepwork run that works on it, here or in another terminal, ends its agent
and stops. deepwork run --resume <id> continues it. The id may be left out if
only one unattended run is active. An id may be shortened if it stays unique;
last is the run with the latest activity.

Options:
  --reason TEXT   why (default: no reason was given)
  --by NAME       who does it (default: your login name)
  --json          {"run_id", "by"}
  --path DIR      the project (default: the nearest one from the current
                  directory upwards)
  -h, --help      this help

Exit code 1: there is no such run, or it is not running unattended. 2: the
command line was wrong. 4: agents cannot do this.
`;
