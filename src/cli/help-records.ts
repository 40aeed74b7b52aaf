// The help of the commands about recorded runs: export, graph, verify, prune.

export const EXPORT_HELP = `deepwork export: a run as one file; workflows as skills of a client

Usage: deepwork export <id> [-o FILE] [--path DIR]
       deepwork export skills [--to DIR] [--path DIR] [NAME …]

The first writes a run as one HTML file that needs no network: it plays the run
back event by event, with the drawing as it was then, and compares any two
points. An id may be shortened if it stays unique; last is the run with the
latest activity.

The second writes one SKILL.md for each workflow and guide, or for those that
are named (as job/workflow, or the guide's id), in the form of agentskills.io:
the agent that picks the skill starts that workflow. A SKILL.md that was not
written by deepwork is left alone.

Options:
  -o, --output FILE   where to write the run (default: run-<id>.html in the
                      current directory)
  --to DIR            where to write skills (default: .claude/skills in the
                      project)
  --path DIR          the project (default: the nearest one from the current
                      directory upwards)
  -h, --help          this help
`;

export const GRAPH_HELP = `deepwork graph: a workflow drawn, or a run with its position

Usage: deepwork graph <workflow or run> [--format FORMAT] [--path DIR]

A workflow is job/workflow, a job that has only one, or the id of a guide. A run
is its id, which may be shortened if it stays unique, or last for the run with
the latest activity; its steps are drawn with their states.

Options:
  --format FORMAT   text (default; fits 80 columns), mermaid, dot, svg or html
  --path DIR        the project (default: the nearest one from the current
                    directory upwards)
  -h, --help        this help

Exit code 1: there is no such workflow or run, or it cannot be read.
`;

export const VERIFY_HELP = `deepwork verify: is the journal what was written?

Usage: deepwork verify [<id>] [--json] [--path DIR]

Reads every stream of the journal and every archive, checks each line against
the key in ~/.deepwork and each link of the chain, and names the first damage of
a file by its line. Also reports events that a session's view has shown and its
stream no longer has. A last line that was only partly written has no effect and
does not count as damage. Nothing is changed.

With an id (which may be shortened if it stays unique) or last, verifies only
that run; with team, only the team's journal.

Options:
  --json        {"workspace", "key", "files", "sound"}
  --path DIR    the project (default: the nearest one from the current
                directory upwards)
  -h, --help    this help

Exit code 1: something is damaged, missing, or was written under another key.
`;

export const PRUNE_HELP = `deepwork prune: move runs that ended long ago into an archive

Usage: deepwork prune [--older-than 30d] [--dry-run] [--json] [--path DIR]

Moves the journals of runs that ended that long ago, with every line they had,
to .deepwork/archive/<date>.jsonl (a second time on that day: <date>-2.jsonl),
where deepwork verify checks them. Their views are removed, and so are the
branches that they created if every commit is also on another branch, tag or
remote. A run whose branch has other commits is kept. A nested run is moved only
together with its parent, a run of the team only once it is complete or aborted.

Options:
  --older-than AGE   a number and m, h, d or w (default: 30d)
  --dry-run          show what would be moved, change nothing
  --json             {"dry_run", "archives", "sessions", "team_runs", "kept",
                     "untouched", "unreadable"}
  --path DIR         the project (default: the nearest one from the current
                     directory upwards)
  -h, --help         this help

Exit code 4: agents cannot prune.
`;
