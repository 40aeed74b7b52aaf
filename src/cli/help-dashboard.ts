// The help of `deepwork dashboard`.

export const DASHBOARD_HELP = `deepwork dashboard: the page that shows what your agents do

Usage: deepwork dashboard [--open] [--port PORT] [--path DIR]

Prints the address of the project's page and serves it until Ctrl-C: every run
with its steps, what each check and review said, questions to you, the team, and
the workflows drawn. There you answer questions, abort a run or send it back to
a step. It works however agents are connected, also over stdio. A server that is
already running is used, and keeps running after Ctrl-C; otherwise one is
started, which ends with the last dashboard and launch.

With team.tokens: true the address contains a code that one browser can use
once, within five minutes; it is then signed in for twelve hours.

Options:
  --open        open the address in your browser
  --port PORT   where to listen if no server is running yet (default: any free
                port)
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  -h, --help    this help

Exit code 1: no server could be reached or started. 4: agents cannot open the
dashboard.
`;
