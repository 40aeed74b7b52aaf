// The checker on hand-made histories: it accepts what is right and detects what is wrong. One that
// cannot fail would prove nothing about a storm. All rows go through all checks.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalKey } from '../../src/environment/signing-key.ts';
import { openFileJournal } from '../../src/journal/file.ts';
import { startDecision, started, viewOf } from '../simulation/by-hand.ts';
import { plainJob, plainStep } from '../simulation/definitions.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { checkEpoch, checkNotices } from './check.ts';
import { checkFiles, checkLooks, LOOK_AT_VIEW } from './check-disk.ts';
import { epochsOf, type Loss } from './epochs.ts';
import type { CallRecord, History } from './history.ts';
import { NO_STREAMS, readFiles, readStream, type StreamEvent, type Streams } from './streams.ts';
import type { Violation } from './violation.ts';

type Call = Pick<CallRecord, 'agent' | 'tool' | 'args' | 'start' | 'end' | 'answer'> &
  Partial<CallRecord>;
type Event = readonly [type: string, data: object];
type Sessions = Readonly<Record<string, readonly Event[]>>;
type Times = Readonly<Record<string, number>>;
/** An end of null: there is no answer. */
type Time = readonly [start: number, end: number | null];

function historyOf(calls: readonly Call[], deaths: Times = {}): History {
  const gone = new Map(Object.entries(deaths));
  const base = { server: 'http#1', isAlone: true };
  return {
    calls: calls.map((call, number) => ({ ...base, number, client: call.agent, ...call })),
    faults: [],
    kills: gone,
    deaths: gone,
  };
}

const streamOf = (events: readonly Event[]): StreamEvent[] =>
  events.map(([type, data], index) => ({ seq: index + 1, type, at: '', data }));

const streamsOf = (team: readonly Event[], sessions: Sessions = {}): Streams => ({
  team: streamOf(team),
  sessions: new Map(Object.entries(sessions).map(([id, events]) => [id, streamOf(events)])),
});

const says = (found: readonly Violation[]) => found.map(({ what }) => what).join('\n');
const text = (words: string, data: unknown = null, isError = false) => ({
  isError,
  text: words,
  data,
});
const call = (agent: string, tool: string, args: object, [start, end]: Time, words = ''): Call => ({
  ...{ agent, tool, args: { ...args }, start, end },
  answer: end === null ? null : text(words),
});

/** Without a finding it is right. */
type Row = readonly [what: string, calls: readonly Call[], of: Stage, finding?: string];
interface Stage {
  readonly team?: readonly Event[];
  readonly sessions?: Sessions;
  readonly deaths?: Times;
  /** The team before and after a loss from 10 to 11. */
  readonly loss?: readonly [before: readonly Event[], after: readonly Event[]];
}

function judge(rows: readonly Row[]): void {
  const named = rows.map(
    (row) => [row[3] === undefined ? 'accepts' : 'detects', row[0], row] as const,
  );
  test.each(named)('%s %s', (_, __, [, calls, { team = [], sessions, deaths, loss }, finding]) => {
    const losses = loss ? [lossOf(streamsOf(loss[0]), streamsOf(loss[1]))] : [];
    const epochs = epochsOf(historyOf(calls, deaths), losses, streamsOf(team, sessions));
    const found = says(epochs.flatMap(checkEpoch));
    if (finding === undefined) expect(found).toBe('');
    else expect(found).toContain(finding);
  });
}

const lossOf = (before: Streams, after: Streams): Loss => ({ from: 10, to: 11, before, after });

const NO_ORDER = 'No order explains the work of ada';
const NO_PLACE = "There is no place in the team's stream";
const send = (body: string, time: Time, id = 0) =>
  call('ada', 'send_message', { toAgent: 'bob', body }, time, `Message sent (ID: ${id})`);
const sent = (id: number, body = `m${id}`): Event => [
  'sent',
  { id, body, from: 'ada', to: 'bob', inbox: 'bob', by: 'ada' },
];
/** Negative: marked as redelivered; null: no answer. */
const check = (ids: readonly number[] | null, time: Time, server = 'http#1', bodies?: string[]) => {
  const blocks = (ids ?? []).map((id, index) => {
    const body = bodies?.[index] ?? `m${Math.abs(id)}`;
    const mark = id < 0 ? ', redelivered' : '';
    return `Message ${index + 1}: (ID: ${Math.abs(id)}, now${mark})\n  From: ada\n  Body: ${body}`;
  });
  const words = [`You have ${blocks.length} message(s):`, ...blocks].join('\n\n');
  const said = ids?.length === 0 ? 'You have no messages.' : words;
  return { ...call('bob', 'check_inbox', {}, ids === null ? [time[0], null] : time, said), server };
};
const offered: Event = ['offered', { reader: 'bob', through: 1 }];
const read = (offer: number, through: number): Event[] => [
  ['offered', { reader: 'bob', through }],
  ['received', { reader: 'bob', offer }],
];

describe('of the ids of messages, the checker', () => {
  const [a, b] = [sent(1, 'a'), sent(2, 'b')];
  const twice = { team: [a, sent(2, 'a')] };
  const late = [send('a', [0, null]), send('b', [4, 5], 1), send('c', [6, 7], 3)];
  const lateSent = [sent(1, 'b'), sent(2, 'a'), sent(3, 'c')];
  const [lost, next, again] = [send('a', [0, null]), send('b', [4, 5], 2), send('a', [6, 7], 1)];
  const first = send('a', [0, 1], 1);
  judge([
    ['a counter', [first, send('b', [2, 3], 2)], { team: [a, b] }],
    [
      'calls that cross',
      [send('a', [0, 9], 2), send('b', [0, 9], 1)],
      { team: lateSent.slice(0, 2) },
    ],
    ['an unanswered call without effect', [lost, send('b', [4, 5], 1)], { team: [sent(1, 'b')] }],
    ['one with effect', [lost, next], { team: [a, b] }],
    ['a repeat that is recognized', [lost, next, again], { team: [a, b], deaths: { 'http#1': 3 } }],
    [
      'ids out of order',
      [send('a', [0, 1], 2), send('b', [2, 3], 1)],
      { team: lateSent.slice(0, 2) },
      NO_PLACE,
    ],
    [
      'an id that was given twice',
      [first, send('b', [2, 3], 1)],
      { team: [a] },
      "'b' was acknowledged as 1 and",
    ],
    ['a lost message', [first], {}, "'a' was acknowledged as 1 and is not in"],
    ['a gap', [send('a', [0, 1], 2)], { team: [sent(2, 'a')] }, 'Message 1 has the id 2'],
    ['a call that counts twice', [first], twice, 'is stored 2 times'],
    ['a repeat that counts twice', [lost, send('a', [4, 5], 2)], twice, 'is stored 2 times'],
    ['what a process does late', late, { team: lateSent }],
    ['what it does after its death', late, { team: lateSent, deaths: { 'http#1': 3 } }, NO_PLACE],
    ['a message that no one sent', [], { team: [sent(1, 'x')] }, "No call sent 'x'"],
    [
      'a refusal without a reason',
      [{ ...first, answer: text('', null, true) }],
      {},
      'send_message failed',
    ],
  ]);
});

describe('of an inbox, the checker', () => {
  const [one, other] = [send('m1', [0, 1], 1), send('m2', [2, 3], 2)];
  const team = [sent(1), sent(2), ...read(3, 2)];
  const both = { team };
  const all = check([1, 2], [4, 5]);
  const given = check([1], [2, 3]);
  const later = check([-1], [8, 9], 'http#2');
  const died = { team: [sent(1), offered, ...read(3, 1)], deaths: { 'http#1': 5 } };
  const beside = [send('m1', [0, 9], 1), check([], [1, 2]), check([1], [3, 4])];
  judge([
    ['everything once and in order', [one, other, all, check([], [6, 7])], both],
    ['a look beside a send', beside, { team: [sent(1), ...read(2, 1)] }],
    ['a lost answer that comes again', [one, check(null, [2, 3]), later], died],
    ['an answer of the dead that comes again', [one, given, later], died],
    [
      'what the living delivered, again',
      [one, given, later],
      { ...died, deaths: {} },
      'holder lives',
    ],
    [
      'the same before the death',
      [one, given, later],
      { ...died, deaths: { 'http#1': 20 } },
      'holder lives',
    ],
    [
      'a repeated message without a mark',
      [one, other, check([1], [4, 5]), all],
      both,
      'that bob got 1:',
    ],
    ['a message that is left out', [one, other, check([2], [4, 5])], both, 'never got message 1'],
    [
      'another order',
      [one, other, check([2, 1], [4, 5])],
      both,
      'No offer explains that bob got 2,1',
    ],
    [
      'a delivery without an offer',
      [one, other, all],
      { team: team.slice(0, 2) },
      'No offer explains',
    ],
    [
      'one that does not count as read',
      [one, other, all],
      { team: team.slice(0, 3) },
      'does not count',
    ],
    [
      'a message that comes late',
      [one, other, check([], [4, 5]), check([1, 2], [6, 7])],
      both,
      NO_PLACE,
    ],
    [
      'words that no one wrote',
      [one, check([9], [2, 3])],
      { team: [sent(1), ...read(2, 1)] },
      'got 9',
    ],
  ]);
});

describe('of notes, todos and outboxes, the checker', () => {
  const note = (words: string, time: Time, total = 0) =>
    call(
      'ada',
      'update_workflow_state',
      { addProgress: words },
      time,
      `Total progress notes: ${total}`,
    );
  const noted = (...notes: string[]) => ({
    team: notes.map((words): Event => ['updated', { note: words }]),
  });
  const [lost, first] = [note('a', [0, null]), note('a', [0, 1], 1)];
  const todo = (tool: string, content: string, at: number, args = {}) =>
    call('coordinator', tool, args, [at, at + 1], `1 todos\n→ ○ ${content} (medium)`);
  const write = (content: string, at: number) =>
    todo('project_todowrite', content, at, { todos: [{ content }] });
  const list = (content: string, at: number) => todo('project_todoread', content, at);
  const listed = ['a', 'b'].map((content): Event => ['todos_written', { todos: [{ content }] }]);
  const mail = [send('m', [0, 1], 1), check([1], [4, 5], 'http#1', ['m'])];
  const look = (words: string, at: number) => call('ada', 'check_outbox', {}, [at, at + 1], words);
  const pending = 'Pending messages (1):\n  1. To: bob | Subject: m | ID: 1';
  const done = 'Delivered messages (1):\n  1. To: bob | Subject: m | Read at now | ID: 1';
  const stored = { team: [sent(1, 'm'), ...read(2, 1)] };
  judge([
    ['notes that are counted', [first, note('b', [2, 3], 2)], noted('a', 'b')],
    ['a repeat that counts once', [lost, note('a', [2, 3], 1)], noted('a')],
    ['one that counts twice', [lost, note('a', [2, 3], 2)], noted('a', 'a'), '2 times'],
    ['a lost note', [first], {}, 'is not in the journal'],
    ['a doubled note', [first], noted('a', 'a'), '2 times'],
    ['a wrong count', [first, note('b', [2, 3], 1)], noted('a', 'b'), NO_PLACE],
    [
      'the last todos',
      [write('a', 0), list('a', 2), write('b', 4), list('b', 6)],
      { team: listed },
    ],
    ['todos of before', [write('a', 0), write('b', 2), list('a', 4)], { team: listed }, NO_PLACE],
    ['lost todos', [write('a', 0), write('b', 2)], { team: listed.slice(0, 1) }, NO_PLACE],
    ['an outbox', [...mail, look(pending, 2), look(done, 7)], stored],
    ['an outbox without a message', [...mail, look('You have not sent any.', 2)], stored, NO_PLACE],
    ['a message that becomes unread', [...mail, look(done, 6), look(pending, 8)], stored, NO_PLACE],
  ]);
});

describe('of questions, the checker', () => {
  const questions = [{ question: 'Go?' }];
  const asked: Event = ['asked', { by: 'c', asker: 'c', ids: ['q-1'], questions }];
  const answered: Event = ['answered', { id: 'q-1', choices: ['yes'] }];
  const ask = (choice: string) =>
    call(
      'coordinator',
      'ask_user_question',
      { questions },
      [0, 9],
      `Human response: Selected: ${choice} (q-1, x, now)`,
    );
  const given = call('person', 'answer_question', { id: 'q-1', choice: 'yes' }, [1, 2], '{}');
  judge([
    ['one question and one answer', [ask('yes'), given], { team: [asked, answered] }],
    ['another answer', [ask('no'), given], { team: [asked, answered] }, "got 'no'"],
    ['a doubled question', [ask('yes')], { team: [asked, asked, answered] }, 'asked 2 times'],
    ['a lost answer', [given], { team: [asked] }, 'The answer to q-1 is lost'],
    ['a doubled answer', [], { team: [asked, answered, answered] }, 'answered twice'],
  ]);
});

describe('of work, the checker', () => {
  const [S, T] = ['aaaaaaaa', 'bbbbbbbb'];
  const [G, H] = ['ada/goal-1', 'ada/goal-2'];
  const at = (session_id: string, step_id: string, ...others: string[]) => {
    return { session_id, step_id, concurrent_steps: others.map((id) => ({ step_id: id })) };
  };
  const work = (tool: string, args: object, time: Time, data: unknown): Call => ({
    ...call('ada', tool, args, time),
    answer: time[1] === null ? null : text('', data, data === null),
  });
  const stack = (...items: [string, string][]) => ({
    stack: items.map(([session_id, step]) => ({ session_id, step, workflow: 'journey/errand' })),
  });
  const start = (goal: string, id: string, from: number, more = {}) =>
    work('start_workflow', { goal, workflow_name: 'errand' }, [from, from + 1], {
      begin_step: at(id, 'fetch'),
      ...more,
    });
  /** Notes and the output's path are the same text. */
  const outputs = (step: string, notes: string): Record<string, string> => {
    const name = { fetch: 'parcel', bring: 'parcel', check: 'verdict', tidy: '' }[step] ?? step;
    return name === '' ? {} : { [name]: notes };
  };
  const finish = (step_id: string, notes: string, time: Time, data: unknown, more = {}) =>
    work(
      'finished_step',
      { outputs: outputs(step_id, notes), notes, step_id, ...more },
      time,
      data,
    );
  const next = (id: string, ...steps: [string, ...string[]]) => {
    return { status: 'next_step', begin_step: at(id, ...steps) };
  };
  const over = (parcel: string) => {
    return { status: 'workflow_complete', begin_step: null, all_outputs: { parcel } };
  };
  const look = (goal: string, begin_step: object, time: Time, completed_steps: object[] = []) =>
    work('get_active_workflow', {}, time, { active: true, goal, begin_step, completed_steps });

  const begun = (goal: string, workflow_name = 'errand', first = 'fetch'): Event => {
    const owner = { identity: 'agent:ada' };
    return ['started', { goal, workflow_name, owner, position: { members: [first] } }];
  };
  const judged = (
    steps: readonly string[],
    notes: string,
    members?: string[],
    more = {},
  ): Event => {
    const accepted = steps.map((step_id) => ({ step_id, outputs: outputs(step_id, notes) }));
    return [
      'judged',
      { accepted, sent: { notes }, position: members ? { members } : null, ...more },
    ];
  };
  const fetched = judged(['fetch'], 'ada/n-1', ['bring']);
  const brought = judged(['bring'], 'ada/n-2', undefined, { completed: true });
  const once = [begun(G), fetched];
  const first = [start(G, S, 0), finish('fetch', 'ada/n-1', [2, 3], next(S, 'bring'))];
  const back: Event = ['went_back', { to: 'fetch', position: { members: ['fetch'] } }];
  const goBack = (time: Time, again = false): Call => {
    const data = { begin_step: at(S, 'fetch'), invalidated_steps: ['fetch', 'bring'] };
    return { ...work('go_to_step', { step_id: 'fetch' }, time, data), again };
  };
  const ended = finish('bring', 'ada/n-2', [4, 5], over('ada/n-2'));
  const otherNotes = [{ step_id: 'fetch', notes: 'x', outputs: { parcel: 'ada/n-1' } }];
  const wrong = work('validate_step_outputs', { outputs: { parcel: 'p' } }, [2, 3], {
    problems: ['x'],
  });
  const abort = { aborted_workflow: 'w', aborted_step: 'bring', begin_step: at(S, 'bring') };
  const [left, right] = [
    { step_id: 'left', outputs: { report: 'r' } },
    { step_id: 'right', outputs: { report: 'r' } },
  ];

  /** The beginning of another workflow, up to its review. */
  const trip = { ...start(G, S, 0), args: { goal: G, workflow_name: 'trip' } };
  const tripStart = { ...trip, answer: text('', { begin_step: at(S, 'plan') }) };
  const members = ['left', 'right', 'tidy'] as const;
  const planned = finish('plan', 'ada/n-1', [2, 3], next(S, ...members));
  const tripBegun = begun(G, 'trip', 'plan');
  const plan = judged(['plan'], 'ada/n-1', [...members]);
  const reports = { 'left.report': 'r', 'right.report': 'r' };
  const skipped = finish('plan', 'ada/n-1', [2, 3], next(S, 'check'));

  const of = (...events: Event[]): Stage => ({ sessions: { [S]: events } });
  const REASON = { quality_review_override_reason: 'seen' };
  const reviewed = (more = {}) => [
    ...[tripStart, planned],
    work('finished_step', { outputs: reports, notes: 'ada/n-2' }, [4, 5], { status: 'needs_work' }),
    finish('tidy', 'ada/n-3', [6, 7], next(S, 'check')),
    finish('check', 'ada/n-4', [8, 9], next(S, 'close'), more),
  ];
  const reviewedStream = of(
    ...[tripBegun, plan],
    ['judged', { accepted: [left, right], sent: { notes: 'ada/n-2' }, position: null }],
    ...[judged(['tidy'], 'ada/n-3', ['check']), judged(['check'], 'ada/n-4', ['close'])],
  );

  judge([
    [
      'step after step, nested, repeated, given up and lost',
      [
        start(G, S, 0, stack([S, 'fetch'])),
        finish('fetch', 'ada/n-1', [2, 3], { ...next(S, 'bring'), ...stack([S, 'bring']) }),
        start(H, T, 4, stack([S, 'bring'], [T, 'fetch'])),
        look(H, at(T, 'fetch'), [6, 7]),
        finish('fetch', 'ada/n-3', [8, null], null),
        { ...finish('fetch', 'ada/n-3', [12, 13], next(T, 'bring')), again: true },
        work('abort_workflow', { explanation: 'ada/x' }, [14, 15], {
          ...abort,
          ...stack([S, 'bring']),
        }),
        finish('bring', 'ada/n-2', [16, 17], { ...over('ada/n-2'), stack: [] }),
        work('get_active_workflow', {}, [20, 21], { active: false }),
      ],
      {
        sessions: {
          [S]: [...once, brought],
          [T]: [
            begun(H),
            judged(['fetch'], 'ada/n-3', ['bring']),
            ['aborted', { explanation: 'ada/x' }],
          ],
        },
      },
    ],
    ['an old answer beside the call', [...first, look(G, at(S, 'fetch'), [1, 5])], of(...once)],
    [
      'a return that is made again',
      [...first, goBack([4, null]), goBack([8, 9], true)],
      of(...once, back),
    ],
    ['a lost step', first, of(begun(G)), 'ada/n-1 was acknowledged, and is not in'],
    ['a step that counts twice', first, of(...once, back, fetched), 'is in the journal 2 times'],
    [
      'a return that counts twice',
      [...first, goBack([4, 5]), goBack([8, 9], true)],
      of(...once, back, back),
      NO_ORDER,
    ],
    [
      'a call that moved the session below',
      [start(G, S, 0), start(H, T, 2), finish('fetch', 'ada/n-1', [4, 5], next(S, 'bring'))],
      { sessions: { [S]: once, [T]: [begun(H)] } },
      NO_ORDER,
    ],
    ['an older step', [...first, look(G, at(S, 'fetch'), [4, 5])], of(...once), NO_ORDER],
    [
      'other notes of a step',
      [...first, look(G, at(S, 'bring'), [4, 5], otherNotes)],
      of(...once),
      NO_ORDER,
    ],
    [
      'a refusal of a valid call',
      [start(G, S, 0), finish('fetch', 'ada/n-1', [2, 3], null)],
      of(begun(G)),
      NO_ORDER,
    ],
    ['a problem with valid outputs', [start(G, S, 0), wrong], of(begun(G)), NO_ORDER],
    [
      "a move of another's session",
      [start(G, S, 0)],
      of(begun(G), judged(['fetch'], 'bob/n', ['bring'])),
      `moved session ${S}, which is ada's`,
    ],
    ['work that no one sent', [start(G, S, 0)], of(...once), "No call sent 'ada/n-1'"],
    [
      'a skipped step',
      [tripStart, skipped],
      of(tripBegun, judged(['plan'], 'ada/n-1', ['check'])),
      'is not legal there',
    ],
    ['another step than the stream has', [tripStart, skipped], of(tripBegun, plan), NO_ORDER],
    ['a review that was skipped with a reason', reviewed(REASON), reviewedStream],
    ['a review that was passed over', reviewed(), reviewedStream, NO_ORDER],
    [
      'other outputs in the end',
      [...first, finish('bring', 'ada/n-2', [4, 5], over('x'))],
      of(...once, brought),
      NO_ORDER,
    ],
    ['another stack', [start(G, S, 0, stack())], of(begun(G)), NO_ORDER],
    [
      'an event after the end',
      [...first, ended],
      of(...once, brought, back),
      "Event 4 of session aaaaaaaa, 'went_back'",
    ],
  ]);
});

describe('after a journal was lost, the checker', () => {
  const [a, b] = [sent(1, 'a'), sent(2, 'b')];
  const team = [a, ...read(2, 1)];
  const first = send('a', [0, 1], 1);
  const gets = (ids: number[], ...bodies: string[]) => check(ids, [14, 15], 'http#1', bodies);
  const during = [send('a', [9, 12], 1), gets([1], 'a')];
  const reused = [first, send('b', [2, 3], 2), send('c', [12, 13], 2), gets([1, 2], 'a', 'c')];
  const gap = [first, send('b', [12, 13], 3), gets([1, 3], 'a', 'b')];
  judge([
    [
      'a lost message, and its id for another',
      reused,
      { loss: [[a, b], [a]], team: [a, sent(2, 'c'), ...read(3, 2)] },
    ],
    ['a call during the loss that came before it', during, { loss: [[a], [a]], team }],
    ['one that came after it', during, { loss: [[], []], team }],
    ['one that was lost with it', during.slice(0, 1), { loss: [[a], []] }],
    [
      'a message of after the loss that is gone',
      [send('a', [12, 13], 1)],
      { loss: [[], []] },
      'is not in the journal',
    ],
    [
      'a lost message that is back',
      [first, gets([1], 'a')],
      { loss: [[a], []], team },
      "No call sent 'a'",
    ],
    [
      'a gap behind what was left',
      gap,
      { loss: [[a], [a]], team: [a, sent(3, 'b'), ...read(3, 3)] },
      'Message 2 has the id 3',
    ],
  ]);

  test('detects a loss that is reported twice, or without one', () => {
    const loss = lossOf(NO_STREAMS, NO_STREAMS);
    const words = "Error: The team's journal was deleted while the server was running.";
    const notice = (from: number) => ({
      ...send('x', [from, from + 1]),
      answer: text(words, null, true),
    });
    expect(checkNotices(historyOf([notice(12)]), [loss])).toEqual([]);
    expect(says(checkNotices(historyOf([notice(12)]), []))).toContain('which it was 0 times');
    expect(checkNotices(historyOf([notice(12), notice(14)]), [loss])).toHaveLength(1);
  });
});

describe('of files, the checker', () => {
  const ID = '0000abcd';
  const job = plainJob(plainStep('a', 'x!'));

  async function stage() {
    const root = tempFolder();
    const journal = openFileJournal(path.join(root, '.deepwork/journal'), { key: journalKey });
    const decision = startDecision(job);
    if (decision.kind !== 'commit') throw new Error(decision.kind);
    await journal.append(`session/${ID}`, 0, decision.event as never);
    const view = path.join(root, `.deepwork/tmp/session_${ID}.json`);
    const shown = viewOf(started(job));
    mkdirSync(path.dirname(view), { recursive: true });
    writeFileSync(view, JSON.stringify(shown));
    const stream = path.join(root, `.deepwork/journal/session/${ID}.jsonl`);
    const found = async (...calls: Call[]) =>
      says(await checkFiles(root, readFiles(root), historyOf(calls)));
    return { root, view, shown, stream, found };
  }
  const look = (shown: object): Call => ({
    ...call('ada', LOOK_AT_VIEW, { session_id: ID }, [4, 5]),
    answer: text(JSON.stringify(shown), shown),
  });

  test('accepts a stream and its view, and detects a view that shows something else', async () => {
    const { view, shown, found } = await stage();
    expect(await found(look(shown))).toBe('');
    expect(await found(look({ ...shown, goal: 'another' }))).toContain('showed what never was');
    expect(await found(look({ ...shown, revision: 2 }))).toContain('showed what never was');
    writeFileSync(view, JSON.stringify({ ...shown, goal: 'another' }));
    expect(await found()).toContain(`The view of ${ID} is not what its stream says`);
  });

  test('detects a view that is older than an answer', async () => {
    const { root, stream, shown } = await stage();
    const [first] = readStream(stream) as [StreamEvent];
    const judged = { ...first, seq: 2, type: 'judged', data: { sent: { notes: 'n' } } };
    const streams = { team: [], sessions: new Map([[ID, [first, judged]]]) };
    const given = { session_id: ID, notes: 'n' };
    const answered = { ...call('ada', 'finished_step', given, [1, 2]), answer: text('', {}) };
    const found = (...calls: Call[]) => says(checkLooks(root, streams, historyOf(calls)));
    expect(found(look(shown))).toBe('');
    expect(found(answered, look(shown))).toContain('showed event 1, after 2 was answered');
  });

  test('detects damage, and more left behind than kills explain', async () => {
    const { root, stream, found } = await stage();
    writeFileSync(path.join(root, '.deepwork/tmp/left.tmp'), '');
    expect(await found()).toBe('0 kills left left.tmp');
    writeFileSync(stream, readFileSync(stream, 'utf8').replace('the goal', 'the gaol'));
    expect(await found()).toContain(`session/${ID} is damaged`);
  });

  const line = (seq: number) => JSON.stringify({ seq, type: 'sent', at: '', data: {} });
  test.each([
    ['whole lines', `\t${line(1)}\n\t${line(2)}\n`, 2],
    ['a line that lost a race', `\t${line(1)}\n\t${line(1)}\n\t${line(2)}\n`, 2],
    ['a torn line', `\t${line(1)}\n\t{"seq":2,"ty\t${line(2)}\n`, 2],
    ['a line that is being written', `\t${line(1)}\n\t${line(2)}`, 1],
    ['a line that lost its newline', `\t${line(1)}\t${line(1)}\n`, 1],
    ['nothing', '', 0],
  ])('counts the events in %s', (_, bytes, count) => {
    const file = path.join(tempFolder(), 'log.jsonl');
    writeFileSync(file, bytes);
    expect(readStream(file).map(({ seq }) => seq)).toEqual([1, 2].slice(0, count));
  });
});
