// The checker of agents' work: sessions, steps and stacks.

import { describe, expect, test } from 'vitest';
import { checkWork } from './check-work.ts';
import { type Call, type Event, epochOf, historyOf, journalOf, says, text } from './hand-made.ts';

describe('work', () => {
  const at = (session_id: string, step_id: string, ...others: string[]) => ({
    session_id,
    step_id,
    concurrent_steps: others.map((id) => ({ step_id: id })),
  });
  const call = (
    tool: string,
    args: Record<string, unknown>,
    start: number,
    end: number | null,
    data: unknown = null,
    agent = 'ada',
  ): Call => ({
    agent,
    tool,
    args,
    start,
    end,
    answer: end === null ? null : text('', data, data === null),
  });
  const start = (goal: string, id: string, time: number) =>
    call('start_workflow', { goal, workflow_name: 'line' }, time, time + 1, {
      begin_step: at(id, 'a1'),
    });
  const finish = (
    step: string,
    notes: string,
    from: number,
    to: number | null,
    data: unknown,
    session?: string,
  ) =>
    call(
      'finished_step',
      { outputs: { [`of_${step}`]: 'f' }, notes, ...(session ? { session_id: session } : {}) },
      from,
      to,
      data,
    );
  const next = (id: string, step: string) => ({ status: 'next_step', begin_step: at(id, step) });
  const DONE = { status: 'workflow_complete' };
  const look = (data: unknown, from: number, to: number) =>
    call('get_active_workflow', {}, from, to, data);

  const begun = (goal: string, by = 'agent:ada'): Event => [
    'started',
    { goal, workflow_name: 'line', owner: { identity: by } },
  ];
  const done = (step: string, notes: string, entryIndex: number, by?: string): Event => [
    'judged',
    {
      accepted: [{ step_id: step }],
      sent: { notes },
      position: entryIndex === 3 ? null : { entryIndex },
      ...(entryIndex === 3 ? { completed: true } : {}),
      ...(by === undefined ? {} : { by: { identity: by } }),
    },
  ];
  const found = (calls: readonly Call[], sessions: Record<string, readonly Event[]>, deaths = {}) =>
    says(checkWork(epochOf(historyOf(calls, deaths), journalOf([], sessions))));

  const S = 'aaaaaaaa';
  const T = 'bbbbbbbb';

  test('step after step, nested, repeated and lost passes', () => {
    const calls = [
      start('ada/goal-1', S, 0),
      finish('a1', 'ada/n-1', 2, 3, next(S, 'a2')),
      start('ada/goal-2', T, 4),
      look({ active: true, goal: 'ada/goal-2', begin_step: at(T, 'a1') }, 6, 7),
      finish('a1', 'ada/n-2', 8, null, null),
      finish('a1', 'ada/n-2', 12, 13, next(T, 'a2')),
      call('abort_workflow', { explanation: 'ada/x-3' }, 14, 15, {}),
      finish('a2', 'ada/n-4', 16, 17, next(S, 'a3')),
      finish('a3', 'ada/n-5', 18, 19, DONE),
      look({ active: false }, 20, 21),
    ];
    const journal = {
      [S]: [
        begun('ada/goal-1'),
        done('a1', 'ada/n-1', 1),
        done('a2', 'ada/n-4', 2),
        done('a3', 'ada/n-5', 3),
      ],
      [T]: [
        begun('ada/goal-2'),
        done('a1', 'ada/n-2', 1),
        ['aborted', { explanation: 'ada/x-3' }] as const,
      ],
    };
    expect(found(calls, journal, { 'http#1': 30 })).toBe('');
  });

  test('an acknowledged step that is lost is detected', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, next(S, 'a2'))];
    const said = found(calls, { [S]: [begun('ada/goal-1')] });
    expect(said).toContain('ada/n-1 was acknowledged, and is not in the journal');
  });

  test('a step that was applied twice is detected', () => {
    const calls = [
      start('ada/goal-1', S, 0),
      finish('a1', 'ada/n-1', 2, null, null),
      finish('a1', 'ada/n-1', 4, 5, next(S, 'a2')),
    ];
    const back: Event = ['went_back', { position: { entryIndex: 0 } }];
    const once = [begun('ada/goal-1'), done('a1', 'ada/n-1', 1)];
    expect(found(calls, { [S]: once })).toBe('');
    const said = found(calls, { [S]: [...once, back, done('a1', 'ada/n-1', 1)] });
    expect(said).toContain('ada/n-1 is in the journal 2 times');
  });

  test('a call that finished the outer step is detected', () => {
    const calls = [
      start('ada/goal-1', S, 0),
      start('ada/goal-2', T, 2),
      finish('a1', 'ada/n-1', 4, 5, next(S, 'a2')),
    ];
    const journal = {
      [S]: [begun('ada/goal-1'), done('a1', 'ada/n-1', 1)],
      [T]: [begun('ada/goal-2')],
    };
    expect(found(calls, journal)).toContain('No order explains the work of ada');
  });

  test('an answer with an older step is detected', () => {
    const calls = [
      start('ada/goal-1', S, 0),
      finish('a1', 'ada/n-1', 2, 3, next(S, 'a2')),
      look({ active: true, goal: 'ada/goal-1', begin_step: at(S, 'a1') }, 4, 5),
    ];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'ada/n-1', 1)] };
    expect(found(calls, journal)).toContain('No order explains');
    expect(found([...calls.slice(0, 2), { ...(calls[2] as Call), start: 1 }], journal)).toBe('');
  });

  test('a refusal of a valid call is detected', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, null)];
    expect(found(calls, { [S]: [begun('ada/goal-1')] })).toContain('No order explains');
  });

  test("an agent that moves another's session is detected", () => {
    const calls = [start('ada/goal-1', S, 0)];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'bob/n-1', 1, 'agent:bob')] };
    expect(found(calls, journal)).toContain(
      "bob (agent:bob) moved session aaaaaaaa, which is ada's",
    );
  });

  test('a skipped step is detected', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, next(S, 'a3'))];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'ada/n-1', 2)] };
    expect(found(calls, journal)).toContain('No order explains');
  });
});
