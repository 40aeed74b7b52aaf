// The help of `deepwork simulate`.

export const SIMULATE_HELP = `deepwork simulate: play a workflow with agents that cheat

Usage: deepwork simulate <job/workflow or guide> [--agent NAME] [--runs N]
                         [--seed N] [--inputs NAME=VALUE …] [--run-checks]
                         [--json] [--path DIR]

Plays the workflow against the real engine, in a copy of the project's
definitions, with scripted agents and without a model. Says which steps and
branches were played, which agent got past which gate, how well each step is
guarded, and what to do about it. The project is not changed. Checks and reviews
are replaced by ones that recognize false outputs; a scripted person answers
approvals and loops. The same seed gives the same runs.

Agents: honest, skipper (hands in nothing), liar (hands in files that say
nothing true), amnesiac, doubler, racer, crasher.

Exit code 1 if an agent got past a gate that should have stopped it, or if
honest work cannot be completed.

Options:
  --agent NAME         one of them, several with commas, or all (default)
  --runs N             how many runs, shared among the agents (default 100)
  --seed N             another number plays other branches (default 1)
  --inputs NAME=VALUE  an input of the workflow; others are chosen by their
                       declarations
  --run-checks         run the project's own checks, once trusted, in a copy of
                       all its files; not for agents
  --json               everything, with the transcript;
                       schemas/simulate.schema.json describes it
  --path DIR           the project (default: the nearest one from the current
                       directory upwards)
  -h, --help           this help
`;
