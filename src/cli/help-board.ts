// The help of the commands that show what agents do and did.

export const STATUS_HELP = `deepwork status: what agents are doing, and what needs you

Usage: deepwork status [--all] [--watch] [--json] [--path DIR]

Shows what needs you (questions, and runs that wait, whose agent is gone or that
stalled), what is moving, the ten runs that ended last, damaged journals, and
the team, if there is one. Nested runs are listed with their parents. It only
reads: nothing in the project is changed.

An active run is one of
  waiting for you   a question has to be answered first: deepwork answer
  being checked     checks or reviews of what was handed in are running
  agent gone        its process is gone; an agent with the same name can
                    continue it. A run that you drive with deepwork call is
                    "left open" instead
  stalled           its agent was allowed to stop after reminders, or did
                    nothing for 30 minutes (board.stalled_after_minutes in
                    .deepwork/config.yml)
  stopped           an unattended run that was stopped or killed; deepwork run
                    --resume continues it
  out of quota      an unattended run that continues by itself
  working           none of these

Options:
  --all         every run that has ended, not only the last ten
  --watch       stay and redraw whenever something changes; Ctrl-C ends it
  --json        {"workspace", "at", "runs", "questions", "damaged", "warnings",
                "team"}, with exact times; schemas/status.schema.json describes
                it. With --watch: a line per change
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  -h, --help    this help
`;

export const HISTORY_HELP = `deepwork history: what happened recently, or in one run

Usage: deepwork history [--since TIME] [--until TIME] [--json] [--path DIR]
       deepwork history <id> [--follow] [--json] [--path DIR]

The first shows what happened in all runs in the last 24 hours, day by day and
run by run, the newest first: what was started and how it ended, which steps
were done, what was turned down and why, who was asked and what they answered,
who intervened. Open runs in which nothing happened are listed below.

The second shows one run: who did what when, submissions, what rules, checks and
reviews said about which files, overrides and who granted them, reminders,
returns to earlier steps, and how long it took. An id may be shortened if it
stays unique; last is the run with the latest activity.

Times are local.

Examples:
  deepwork history --since yesterday
  deepwork history --since yesterday --until today
  deepwork history --since 3h
  deepwork history last

Options:
  --since TIME  today, yesterday, a number and m, h, d or w (3h, 2d), or a date
                (2026-11-16, 2026-11-16T08:30) (default: 24h)
  --until TIME  the same; what happened then or later is left out (default: now)
  --follow      stay and print what happens next, until the run has ended; for
                all runs: deepwork status --watch
  --json        with exact times; schemas/recent.schema.json describes it, with
                an id schemas/history.schema.json. With --follow: a line per
                event, and the run last
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  -h, --help    this help

Exit code 1: there is no such run or no project, or the run's journal is
damaged.
`;
