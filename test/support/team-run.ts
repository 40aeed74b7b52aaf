// The first event of an unattended run of a team, for tests of what is shown of it.

import type { RunStarted } from '../../src/core/run/events.ts';

export function teamRunStarted(
  run_id: string,
  at: string,
  budgets: Partial<RunStarted['data']['budgets']> = {},
): RunStarted {
  return {
    type: 'run_started',
    at,
    data: {
      run_id,
      kind: 'team',
      identity: 'coordinator',
      workflow: 'GOAL.md',
      goal: 'Write a book',
      agent: null,
      continues: false,
      worktree: null,
      process: 'p',
      on_limit: 'wait',
      budgets: { max_minutes: null, max_turns: null, max_usd: null, ...budgets },
    },
  };
}
