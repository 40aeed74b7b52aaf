import { expect, test } from 'vitest';
import { teamRunStarted } from '../../test/support/team-run.ts';
import type { RunEvent } from '../core/run/events.ts';
import { evolveRun, type RunRecord } from '../core/run/record.ts';
import type { Liveness } from '../core/session/ownership.ts';
import { describeTeamRun } from './describe-unattended.ts';

function at(minutes: number): string {
  return new Date(Date.UTC(2026, 0, 5) + minutes * 60_000).toISOString();
}

/** The run of a team, after a turn that ran out of quota. */
function outOfQuota(): RunRecord {
  const events: RunEvent[] = [
    teamRunStarted('0a1b2c3d', at(0), { max_minutes: 60 }),
    { type: 'turn_started', at: at(0), data: { turn: 1, step_id: null, agent: 'codex' } },
    {
      type: 'turn_ended',
      at: at(1),
      data: { turn: 1, exit: 1, cost_usd: null, limit_until: at(300), advanced: false },
    },
  ];
  return events.reduce<RunRecord | null>(evolveRun, null) as RunRecord;
}

function described(liveness: Liveness) {
  return describeTeamRun(outOfQuota(), {
    now: at(30),
    livenessOf: () => liveness,
    questions: [],
  });
}

test('a run that waits for quota says until when, and spends the time', () => {
  expect(described('alive')).toMatchObject({
    state: 'working',
    unattended: { limit_until: at(300) },
    budgets: { minutes: { spent: 30 } },
  });
});

test('a run whose process was killed waits for nothing, and spends no more time', () => {
  expect(described('gone')).toMatchObject({
    state: 'orphaned',
    unattended: { limit_until: null },
    budgets: { minutes: { spent: 1 } },
  });
});
