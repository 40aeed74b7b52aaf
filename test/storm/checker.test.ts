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

function historyOf(calls: readonly Call[], deaths: Readonly<Record<string, number>> = {}): History {
  const gone = new Map(Object.entries(deaths));
  return {
    calls: calls.map((call, number) => ({
      number,
      client: call.agent,
      server: 'http#1',
      isAlone: true,
      ...call,
    })),
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

/** Without a finding it is right. */
type Row = readonly [
  name: string,
  calls: readonly Call[],
  team: readonly Event[],
  finding?: string,
  deaths?: Readonly<Record<string, number>>,
];

function judge(rows: readonly Row[]): void {
  const name = ([what, , , finding]: Row) =>
    `${finding === undefined ? 'accepts' : 'detects'} ${what}`;
  test.each(rows.map((row) => [name(row), row] as const))(
    '%s',
    (_, [, calls, team, finding, deaths]) => {
      const [epoch] = epochsOf(historyOf(calls, deaths), [], streamsOf(team));
      const found = says(epoch === undefined ? [] : checkEpoch(epoch));
      if (finding === undefined) expect(found).toBe('');
      else expect(found).toContain(finding);
    },
  );
}

const call = (
  agent: string,
  tool: string,
  args: object,
  start: number,
  end: number | null,
  words = '',
): Call => ({
  ...{ agent, tool, args: { ...args }, start, end },
  answer: end === null ? null : text(words),
});

const NO_ORDER = 'No order explains';
const send = (body: string, start: number, end: number | null, id = 0) =>
  call('ada', 'send_message', { toAgent: 'bob', body }, start, end, `Message sent (ID: ${id})`);
const sent = (id: number, body = `m${id}`): Event => [
  'sent',
  { id, body, from: 'ada', to: 'bob', inbox: 'bob', by: 'ada' },
];

describe('of the ids of messages, the checker', () => {
  const twice = [sent(1, 'a'), sent(2, 'a')];
  const late = [send('a', 0, null), send('b', 4, 5, 1), send('c', 6, 7, 3)];
  const lateSent = [sent(1, 'b'), sent(2, 'a'), sent(3, 'c')];
  judge([
    ['a counter', [send('a', 0, 1, 1), send('b', 2, 3, 2)], [sent(1, 'a'), sent(2, 'b')]],
    ['calls that cross', [send('a', 0, 9, 2), send('b', 0, 9, 1)], [sent(1, 'b'), sent(2, 'a')]],
    ['an unanswered call without effect', [send('a', 0, null), send('b', 4, 5, 1)], [sent(1, 'b')]],
    ['one with effect', [send('a', 0, null), send('b', 4, 5, 2)], [sent(1, 'a'), sent(2, 'b')]],
    [
      'a repeated call that is recognized',
      [send('a', 0, null), send('b', 4, 5, 2), send('a', 6, 7, 1)],
      [sent(1, 'a'), sent(2, 'b')],
      undefined,
      { 'http#1': 3 },
    ],
    [
      'ids out of order',
      [send('a', 0, 1, 2), send('b', 2, 3, 1)],
      [sent(1, 'b'), sent(2, 'a')],
      `${NO_ORDER} the ids of messages`,
    ],
    [
      'an id that was given twice',
      [send('a', 0, 1, 1), send('b', 2, 3, 1)],
      [sent(1, 'a')],
      "Message 'b' was acknowledged as 1 and is not in the journal",
    ],
    ['a lost message', [send('a', 0, 1, 1)], [], "'a' was acknowledged as 1 and is not in"],
    ['a gap', [send('a', 0, 1, 2)], [sent(2, 'a')], 'Message 1 has the id 2'],
    ['a call that counts twice', [send('a', 0, 1, 1)], twice, 'more often than it was sent'],
    ['a doubled repeat', [send('a', 0, null), send('a', 4, 5, 2)], twice, 'is stored 2 times'],
    ['what a process does late', late, lateSent],
    ['what a process does after its death', late, lateSent, NO_ORDER, { 'http#1': 3 }],
    ['a message that no one sent', [], [sent(1, 'x')], "No call sent 'x'"],
    [
      'a refusal without a reason',
      [{ ...send('a', 0, 1), answer: text('no', null, true) }],
      [],
      'send_message failed',
    ],
  ]);
});

describe('of an inbox, the checker', () => {
  const put = (id: number, start: number, end: number) => send(`m${id}`, start, end, id);
  /** Negative: marked as redelivered; null: no answer. */
  const check = (ids: readonly number[] | null, start: number, end: number, server = 'http#1') => {
    const blocks = (ids ?? []).map((id, index) => {
      const mark = id < 0 ? ', redelivered' : '';
      const body = `m${Math.abs(id)}`;
      return `Message ${index + 1}: (ID: ${Math.abs(id)}, now${mark})\n  From: ada\n  Body: ${body}`;
    });
    const words = [`You have ${blocks.length} message(s):`, ...blocks].join('\n\n');
    const said = ids?.length === 0 ? 'You have no messages.' : words;
    return { ...call('bob', 'check_inbox', {}, start, ids && end, said), server };
  };
  const offered: Event = ['offered', { reader: 'bob', through: 1 }];
  const read = (offer: number, through: number): Event[] => [
    ['offered', { reader: 'bob', through }],
    ['received', { reader: 'bob', offer }],
  ];
  const two = [put(1, 0, 1), put(2, 2, 3)];
  const both = [sent(1), sent(2), ...read(3, 2)];
  const [given, again] = [check([1], 2, 3), check([-1], 8, 9, 'http#2')];
  const twice = [sent(1), offered, ...read(3, 1)];
  judge([
    ['everything once and in order', [...two, check([1, 2], 4, 5), check([], 6, 7)], both],
    [
      'a look beside a send',
      [put(1, 0, 9), check([], 1, 2), check([1], 3, 4)],
      [sent(1), ...read(2, 1)],
    ],
    [
      'a lost answer that comes again',
      [put(1, 0, 1), check(null, 2, 3), again],
      twice,
      undefined,
      { 'http#1': 5 },
    ],
    [
      'an answer of the dead that comes again',
      [put(1, 0, 1), given, again],
      twice,
      undefined,
      { 'http#1': 5 },
    ],
    ['what the living delivered, again', [put(1, 0, 1), given, again], twice, NO_ORDER],
    ['the same before the death', [put(1, 0, 1), given, again], twice, NO_ORDER, { 'http#1': 20 }],
    [
      'a repeated message without a mark',
      [...two, check([1], 4, 5), check([1, 2], 6, 7)],
      both,
      'unmarked',
    ],
    ['a message that is left out', [...two, check([2], 4, 5)], both, 'never got message 1'],
    ['another order', [...two, check([2, 1], 4, 5)], both, NO_ORDER],
    [
      'a delivery that is not recorded',
      [...two, check([1, 2], 4, 5)],
      [sent(1), sent(2)],
      NO_ORDER,
    ],
    ['a message that comes late', [...two, check([], 4, 5), check([1, 2], 6, 7)], both, NO_ORDER],
    [
      'words that no one wrote',
      [put(1, 0, 1), check([9], 2, 3)],
      [sent(1), ...read(2, 1)],
      'not what was sent to it',
    ],
  ]);
});

describe('of notes, todos and outboxes, the checker', () => {
  const note = (words: string, start: number, end: number | null, total = 0) =>
    call(
      'ada',
      'update_workflow_state',
      { addProgress: words },
      start,
      end,
      `Total progress notes: ${total}`,
    );
  const noted = (...notes: string[]) => notes.map((words): Event => ['updated', { note: words }]);
  const lost = note('a', 0, null);
  const todo = (tool: string, content: string, at: number) =>
    call(
      'coordinator',
      tool,
      tool === 'project_todowrite' ? { todos: [{ content }] } : {},
      at,
      at + 1,
      `1 todos\n→ ○ ${content} (medium)`,
    );
  const write = (content: string, at: number) => todo('project_todowrite', content, at);
  const list = (content: string, at: number) => todo('project_todoread', content, at);
  const mail = [send('m', 0, 1, 1)];
  const look = (words: string, at: number) => call('ada', 'check_outbox', {}, at, at + 1, words);
  const pending = 'Pending messages (1):\n  1. To: bob | Subject: m | ID: 1';
  const read = 'Delivered messages (1):\n  1. To: bob | Subject: m | Read at now | ID: 1';
  const stored = [sent(1, 'm')];
  judge([
    ['notes that are counted', [note('a', 0, 1, 1), note('b', 2, 3, 2)], noted('a', 'b')],
    ['a repeated note that counts once', [lost, note('a', 2, 3, 1)], noted('a')],
    [
      'one that counts twice',
      [lost, note('a', 2, 3, 2)],
      noted('a', 'a'),
      'having been sent again',
    ],
    ['a lost note', [note('a', 0, 1, 1)], [], 'is not in the journal'],
    ['a doubled note', [note('a', 0, 1, 1)], noted('a', 'a'), '2 times'],
    ['a wrong count', [note('a', 0, 1, 1), note('b', 2, 3, 1)], noted('a', 'b'), NO_ORDER],
    [
      'todos as they were written last',
      [write('a', 0), list('a', 2), write('b', 4), list('b', 6)],
      [],
    ],
    [
      'todos of before',
      [write('a', 0), write('b', 2), list('a', 4)],
      [],
      `${NO_ORDER} the list of todos`,
    ],
    ['an outbox', [...mail, look(pending, 2), look(read, 4)], stored],
    [
      'an outbox without a message',
      [...mail, look('You have not sent any messages.', 2)],
      stored,
      'lacks message 1',
    ],
    [
      'a message that becomes unread',
      [...mail, look(read, 2), look(pending, 4)],
      stored,
      'is pending again',
    ],
  ]);
});

describe('of questions, the checker', () => {
  const asked: Event = [
    'asked',
    { by: 'c', asker: 'c', ids: ['q-1'], questions: [{ question: 'Go?' }] },
  ];
  const answered: Event = ['answered', { id: 'q-1', choices: ['yes'] }];
  const ask = (choice: string) =>
    call(
      'coordinator',
      'ask_user_question',
      { questions: [{ question: 'Go?' }] },
      0,
      9,
      `Question 1: Go?\n\nHuman response: Selected: ${choice} (q-1, dashboard, now)`,
    );
  const given = (choice: string) =>
    call('person', 'answer_question', { id: 'q-1', choice }, 1, 2, '{}');
  judge([
    ['one question and one answer', [ask('yes'), given('yes')], [asked, answered]],
    ['another answer', [ask('no'), given('yes')], [asked, answered], "got 'no'"],
    ['a doubled question', [ask('yes')], [asked, asked, answered], 'asked 2 times'],
    ['a lost answer', [given('yes')], [asked], 'The answer to q-1 is lost'],
    ['a doubled answer', [], [asked, answered, answered], 'answered twice'],
  ]);
});

describe('of work, the checker', () => {
  const [S, T] = ['aaaaaaaa', 'bbbbbbbb'];
  const at = (session_id: string, step_id: string, ...others: string[]) => ({
    ...{ session_id, step_id },
    concurrent_steps: others.map((id) => ({ step_id: id })),
  });
  const work = (
    tool: string,
    args: object,
    start: number,
    end: number | null,
    data: unknown,
  ): Call => ({
    ...call('ada', tool, args, start, end),
    answer: end === null ? null : text('', data, data === null),
  });
  const start = (goal: string, id: string, time: number, more = {}, workflow_name = 'errand') => {
    const first = workflow_name === 'errand' ? at(id, 'fetch') : at(id, 'plan');
    const data = { begin_step: first, ...more };
    return work('start_workflow', { goal, workflow_name }, time, time + 1, data);
  };
  const names: Record<string, string> = { fetch: 'parcel', bring: 'parcel', check: 'verdict' };
  const finish = (
    step: string,
    notes: string,
    from: number,
    to: number | null,
    data: unknown,
    more = {},
  ) =>
    work(
      'finished_step',
      { outputs: { [names[step] ?? step]: notes }, notes, step_id: step, ...more },
      from,
      to,
      data,
    );
  const next = (id: string, ...steps: [string, ...string[]]) => ({
    status: 'next_step',
    begin_step: at(id, ...steps),
  });
  const over = (parcel: string) => ({
    status: 'workflow_complete',
    begin_step: null,
    all_outputs: { parcel },
  });
  const look = (data: object, from: number, to: number) =>
    work('get_active_workflow', {}, from, to, data);
  const seen = (goal: string, step: object, completed_steps: object[] = []) => ({
    active: true,
    goal,
    begin_step: step,
    completed_steps,
  });

  const begun = (goal: string, workflow_name = 'errand', ...members: string[]): Event => [
    'started',
    {
      goal,
      workflow_name,
      owner: { identity: 'agent:ada' },
      position: { members: members.length > 0 ? members : ['fetch'] },
    },
  ];
  const done = (step: string, notes: string, ...members: string[]): Event => [
    'judged',
    {
      accepted: [{ step_id: step, outputs: { [names[step] ?? step]: notes } }],
      sent: { notes },
      position: members.length > 0 ? { members } : null,
      ...(step === 'bring' ? { completed: true } : {}),
    },
  ];
  const G = 'ada/goal-1';
  const moved = finish('fetch', 'ada/n-1', 2, 3, next(S, 'bring'));
  const first = [start(G, S, 0), moved];
  const once = [begun(G), done('fetch', 'ada/n-1', 'bring')];
  const trip = [
    start(G, S, 0, {}, 'trip'),
    finish('plan', 'ada/n-1', 2, 3, next(S, 'left', 'right', 'tidy')),
  ];
  const tripBegun = begun(G, 'trip', 'plan');
  const back: Event = ['went_back', { to: 'fetch', position: { members: ['fetch'] } }];
  const goBack = (from: number, end: number | null, again = false): Call => ({
    ...work('go_to_step', { step_id: 'fetch' }, from, end, {
      begin_step: at(S, 'fetch'),
      invalidated_steps: ['fetch', 'bring'],
    }),
    again,
  });
  const lost = finish('fetch', 'ada/n-2', 8, null, null);
  const stack = (...items: [string, string][]) => ({
    stack: items.map(([session_id, step]) => ({ session_id, step, workflow: 'journey/errand' })),
  });

  const rows: readonly (readonly [string, readonly Call[], Sessions, string?])[] = [
    [
      'step after step, nested, repeated, given up and lost',
      [
        start(G, S, 0, stack([S, 'fetch'])),
        finish('fetch', 'ada/n-1', 2, 3, { ...next(S, 'bring'), ...stack([S, 'bring']) }),
        start('ada/goal-2', T, 4, stack([S, 'bring'], [T, 'fetch'])),
        look(seen('ada/goal-2', at(T, 'fetch')), 6, 7),
        lost,
        { ...finish('fetch', 'ada/n-2', 12, 13, next(T, 'bring')), again: true },
        work('abort_workflow', { explanation: 'ada/x-3' }, 14, 15, {
          aborted_workflow: 'w',
          aborted_step: 'bring',
          begin_step: at(S, 'bring'),
          ...stack([S, 'bring']),
        }),
        finish('bring', 'ada/n-4', 16, 17, { ...over('ada/n-4'), stack: [] }),
        look({ active: false }, 20, 21),
      ],
      {
        [S]: [begun(G), done('fetch', 'ada/n-1', 'bring'), done('bring', 'ada/n-4')],
        [T]: [
          begun('ada/goal-2'),
          done('fetch', 'ada/n-2', 'bring'),
          ['aborted', { explanation: 'ada/x-3' }],
        ],
      },
    ],
    [
      'an old answer beside the call',
      [...first, look(seen(G, at(S, 'fetch')), 1, 5)],
      { [S]: once },
    ],
    [
      'one return, made again',
      [...first, goBack(4, null), goBack(8, 9, true)],
      { [S]: [...once, back] },
    ],
    [
      'a lost step',
      first,
      { [S]: [begun(G)] },
      'ada/n-1 was acknowledged, and is not in the journal',
    ],
    [
      'a step that counts twice',
      first,
      { [S]: [...once, back, done('fetch', 'ada/n-1', 'bring')] },
      'is in the journal 2 times',
    ],
    [
      'a return that counts twice',
      [...first, goBack(4, 5), goBack(8, 9, true)],
      { [S]: [...once, back, back] },
      NO_ORDER,
    ],
    [
      'a call that moved the session below',
      [
        start(G, S, 0),
        start('ada/goal-2', T, 2),
        finish('fetch', 'ada/n-1', 4, 5, next(S, 'bring')),
      ],
      { [S]: once, [T]: [begun('ada/goal-2')] },
      `${NO_ORDER} the work of ada`,
    ],
    ['an older step', [...first, look(seen(G, at(S, 'fetch')), 4, 5)], { [S]: once }, NO_ORDER],
    [
      'other notes of a step',
      [
        ...first,
        look(
          seen(G, at(S, 'bring'), [
            { step_id: 'fetch', notes: 'x', outputs: { parcel: 'ada/n-1' } },
          ]),
          4,
          5,
        ),
      ],
      { [S]: once },
      NO_ORDER,
    ],
    [
      'a refusal of a valid call',
      [start(G, S, 0), finish('fetch', 'ada/n-1', 2, 3, null)],
      { [S]: [begun(G)] },
      NO_ORDER,
    ],
    [
      'a problem with valid outputs',
      [
        start(G, S, 0),
        work('validate_step_outputs', { outputs: { parcel: 'p' } }, 2, 3, { problems: ['x'] }),
      ],
      { [S]: [begun(G)] },
      NO_ORDER,
    ],
    [
      "a move of another's session",
      [start(G, S, 0)],
      { [S]: [begun(G), done('fetch', 'bob/n-1', 'bring')] },
      `moved session ${S}, which is ada's`,
    ],
    ['work that no one sent', [start(G, S, 0)], { [S]: once }, "No call sent 'ada/n-1'"],
    [
      'a skipped step',
      [trip[0] as Call, finish('plan', 'ada/n-1', 2, 3, next(S, 'check'))],
      { [S]: [tripBegun, done('plan', 'ada/n-1', 'check')] },
      'is not legal there',
    ],
    [
      'an answer with another step than the stream',
      [trip[0] as Call, finish('plan', 'ada/n-1', 2, 3, next(S, 'check'))],
      { [S]: [tripBegun, done('plan', 'ada/n-1', 'left', 'right', 'tidy')] },
      NO_ORDER,
    ],
    [
      'a review that was passed over',
      [
        ...trip,
        work(
          'finished_step',
          { outputs: { 'left.report': 'r', 'right.report': 'r' }, notes: 'ada/n-2' },
          4,
          5,
          { status: 'needs_work' },
        ),
        finish('tidy', 'ada/n-3', 6, 7, next(S, 'check'), { outputs: {} }),
        finish('check', 'ada/n-4', 8, 9, next(S, 'close')),
      ],
      {
        [S]: [
          tripBegun,
          done('plan', 'ada/n-1', 'left', 'right', 'tidy'),
          [
            'judged',
            {
              accepted: ['left', 'right'].map((step_id) => ({ step_id, outputs: { report: 'r' } })),
              sent: { notes: 'ada/n-2' },
              position: null,
            },
          ],
          done('tidy', 'ada/n-3', 'check'),
          done('check', 'ada/n-4', 'close'),
        ],
      },
      NO_ORDER,
    ],
    [
      'other outputs in the end',
      [...first, finish('bring', 'ada/n-2', 4, 5, over('another'))],
      { [S]: [...once, done('bring', 'ada/n-2')] },
      NO_ORDER,
    ],
    ['another stack', [start(G, S, 0, stack())], { [S]: [begun(G)] }, NO_ORDER],
    [
      'an event after the end',
      [...first, finish('bring', 'ada/n-2', 4, 5, over('ada/n-2'))],
      { [S]: [...once, done('bring', 'ada/n-2'), back] },
      "Event 4 of session aaaaaaaa, 'went_back', is not legal there",
    ],
  ];
  const name = ([what, , , finding]: (typeof rows)[number]) =>
    `${finding === undefined ? 'accepts' : 'detects'} ${what}`;
  test.each(rows.map((row) => [name(row), row] as const))(
    '%s',
    (_, [, calls, sessions, finding]) => {
      const [epoch] = epochsOf(historyOf(calls), [], streamsOf([], sessions));
      const found = says(epoch === undefined ? [] : checkEpoch(epoch));
      if (finding === undefined) expect(found).toBe('');
      else expect(found).toContain(finding);
    },
  );
});

describe('after a journal was lost, the checker', () => {
  const read = (ids: readonly number[], bodies: readonly string[], start: number) => {
    const blocks = ids.map(
      (id, index) =>
        `Message ${index + 1}: (ID: ${id}, now)\n  From: ada\n  Body: ${bodies[index]}`,
    );
    return call(
      'bob',
      'check_inbox',
      {},
      start,
      start + 1,
      [`You have ${ids.length} message(s):`, ...blocks].join('\n\n'),
    );
  };
  const received = (offer: number, through: number): Event[] => [
    ['offered', { reader: 'bob', through, holder: 'p', takes: null, by: 'bob' }],
    ['received', { reader: 'bob', offer }],
  ];
  const a = sent(1, 'a');
  const end = [a, ...received(2, 1)];
  const during = [send('a', 9, 12, 1), read([1], ['a'], 14)];
  const rows: readonly (readonly [string, readonly Call[], Event[], Event[], Event[], string?])[] =
    [
      [
        'a message that is gone, and its id for another',
        [
          send('a', 0, 1, 1),
          send('b', 2, 3, 2),
          send('c', 12, 13, 2),
          read([1, 2], ['a', 'c'], 14),
        ],
        [a, sent(2, 'b')],
        [a],
        [a, sent(2, 'c'), ...received(3, 2)],
      ],
      ['a call during the loss that came before it', during, [a], [a], end],
      ['one that came after it', during, [], [], end],
      ['one that was lost with it', during.slice(0, 1), [a], [], []],
      [
        'a message of after the loss that is gone',
        [send('a', 12, 13, 1)],
        [],
        [],
        [],
        'is not in the journal',
      ],
      [
        'a lost message that is back',
        [send('a', 0, 1, 1), read([1], ['a'], 14)],
        [a],
        [],
        end,
        "No call sent 'a'",
      ],
      [
        'a gap behind what was left',
        [send('a', 0, 1, 1), send('b', 12, 13, 3), read([1, 3], ['a', 'b'], 14)],
        [a],
        [a],
        [a, sent(3, 'b'), ...received(3, 3)],
        'Message 2 has the id 3',
      ],
    ];
  const name = (row: (typeof rows)[number]) =>
    `${row[5] === undefined ? 'accepts' : 'detects'} ${row[0]}`;
  test.each(rows.map((row) => [name(row), row] as const))(
    '%s',
    (_, [, calls, before, after, last, finding]) => {
      const loss: Loss = { from: 10, to: 11, before: streamsOf(before), after: streamsOf(after) };
      const found = says(epochsOf(historyOf(calls), [loss], streamsOf(last)).flatMap(checkEpoch));
      if (finding === undefined) expect(found).toBe('');
      else expect(found).toContain(finding);
    },
  );

  test('detects a loss that is reported twice, or without one', () => {
    const loss: Loss = { from: 10, to: 11, before: NO_STREAMS, after: NO_STREAMS };
    const words = "Error: The team's journal was deleted while the server was running.";
    const notice = (start: number) => ({
      ...send('x', start, start + 1),
      answer: text(words, null, true),
    });
    expect(checkNotices(historyOf([notice(12)]), [loss])).toEqual([]);
    expect(says(checkNotices(historyOf([notice(12)]), []))).toContain('which it was 0 times');
    expect(checkNotices(historyOf([notice(12), notice(14)]), [loss])).toHaveLength(1);
  });
});

describe('of files, the checker', () => {
  const job = plainJob(plainStep('a', 'x!'));
  const ID = '0000abcd';

  async function folder() {
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
    const found = async (calls: readonly Call[] = []) =>
      says(await checkFiles(root, readFiles(root), historyOf(calls)));
    return { root, view, shown, stream, found };
  }
  const look = (shown: object): Call => ({
    ...call('ada', LOOK_AT_VIEW, { session_id: ID }, 4, 5),
    answer: text(JSON.stringify(shown), shown),
  });

  test('accepts a stream and its view, and detects a view that shows something else', async () => {
    const { view, shown, found } = await folder();
    expect(await found([look(shown)])).toBe('');
    expect(await found([look({ ...shown, goal: 'another' })])).toContain('showed what never was');
    expect(await found([look({ ...shown, revision: 2 })])).toContain('showed what never was');
    writeFileSync(view, JSON.stringify({ ...shown, goal: 'another' }));
    expect(await found()).toContain(`The view of ${ID} is not what its stream says`);
  });

  test('detects a view that is older than an answer', async () => {
    const { root, stream, shown } = await folder();
    const [first] = readStream(stream) as [StreamEvent];
    const judged = { ...first, seq: 2, type: 'judged', data: { sent: { notes: 'n' } } };
    const sessions = new Map([[ID, [first, judged]]]);
    const answered: Call = {
      ...call('ada', 'finished_step', { session_id: ID, notes: 'n' }, 1, 2),
      answer: text('', {}),
    };
    const found = (...calls: Call[]) =>
      says(checkLooks(root, { team: [], sessions }, historyOf(calls)));
    expect(found(look(shown))).toBe('');
    expect(found(answered, look(shown))).toContain('showed event 1, after 2 was answered');
  });

  test('detects damage, and more left behind than kills explain', async () => {
    const { root, stream, found } = await folder();
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
