// The `.deepwork/config.yml` that a new project begins with: every setting with its default
// or an example, commented out, so that a person changes what they need and nothing else. Only who
// may skip reviews is set, because the default lets agents do it.

export const CONFIG_PATH = '.deepwork/config.yml';

const NO_REVIEWER = `#   agent_review_command:       # a command that reviews, once trusted
#                               # (\`deepwork trust\`); without one, the
#                               # agent lets a subagent review
`;

/** It reads and judges: no tools that write, and nothing of the project under review. */
const CLAUDE_REVIEWS = `  agent_review_command: >-      # reviews, once trusted (\`deepwork trust\`)
    claude --print --tools Read,Grep,Glob --strict-mcp-config
    --setting-sources user
`;

export function configText(claudeReviews: boolean): string {
  return `${ABOUT}
quality_gate:
${claudeReviews ? CLAUDE_REVIEWS : NO_REVIEWER}${REST}`;
}

const ABOUT = `# Settings of deepwork for this project. What is commented out is the default,
# unless it says that it is an example. \`deepwork lint\` checks this file;
# reference.md in deepwork's documentation explains every key
# (\`deepwork --help\` says where that is).
`;

const REST = `#   default_timeout: 120        # seconds for a review; grows with the files
#   default_max_attempts: 3     # how often a step may fail its review
#   max_parallel: 4             # reviews at a time
#   answer_within: 45           # seconds until a call is answered with:
#                               # still running, call again
  overrides: person             # who may skip reviews: agent (the default),
                                # person or never

# git:
#   branch: create              # a branch for each run, as a mark:
#                               # create, checkout or off

# clients:
#   max_nudges: 3               # how often in a row an agent that stops
#                               # too early is sent back, once trusted
#   protect_definitions: false  # true: agents cannot edit the job that
#                               # is running

# board:
#   stalled_after_minutes: 30   # a run without an event for so long
#                               # shows as stalled

# run:                          # what \`deepwork run\` does, or the page
#   agent: claude               # an example; or codex, gemini, opencode, or
#                               # one of team.agents
#   context: new                # continue: one conversation for all turns
#   max_minutes: 60             # an example, for all turns together; no
#                               # limit unless set, nor for the next two
#   max_turns: 40               # an example
#   max_usd: 10                 # an example; as the client reports it
#   on_limit: wait              # until the client has quota again, or stop

# worktree:
#   setup:                      # a shell command that prepares the
#                               # worktree of a run, once trusted

# team:
#   agents:                     # who is in the team; left out: the agents
#                               # of GOAL.md, or else anyone who calls
#     - name: coordinator
#       models: []              # such as opus, or opus (thinking)
#       command:                # what \`deepwork launch --agent NAME\`
#                               # runs, once trusted
#   tokens: false               # true: requests over HTTP need a token
#   allowed_hosts: []           # further names under which the server
#                               # may be called
#   question_wait_seconds: 45   # how long a question keeps its caller waiting
#   notify:                     # a shell command that gets each question
#                               # on stdin, once trusted

# store:                        # postgres://host/database, once trusted:
#                               # several machines share one journal
#                               # (postgres.md in the documentation);
#                               # without it, files
# store_schema: deepwork        # the schema in that database
# store_lease_seconds: 30       # how long a machine may be silent before
#                               # others take its work over
# workspace:                    # the name of this project there; left
#                               # out: by the remote origin
`;
