import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideTeamAbort } from './decide.ts';
import type { Budgets, OnLimit, RunEvent } from './events.ts';
import { MAX_IDLE, nextMove, type WorkState } from './next-move.ts';
import { evolveRun, type RunRecord, spentMsAt } from './record.ts';

const OPEN: WorkState = { kind: 'open' };
const NONE: Budgets = { max_minutes: null, max_turns: null, max_usd: null };

function at(minutes: number): string {
  return new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
}

function started(budgets: Partial<Budgets> = {}, minutes = 0, onLimit: OnLimit = 'wait'): RunEvent {
  return {
    type: 'run_started',
    at: at(minutes),
    data: {
      run_id: '0a1b2c3d',
      kind: 'workflow',
      identity: 'a',
      workflow: 'w',
      goal: 'g',
      agent: null,
      continues: false,
      worktree: null,
      process: 'p',
      on_limit: onLimit,
      budgets: { ...NONE, ...budgets },
    },
  };
}

interface TurnSpec {
  readonly from: number;
  readonly to: number;
  readonly cost?: number | null;
  readonly advanced?: boolean;
  readonly limit?: string | null;
}

function turns(...specs: readonly TurnSpec[]): RunEvent[] {
  return specs.flatMap(({ from, to, cost = null, advanced = true, limit = null }, index) => [
    {
      type: 'turn_started',
      at: at(from),
      data: { turn: index + 1, step_id: 's', agent: 'a' },
    },
    {
      type: 'turn_ended',
      at: at(to),
      data: { turn: index + 1, exit: 0, cost_usd: cost, limit_until: limit, advanced },
    },
  ]);
}

function fold(...events: readonly RunEvent[]): RunRecord {
  return events.reduce<RunRecord | null>(evolveRun, null) as RunRecord;
}

/** Turns without progress, from minute to minute. */
function idleTurns(count: number): RunEvent[] {
  return turns(
    ...Array.from({ length: count }, (_, n) => ({ from: n, to: n + 1, advanced: false })),
  );
}

test('completed, aborted and failed work stops the run before anything else is checked', () => {
  const record = fold(started({ max_turns: 1 }), ...turns({ from: 0, to: 1 }));
  const ends: [WorkState, string][] = [
    [{ kind: 'complete' }, 'complete'],
    [{ kind: 'aborted', why: 'no use' }, 'aborted'],
    [{ kind: 'failed', why: 'gone' }, 'failed'],
  ];
  for (const [work, reason] of ends) {
    expect(nextMove(record, work, at(1))).toMatchObject({ kind: 'stop', reason });
  }
});

test('the run waits for a person even if every budget is used up', () => {
  const record = fold(started({ max_turns: 1 }), ...turns({ from: 0, to: 1 }));
  const move = nextMove(record, { kind: 'waiting', questions: ['q-1'] }, at(1));
  expect(move).toEqual({ kind: 'wait_for_person', questions: ['q-1'] });
});

test("a person's answer is applied without a turn, even if a budget is used up or the run stalled", () => {
  const record = fold(started({ max_turns: 1, max_minutes: 1 }), ...idleTurns(MAX_IDLE));
  expect(nextMove(record, { kind: 'answered' }, at(4))).toEqual({ kind: 'take_answer' });
});

test('three turns in a row without progress stall a run, and a resume resets the count', () => {
  const two = fold(started(), ...idleTurns(MAX_IDLE - 1));
  expect(nextMove(two, OPEN, at(3)).kind).toBe('turn');
  const three = fold(started(), ...idleTurns(MAX_IDLE));
  expect(nextMove(three, OPEN, at(3))).toMatchObject({ kind: 'stop', reason: 'stalled' });
  const resumed = evolveRun(three, started({}, 5));
  expect(nextMove(resumed, OPEN, at(5))).toMatchObject({ kind: 'turn', turn: 4 });
});

test('waiting for quota counts against the time budget; waiting for a person does not', () => {
  const limit = at(104);
  const record = fold(
    started({ max_minutes: 10 }),
    ...turns({ from: 0, to: 1 }, { from: 100, to: 102, limit }, { from: 104, to: 105 }),
  );
  expect(spentMsAt(record, at(300))).toBe((1 + 2 + 2 + 1) * 60_000);
  expect(nextMove(record, OPEN, at(300))).toMatchObject({ kind: 'turn', withinMs: 4 * 60_000 });
});

test('the time between a stop and its resumption is not spent, even if quota was waited for', () => {
  const limit = at(60);
  const out = turns({ from: 0, to: 1, limit, advanced: false });
  const stop: RunEvent = {
    type: 'run_stopped',
    at: at(3),
    data: { reason: 'limit', detail: 'Out of quota' },
  };
  const resumed = fold(
    started({ max_minutes: 10 }),
    ...out,
    stop,
    started({ max_minutes: 10 }, 300),
  );
  // One minute of work and two of waiting.
  expect(spentMsAt(resumed, at(300))).toBe(3 * 60_000);
  expect(nextMove(resumed, OPEN, at(300))).toMatchObject({ kind: 'turn', withinMs: 7 * 60_000 });
  // How long a killed process waited is not known.
  const revived = fold(started({ max_minutes: 10 }), ...out, started({ max_minutes: 10 }, 20));
  expect(spentMsAt(revived, at(20))).toBe(60_000);
  expect(spentMsAt(revived, at(22))).toBe(3 * 60_000);
});

test('waiting for a person is not spent, even if the last turn ran out of quota', () => {
  const out = turns({ from: 0, to: 1, limit: at(5) });
  const waited = fold(started(), ...out);
  expect(spentMsAt(waited, at(3))).toBe(3 * 60_000);
  // It could have gone on at 5, but a person had to answer first, until 500.
  expect(spentMsAt(waited, at(500))).toBe(5 * 60_000);
  const [begun] = turns({ from: 500, to: 501 });
  expect(evolveRun(waited, begun as RunEvent).spentMs).toBe(5 * 60_000);
});

test('the time for which a killed process did not wait is not spent if a person then ends the run', () => {
  const out = fold(started(), ...turns({ from: 0, to: 1, limit: at(5000) }));
  const command = { at: at(4000), person: 'Ada', reason: 'Enough' };
  const decision = decideTeamAbort(out, command, () => 'gone');
  const [ended] = decision.kind === 'commit' ? [decision.event] : [];
  expect(evolveRun(out, ended as RunEvent).spentMs).toBe(60_000);
});

test('the run waits for quota unless that exceeds its time budget or on_limit is stop', () => {
  const out = turns({ from: 0, to: 1, limit: at(6), advanced: false });
  expect(nextMove(fold(started(), ...out), OPEN, at(1))).toEqual({
    kind: 'wait_for_quota',
    until: at(6),
  });
  expect(nextMove(fold(started(), ...out), OPEN, at(6)).kind).toBe('turn');
  const enough = fold(started({ max_minutes: 6.5 }), ...out);
  expect(nextMove(enough, OPEN, at(1)).kind).toBe('wait_for_quota');
  const short = fold(started({ max_minutes: 6 }), ...out);
  expect(nextMove(short, OPEN, at(1))).toMatchObject({ kind: 'stop', reason: 'limit' });
  const stops = fold(started({}, 0, 'stop'), ...out);
  expect(nextMove(stops, OPEN, at(1))).toMatchObject({ kind: 'stop', reason: 'limit' });
});

test('a client that names the wrong time again and again is tried less and less often', () => {
  const refused = (count: number) =>
    turns(
      ...Array.from({ length: count }, (_, n) => {
        return { from: n, to: n, limit: at(n + 0.01), advanced: false };
      }),
    );
  const next = (count: number) => nextMove(fold(started(), ...refused(count)), OPEN, at(count - 1));
  expect(next(3)).toEqual({ kind: 'wait_for_quota', until: at(2.01) });
  expect(next(4)).toEqual({ kind: 'wait_for_quota', until: at(3 + 1) });
  expect(next(6)).toEqual({ kind: 'wait_for_quota', until: at(5 + 4) });
  expect(next(20)).toEqual({ kind: 'wait_for_quota', until: at(19 + 60) });
});

test('a limit that lasts for months is not waited for', () => {
  const out = turns({ from: 0, to: 1, limit: '+275760-09-13T00:00:00.000Z', advanced: false });
  const move = nextMove(fold(started(), ...out), OPEN, at(1));
  expect(move).toMatchObject({ kind: 'stop', reason: 'limit' });
});

test('the next turn is expected to cost as much as the most expensive of the last three', () => {
  const paid = turns(
    { from: 0, to: 1, cost: 9 },
    { from: 1, to: 2, cost: 1 },
    { from: 2, to: 3, cost: 2 },
    { from: 3, to: 4, cost: 1 },
  );
  expect(nextMove(fold(started({ max_usd: 15 }), ...paid), OPEN, at(4)).kind).toBe('turn');
  const less = fold(started({ max_usd: 14.5 }), ...paid);
  expect(nextMove(less, OPEN, at(4))).toMatchObject({ kind: 'stop', reason: 'budget' });
});

test('a cost that is not reported is unknown, not zero', () => {
  const first = fold(started({ max_usd: 5 }), ...turns({ from: 0, to: 1 }));
  expect(nextMove(first, OPEN, at(1))).toMatchObject({ kind: 'stop', reason: 'budget' });
  const later = fold(
    started({ max_usd: 5 }),
    ...turns({ from: 0, to: 1, cost: 2 }, { from: 1, to: 2 }),
  );
  expect(later.spentUsd).toBe(4);
  expect(nextMove(later, OPEN, at(2))).toMatchObject({ kind: 'stop', reason: 'budget' });
});

test('a turn that was refused for quota and reports no cost costs nothing', () => {
  const refused = { from: 0, to: 0, limit: at(5), advanced: false };
  const first = fold(started({ max_usd: 5 }), ...turns(refused));
  expect(nextMove(first, OPEN, at(0)).kind).toBe('wait_for_quota');
  expect(nextMove(first, OPEN, at(5)).kind).toBe('turn');
  // Nor does it make the next one look cheap.
  const later = fold(
    started({ max_usd: 5 }),
    ...turns({ from: 0, to: 0, cost: 3 }, refused, refused, refused),
  );
  expect(later.spentUsd).toBe(3);
  expect(nextMove(later, OPEN, at(5))).toMatchObject({ kind: 'stop', reason: 'budget' });
  // One that had work accepted before it ran out was not refused.
  const worked = fold(started({ max_usd: 5 }), ...turns({ ...refused, advanced: true }));
  expect(nextMove(worked, OPEN, at(5))).toMatchObject({ kind: 'stop', reason: 'budget' });
});

test('no wait for quota is begun if no turn could follow it', () => {
  const out = turns({ from: 0, to: 1, cost: 3, limit: at(6), advanced: false });
  for (const budgets of [{ max_turns: 1 }, { max_usd: 5 }, { max_minutes: 1 }]) {
    const move = nextMove(fold(started(budgets), ...out), OPEN, at(1));
    expect(move).toMatchObject({ kind: 'stop', reason: 'budget' });
  }
});

test('a turn left open by a killed process counts', () => {
  const [begun] = turns({ from: 0, to: 1 });
  const left = fold(started({ max_turns: 2 }), begun as RunEvent);
  const again = started({ max_turns: 2 }, 30);
  const resumed = evolveRun(left, {
    ...again,
    data: { ...again.data, resumed: true, left_at: at(4) },
  } as RunEvent);
  expect(resumed.spentMs).toBe(4 * 60_000);
  expect(resumed.turns).toMatchObject([{ end: { exit: 137, cost_usd: null } }]);
  expect(nextMove(resumed, OPEN, at(30))).toMatchObject({ kind: 'turn', turn: 2 });
});

test('no sequence of turns exceeds its budget by more than one turn', () => {
  const cost = fc.integer({ min: 1, max: 400 }).map((cents) => cents / 100);
  fc.assert(
    fc.property(fc.array(cost, { minLength: 1, maxLength: 40 }), cost, (costs, max) => {
      let record = fold(started({ max_usd: max }));
      for (const [n, each] of costs.entries()) {
        const before = record.spentUsd;
        const move = nextMove(record, OPEN, at(n));
        if (move.kind !== 'turn') break;
        const known = record.turns.slice(-3).flatMap(({ end }) => end?.charged ?? []);
        expect(before + Math.max(0, ...known)).toBeLessThanOrEqual(max + 1e-6);
        record = turns({ from: n, to: n + 1, cost: each }).reduce(evolveRun, record) as RunRecord;
      }
      const last = record.turns.at(-1)?.end?.charged ?? 0;
      expect(record.spentUsd - last).toBeLessThanOrEqual(max + 1e-6);
    }),
  );
});
