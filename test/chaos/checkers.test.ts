// The checkers on histories made by hand: what is right passes, and each kind of wrong is
// found. A checker that cannot fail would prove nothing about a run.

import { describe, expect, test } from 'vitest';
import { checkInboxes } from './check-inboxes.ts';
import { checkMessages } from './check-messages.ts';
import { checkNotes, checkOutboxes, checkTodos } from './check-state.ts';
import { checkWork } from './check-work.ts';
import { EMPTY, type Epoch } from './epochs.ts';
import type { CallRecord, History } from './history.ts';
import type { JournalEvent, JournalFiles } from './journal-file.ts';
import type { Violation } from './violation.ts';

type Call = Omit<CallRecord, 'number' | 'client' | 'server'> & { readonly server?: string };

function historyOf(calls: readonly Call[], deaths: Record<string, number> = {}): History {
  return {
    calls: calls.map((call, number) => ({
      number,
      client: call.agent,
      server: 'http#1',
      ...call,
    })),
    faults: [],
    kills: new Map(Object.entries(deaths)),
    deaths: new Map(Object.entries(deaths)),
  };
}

type Event = readonly [type: string, data: object];

function streamOf(events: readonly Event[]): JournalEvent[] {
  return events.map(([type, data], index) => ({ seq: index + 1, type, at: '', data }));
}

function journalOf(
  team: readonly Event[],
  sessions: Readonly<Record<string, readonly Event[]>> = {},
): JournalFiles {
  return {
    team: streamOf(team),
    sessions: new Map(Object.entries(sessions).map(([id, events]) => [id, streamOf(events)])),
  };
}

const epochOf = (history: History, final: JournalFiles = EMPTY): Epoch => ({
  history,
  initial: EMPTY,
  final,
  isLast: true,
});
const says = (violations: readonly Violation[]) => violations.map(({ what }) => what).join('\n');
const text = (words: string, data: unknown = null, isError = false) => ({
  isError,
  text: words,
  data,
});

describe('message ids', () => {
  const send = (body: string, start: number, end: number | null, id?: number): Call => ({
    agent: 'ada',
    tool: 'send_message',
    args: { toAgent: 'bob', body },
    start,
    end,
    answer: id === undefined ? null : text(`Message sent successfully to bob. (ID: ${id})`),
  });
  const sent = (id: number, body: string): Event => [
    'sent',
    { id, body, from: 'ada', to: 'bob', inbox: 'bob', by: 'ada' },
  ];
  const check = (calls: readonly Call[], stored: readonly Event[], death?: number) =>
    checkMessages(
      epochOf(historyOf(calls, death === undefined ? {} : { 'http#1': death }), journalOf(stored)),
    );

  test('that follow a counter pass, whatever became of calls without answer', () => {
    const one = [send('a', 0, 1, 1), send('b', 2, 3, 2)];
    expect(says(check(one, [sent(1, 'a'), sent(2, 'b')]).violations)).toBe('');
    const crossed = [send('a', 0, 9, 2), send('b', 0, 9, 1)];
    expect(says(check(crossed, [sent(1, 'b'), sent(2, 'a')]).violations)).toBe('');
    const lost = [send('a', 0, null), send('b', 4, 5, 1)];
    expect(says(check(lost, [sent(1, 'b')]).violations)).toBe('');
    const stored = [send('a', 0, null), send('b', 4, 5, 2)];
    expect(says(check(stored, [sent(1, 'a'), sent(2, 'b')]).violations)).toBe('');
    const known = [send('a', 0, null), send('b', 4, 5, 2), send('a', 6, 7, 1)];
    expect(check(known, [sent(1, 'a'), sent(2, 'b')], 3)).toEqual({
      violations: [],
      duplicates: [],
    });
  });

  test('given against the order of time are found', () => {
    const calls = [send('a', 0, 1, 2), send('b', 2, 3, 1)];
    const { violations } = check(calls, [sent(1, 'b'), sent(2, 'a')]);
    expect(says(violations)).toContain('No order explains the ids of messages');
  });

  test('given twice, or acknowledged and lost, are found', () => {
    const twice = check([send('a', 0, 1, 1), send('b', 2, 3, 1)], [sent(1, 'a')]).violations;
    expect(says(twice)).toContain("Message 'b' was acknowledged as 1 and is not in the journal");
    const lost = check([send('a', 0, 1, 1)], []).violations;
    expect(says(lost)).toContain("Message 'a' was acknowledged as 1 and is not in the journal");
    const gap = check([send('a', 0, 1, 2)], [sent(2, 'a')]).violations;
    expect(says(gap)).toContain('Message 1 has the id 2');
  });

  test('of one call stored twice are found; of a resend they are counted', () => {
    const both = [sent(1, 'a'), sent(2, 'a')];
    expect(says(check([send('a', 0, 1, 1)], both).violations)).toContain('more often than');
    const again = check([send('a', 0, null), send('a', 4, 5, 2)], both);
    expect(again.violations).toEqual([]);
    expect(says(again.duplicates)).toBe("Message 'a' is stored 2 times, having been sent again");
  });

  test('of the dead that come after their death are found', () => {
    const calls = [send('a', 0, null), send('b', 4, 5, 1), send('c', 6, 7, 3)];
    const stored = [sent(1, 'b'), sent(2, 'a'), sent(3, 'c')];
    expect(says(check(calls, stored).violations)).toBe('');
    expect(says(check(calls, stored, 3).violations)).toContain('No order explains');
  });

  test('that nobody sent are found', () => {
    expect(says(check([], [sent(1, 'x')]).violations)).toContain("Nobody sent 'x'");
  });
});

describe('inboxes', () => {
  const send = (id: number, start: number, end: number): Call => ({
    agent: 'ada',
    tool: 'send_message',
    args: { toAgent: 'bob', body: `m${id}` },
    start,
    end,
    answer: text(`Message sent successfully to bob. (ID: ${id})`),
  });
  /** Negative: marked as given again; null: no answer. */
  const check = (ids: readonly number[] | null, start: number, end: number, server = 'http#1') => {
    const blocks = (ids ?? []).map((id, index) => {
      const mark = id < 0 ? ', redelivered' : '';
      const body = `m${Math.abs(id)}`;
      return `Message ${index + 1}: (ID: ${Math.abs(id)}, now${mark})\n  From: ada\n  Body: ${body}`;
    });
    const words =
      ids?.length === 0
        ? 'You have no messages.'
        : [`You have ${blocks.length} message(s):`, ...blocks].join('\n\n');
    const call: Call = {
      agent: 'bob',
      tool: 'check_inbox',
      args: {},
      server,
      start,
      end: ids === null ? null : end,
      answer: ids === null ? null : text(words),
    };
    return call;
  };
  const sent = (id: number): Event => [
    'sent',
    { id, body: `m${id}`, from: 'ada', to: 'bob', inbox: 'bob', by: 'ada' },
  ];
  const read = (offer: number, through: number): Event[] => [
    ['offered', { reader: 'bob', through }],
    ['received', { reader: 'bob', offer }],
  ];
  const found = (calls: readonly Call[], journal: readonly Event[], deaths = {}) =>
    says(checkInboxes(epochOf(historyOf(calls, deaths), journalOf(journal))));

  test('that give everything once, in order, pass', () => {
    const calls = [send(1, 0, 1), send(2, 2, 3), check([1, 2], 4, 5), check([], 6, 7)];
    expect(found(calls, [sent(1), sent(2), ...read(3, 2)])).toBe('');
    const beside = [send(1, 0, 9), check([], 1, 2), check([1], 3, 4)];
    expect(found(beside, [sent(1), ...read(2, 1)])).toBe('');
  });

  test('that repeat what the dead had given, marked, pass', () => {
    const offered: Event = ['offered', { reader: 'bob', through: 1 }];
    const lost = [send(1, 0, 1), check(null, 2, 3), check([-1], 8, 9, 'http#2')];
    const journal = [sent(1), offered, ...read(3, 1)];
    expect(found(lost, journal, { 'http#1': 5 })).toBe('');
    const given = [send(1, 0, 1), check([1], 2, 3), check([-1], 8, 9, 'http#2')];
    expect(found(given, journal, { 'http#1': 5 })).toBe('');
  });

  test('that repeat what the living had given are found', () => {
    const offered: Event = ['offered', { reader: 'bob', through: 1 }];
    const calls = [send(1, 0, 1), check([1], 2, 3), check([-1], 8, 9, 'http#2')];
    expect(found(calls, [sent(1), offered, ...read(3, 1)])).toContain('No order explains');
    const later = { 'http#1': 20 };
    expect(found(calls, [sent(1), offered, ...read(3, 1)], later)).toContain('No order explains');
  });

  test('that repeat unmarked, skip, lose or mix up are found', () => {
    const two = [send(1, 0, 1), send(2, 2, 3)];
    const journal = [sent(1), sent(2), ...read(3, 2)];
    expect(found([...two, check([1], 4, 5), check([1, 2], 6, 7)], journal)).toContain('unmarked');
    expect(found([...two, check([2], 4, 5)], journal)).toContain('never got message 1');
    expect(found([...two, check([2, 1], 4, 5)], journal)).toContain('No order explains');
    expect(found([...two, check([1, 2], 4, 5)], [sent(1), sent(2)])).toContain('No order explains');
    expect(found([...two, check([], 4, 5), check([1, 2], 6, 7)], journal)).toContain('No order');
    const wrong = [send(1, 0, 1), check([9], 2, 3)];
    expect(found(wrong, [sent(1), ...read(2, 1)])).toContain('not what was sent to it');
  });
});

describe('notes, todos and outboxes', () => {
  const note = (words: string, start: number, end: number | null, total = 0): Call => ({
    agent: 'ada',
    tool: 'update_workflow_state',
    args: { addProgress: words },
    start,
    end,
    answer: end === null ? null : text(`  Total progress notes: ${total}`),
  });
  const noted = (words: string): Event => ['updated', { note: words }];

  test('counted one by one pass; lost, repeated and miscounted notes are found', () => {
    const check = (calls: readonly Call[], ...notes: string[]) =>
      checkNotes(epochOf(historyOf(calls), journalOf(notes.map(noted))));
    expect(check([note('a', 0, 1, 1), note('b', 2, 3, 2)], 'a', 'b').violations).toEqual([]);
    const again = [note('a', 0, null), note('a', 2, 3, 1)];
    expect(check(again, 'a')).toEqual({ violations: [], duplicates: [] });
    const twice = [note('a', 0, null), note('a', 2, 3, 2)];
    expect(check(twice, 'a', 'a').violations).toEqual([]);
    expect(says(check(twice, 'a', 'a').duplicates)).toContain('having been sent again');
    expect(says(check([note('a', 0, 1, 1)]).violations)).toContain('is not in the journal');
    expect(says(check([note('a', 0, 1, 1)], 'a', 'a').violations)).toContain('2 times');
    const miscounted = check([note('a', 0, 1, 1), note('b', 2, 3, 1)], 'a', 'b');
    expect(says(miscounted.violations)).toContain('No order explains');
  });

  const todo = (tool: string, content: string, start: number, end: number): Call => ({
    agent: 'coordinator',
    tool,
    args: tool === 'project_todowrite' ? { todos: [{ content }] } : {},
    start,
    end,
    answer: text(`1 todos\n→ ○ ${content} (medium)`),
  });

  test('a todo list that reads what was written last passes; an older one is found', () => {
    const write = (content: string, at: number) => todo('project_todowrite', content, at, at + 1);
    const read = (content: string, at: number) => todo('project_todoread', content, at, at + 1);
    expect(
      checkTodos(epochOf(historyOf([write('a', 0), read('a', 2), write('b', 4), read('b', 6)]))),
    ).toEqual([]);
    const stale = checkTodos(epochOf(historyOf([write('a', 0), write('b', 2), read('a', 4)])));
    expect(says(stale)).toContain('No order explains the list of todos');
  });

  test('an outbox that lacks what was sent, or takes back that it was read, is found', () => {
    const send: Call = {
      agent: 'ada',
      tool: 'send_message',
      args: { toAgent: 'bob', body: 'm' },
      start: 0,
      end: 1,
      answer: text('Message sent successfully to bob. (ID: 1)'),
    };
    const look = (line: string, at: number): Call => ({
      agent: 'ada',
      tool: 'check_outbox',
      args: {},
      start: at,
      end: at + 1,
      answer: text(line),
    });
    const pending = 'Pending messages (1):\n  1. To: bob | Subject: m | ID: 1';
    const read = 'Delivered messages (1):\n  1. To: bob | Subject: m | Read at now | ID: 1';
    expect(checkOutboxes(epochOf(historyOf([send, look(pending, 2), look(read, 4)])))).toEqual([]);
    const lacking = checkOutboxes(
      epochOf(historyOf([send, look('You have not sent any messages.', 2)])),
    );
    expect(says(lacking)).toContain('lacks message 1');
    const undone = checkOutboxes(epochOf(historyOf([send, look(read, 2), look(pending, 4)])));
    expect(says(undone)).toContain('is pending again');
  });
});

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
    'settled',
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

  test('a step that was acknowledged and is lost is found', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, next(S, 'a2'))];
    const said = found(calls, { [S]: [begun('ada/goal-1')] });
    expect(said).toContain('ada/n-1 was acknowledged, and is not in the journal');
  });

  test('a step that was applied twice is found', () => {
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

  test('a call that finished the outer step is found', () => {
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

  test('an answer that tells of an older step is found', () => {
    const calls = [
      start('ada/goal-1', S, 0),
      finish('a1', 'ada/n-1', 2, 3, next(S, 'a2')),
      look({ active: true, goal: 'ada/goal-1', begin_step: at(S, 'a1') }, 4, 5),
    ];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'ada/n-1', 1)] };
    expect(found(calls, journal)).toContain('No order explains');
    expect(found([...calls.slice(0, 2), { ...(calls[2] as Call), start: 1 }], journal)).toBe('');
  });

  test('a refusal of what was right is found', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, null)];
    expect(found(calls, { [S]: [begun('ada/goal-1')] })).toContain('No order explains');
  });

  test("one agent that moves another's session is found", () => {
    const calls = [start('ada/goal-1', S, 0)];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'bob/n-1', 1, 'agent:bob')] };
    expect(found(calls, journal)).toContain(
      "bob (agent:bob) moved session aaaaaaaa, which is ada's",
    );
  });

  test('a skipped step is found', () => {
    const calls = [start('ada/goal-1', S, 0), finish('a1', 'ada/n-1', 2, 3, next(S, 'a3'))];
    const journal = { [S]: [begun('ada/goal-1'), done('a1', 'ada/n-1', 2)] };
    expect(found(calls, journal)).toContain('No order explains');
  });
});
