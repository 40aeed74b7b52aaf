// Unattended runs.

import type { Requirements } from './requirement.ts';

export const RUN = {
  'RUN-1': {
    says: 'Agents that are honest, crash, hang, are silent, lie, leave early, are out of quota, print 100 MB or ignore their mail: each run ends as it is told to, and nothing is paid twice.',
    source: 'run contract',
  },
  'RUN-2': {
    says: 'However often runner, agent and server are killed, each step is accepted once, and no process is left.',
    source: 'run contract',
  },
  'RUN-3': {
    says: 'The real Claude Code and Codex, with a scripted model, finish a workflow with a failed gate, an approval and a loop.',
    source: 'run contract',
  },
  'RUN-4': {
    says: 'Budgets: never more than one priced turn over; a cost that is not reported is unknown, not zero; a resume goes on with what is left.',
    source: 'run contract',
  },
  'RUN-5': {
    says: 'Worktrees: two runs of one workflow at once, edits in the wrong tree are named, what is not committed is kept.',
    source: 'run contract',
  },
  'RUN-6': {
    says: 'A team: the order of turns is that of a reference; the completion gate, budgets and questions to a person hold.',
    source: 'run contract',
  },
} as const satisfies Requirements;
