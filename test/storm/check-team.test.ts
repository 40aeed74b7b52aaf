// The checkers of messages, inboxes, notes, todos, outboxes and questions.

import { describe, expect, test } from 'vitest';
import { checkInboxes } from './check-inboxes.ts';
import { checkMessages } from './check-messages.ts';
import { checkQuestions } from './check-questions.ts';
import { checkNotes, checkOutboxes, checkTodos } from './check-state.ts';
import { type Call, type Event, epochOf, historyOf, journalOf, says, text } from './hand-made.ts';

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

  test('that follow a counter pass, whatever happened to unanswered calls', () => {
    const one = [send('a', 0, 1, 1), send('b', 2, 3, 2)];
    expect(says(check(one, [sent(1, 'a'), sent(2, 'b')]))).toBe('');
    const crossed = [send('a', 0, 9, 2), send('b', 0, 9, 1)];
    expect(says(check(crossed, [sent(1, 'b'), sent(2, 'a')]))).toBe('');
    const lost = [send('a', 0, null), send('b', 4, 5, 1)];
    expect(says(check(lost, [sent(1, 'b')]))).toBe('');
    const stored = [send('a', 0, null), send('b', 4, 5, 2)];
    expect(says(check(stored, [sent(1, 'a'), sent(2, 'b')]))).toBe('');
    const known = [send('a', 0, null), send('b', 4, 5, 2), send('a', 6, 7, 1)];
    expect(check(known, [sent(1, 'a'), sent(2, 'b')], 3)).toEqual([]);
  });

  test('assigned out of order are detected', () => {
    const calls = [send('a', 0, 1, 2), send('b', 2, 3, 1)];
    const violations = check(calls, [sent(1, 'b'), sent(2, 'a')]);
    expect(says(violations)).toContain('No order explains the ids of messages');
  });

  test('assigned twice, or acknowledged and lost, are detected', () => {
    const twice = check([send('a', 0, 1, 1), send('b', 2, 3, 1)], [sent(1, 'a')]);
    expect(says(twice)).toContain("Message 'b' was acknowledged as 1 and is not in the journal");
    const lost = check([send('a', 0, 1, 1)], []);
    expect(says(lost)).toContain("Message 'a' was acknowledged as 1 and is not in the journal");
    const gap = check([send('a', 0, 1, 2)], [sent(2, 'a')]);
    expect(says(gap)).toContain('Message 1 has the id 2');
  });

  test('of one call stored twice are detected, also for a repeat', () => {
    const both = [sent(1, 'a'), sent(2, 'a')];
    expect(says(check([send('a', 0, 1, 1)], both))).toContain('more often than');
    const again = check([send('a', 0, null), send('a', 4, 5, 2)], both);
    expect(says(again)).toBe("Message 'a' is stored 2 times, having been sent again");
  });

  test('assigned by a process after its death are detected', () => {
    const calls = [send('a', 0, null), send('b', 4, 5, 1), send('c', 6, 7, 3)];
    const stored = [sent(1, 'b'), sent(2, 'a'), sent(3, 'c')];
    expect(says(check(calls, stored))).toBe('');
    expect(says(check(calls, stored, 3))).toContain('No order explains');
  });

  test('that no call sent are detected', () => {
    expect(says(check([], [sent(1, 'x')]))).toContain("No call sent 'x'");
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
  /** Negative: marked as redelivered; null: no answer. */
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

  test('that deliver everything once, in order, pass', () => {
    const calls = [send(1, 0, 1), send(2, 2, 3), check([1, 2], 4, 5), check([], 6, 7)];
    expect(found(calls, [sent(1), sent(2), ...read(3, 2)])).toBe('');
    const beside = [send(1, 0, 9), check([], 1, 2), check([1], 3, 4)];
    expect(found(beside, [sent(1), ...read(2, 1)])).toBe('');
  });

  test('that repeat, marked, what a dead process delivered pass', () => {
    const offered: Event = ['offered', { reader: 'bob', through: 1 }];
    const lost = [send(1, 0, 1), check(null, 2, 3), check([-1], 8, 9, 'http#2')];
    const journal = [sent(1), offered, ...read(3, 1)];
    expect(found(lost, journal, { 'http#1': 5 })).toBe('');
    const given = [send(1, 0, 1), check([1], 2, 3), check([-1], 8, 9, 'http#2')];
    expect(found(given, journal, { 'http#1': 5 })).toBe('');
  });

  test('that repeat what a living process delivered are detected', () => {
    const offered: Event = ['offered', { reader: 'bob', through: 1 }];
    const calls = [send(1, 0, 1), check([1], 2, 3), check([-1], 8, 9, 'http#2')];
    expect(found(calls, [sent(1), offered, ...read(3, 1)])).toContain('No order explains');
    const later = { 'http#1': 20 };
    expect(found(calls, [sent(1), offered, ...read(3, 1)], later)).toContain('No order explains');
  });

  test('that repeat unmarked, skip, lose or reorder are detected', () => {
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

  test('counted one by one pass; lost, repeated and miscounted notes are detected', () => {
    const check = (calls: readonly Call[], ...notes: string[]) =>
      checkNotes(epochOf(historyOf(calls), journalOf(notes.map(noted))));
    expect(check([note('a', 0, 1, 1), note('b', 2, 3, 2)], 'a', 'b')).toEqual([]);
    const again = [note('a', 0, null), note('a', 2, 3, 1)];
    expect(check(again, 'a')).toEqual([]);
    const twice = [note('a', 0, null), note('a', 2, 3, 2)];
    expect(says(check(twice, 'a', 'a'))).toContain('having been sent again');
    expect(says(check([note('a', 0, 1, 1)]))).toContain('is not in the journal');
    expect(says(check([note('a', 0, 1, 1)], 'a', 'a'))).toContain('2 times');
    const miscounted = check([note('a', 0, 1, 1), note('b', 2, 3, 1)], 'a', 'b');
    expect(says(miscounted)).toContain('No order explains');
  });

  const todo = (tool: string, content: string, start: number, end: number): Call => ({
    agent: 'coordinator',
    tool,
    args: tool === 'project_todowrite' ? { todos: [{ content }] } : {},
    start,
    end,
    answer: text(`1 todos\n→ ○ ${content} (medium)`),
  });

  test('a todo list that returns the last write passes; a stale one is detected', () => {
    const write = (content: string, at: number) => todo('project_todowrite', content, at, at + 1);
    const read = (content: string, at: number) => todo('project_todoread', content, at, at + 1);
    expect(
      checkTodos(epochOf(historyOf([write('a', 0), read('a', 2), write('b', 4), read('b', 6)]))),
    ).toEqual([]);
    const stale = checkTodos(epochOf(historyOf([write('a', 0), write('b', 2), read('a', 4)])));
    expect(says(stale)).toContain('No order explains the list of todos');
  });

  test('an outbox that lacks a sent message, or reverts it to unread, is detected', () => {
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

describe('questions', () => {
  const asked: Event = [
    'asked',
    { by: 'c', asker: 'c', ids: ['q-1'], questions: [{ question: 'Go?' }] },
  ];
  const answered: Event = ['answered', { id: 'q-1', choices: ['yes'] }];
  const ask = (response: string): Call => ({
    agent: 'coordinator',
    tool: 'ask_user_question',
    args: { questions: [{ question: 'Go?' }] },
    start: 0,
    end: 9,
    answer: text(`Question 1: Go?\n\nHuman response: Selected: ${response} (q-1, dashboard, now)`),
  });
  const given = (choice: string): Call => ({
    agent: 'person',
    tool: 'answer_question',
    args: { id: 'q-1', choice },
    start: 1,
    end: 2,
    answer: text('{}'),
  });
  const found = (calls: readonly Call[], ...events: Event[]) =>
    says(checkQuestions(epochOf(historyOf(calls), journalOf(events))));

  test('asked once and answered once pass; lost, doubled and invented answers are detected', () => {
    expect(found([ask('yes'), given('yes')], asked, answered)).toBe('');
    expect(found([ask('no'), given('yes')], asked, answered)).toContain("got 'no'");
    expect(found([ask('yes')], asked, asked, answered)).toContain('asked 2 times');
    expect(found([given('yes')], asked)).toContain('The answer to q-1 is lost');
    expect(found([], asked, answered, answered)).toContain('answered twice');
  });
});
