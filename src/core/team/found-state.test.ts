// Importing a state file never throws and invents nothing, whatever the file contains.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import { importFrom, readClientFields } from './found-state.ts';
import { messagesBetween } from './inbox.ts';
import type { TeamEvent } from './state.ts';
import { teamViewOf } from './view.ts';

const AT = '2026-01-01T00:00:00.000Z';
const noModels = () => [];

function imported(found: Record<string, unknown>) {
  const fold = foldTeam();
  const data = JSON.parse(JSON.stringify(importFrom(found, AT)));
  fold.apply(1, { type: 'imported', at: AT, data } as TeamEvent);
  return fold.team;
}

function message(id: number, more: object = {}) {
  return { id, fromAgent: 'x', toAgent: 'a', body: `b${id}`, createdAt: AT, read: false, ...more };
}

describe('imported data is bounded', () => {
  test.each([[2 ** 53 - 1], [1e9 + 1]])(
    'an id of %d makes all messages be renumbered in their order',
    (huge) => {
      const team = imported({
        messages: [message(huge), message(7, { read: true }), message(3)],
      });
      expect(team.messages.map(({ id, body }) => [id, body])).toEqual([
        [1, 'b3'],
        [2, 'b7'],
        [3, `b${huge}`],
      ]);
      expect(team.lastMessageId).toBe(3);
      expect(messagesBetween(team, 'a', 0, 99).map(({ id }) => id)).toEqual([1, 3]);
    },
  );

  test('in number, in length and in time', () => {
    const long = 'ä'.repeat(200_000);
    const later = '2199-01-01T00:00:00.000Z';
    const team = imported({
      task: long,
      progress: Array.from({ length: 500 }, (_, n) => ({
        timestamp: later,
        agent: long,
        description: `${n} ${long}`,
      })),
      projectTodos: Array(5000).fill({ id: long, content: long, status: long, priority: long }),
      messages: Array.from({ length: 20_000 }, (_, n) =>
        message(n + 1, { body: n < 19_990 ? 'x' : long, fromAgent: long, createdAt: later }),
      ),
      multiChoiceQuestion: {
        questions: Array(100).fill({ question: long, choices: Array(500).fill(long) }),
      },
    });
    expect(team.notes.length).toBeLessThanOrEqual(200);
    expect(team.notes.every(({ at }) => at === AT)).toBe(true);
    expect(team.todos.length).toBeLessThanOrEqual(1000);
    expect(team.messages.length).toBeLessThanOrEqual(10_000);
    expect(team.messages.at(-1)).toMatchObject({ id: 20_000, createdAt: AT });
    for (const { body } of team.messages) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024);
    }
    expect(team.questions.size).toBeLessThanOrEqual(20);
  });

  test('so that all of it fits into one event, and is imported quickly', () => {
    const long = '\u0001'.repeat(70_000);
    const readBy = Array.from({ length: 500 }, (_, n) => ({ reader: `r${n}`, at: AT }));
    const found = {
      task: long,
      progress: Array(500).fill({ timestamp: AT, agent: long, description: long }),
      projectTodos: Array(5000).fill({ id: long, content: long, status: long, priority: long }),
      messages: Array.from({ length: 20_000 }, (_, n) =>
        message(n + 1, { body: long.slice(0, 100), readBy }),
      ),
      multiChoiceQuestion: {
        questions: Array(100).fill({ question: long, choices: Array(500).fill(long) }),
      },
    };
    const size = Buffer.byteLength(JSON.stringify(importFrom(found, AT)));
    expect(size).toBeLessThan(16 * 1024 * 1024 - 1024);
    expect(size).toBeGreaterThan(1024 * 1024);
  });

  test('and answers in it do not count: every question is open', () => {
    const team = imported({
      multiChoiceQuestion: {
        questions: [{ question: 'Go?', choices: ['yes'], outcome: 'answered', answer: 'yes' }],
      },
    });
    expect([...team.open]).toEqual(['q-1']);
    expect(team.questions.get('q-1')?.outcome).toEqual({ kind: 'open' });
  });
});

describe('importing', () => {
  test('one of our own views gives the same view again', () => {
    const readBy = [{ reader: 'a:m1', at: AT }];
    const view = teamViewOf(
      imported({
        status: 'complete',
        task: 't',
        progress: [{ timestamp: AT, agent: 'a', description: 'd' }],
        messages: [message(2, { readBy }), message(5, { read: true, readAt: AT }), message(9)],
        projectTodos: [{ id: '1', content: 'c', status: 's', priority: 'p', agent: 'a' }],
      }),
      noModels,
    );
    expect(teamViewOf(imported(JSON.parse(JSON.stringify(view))), noModels)).toEqual(view);
  });

  test('no reader gets a message again, and no reader misses one', () => {
    const by = (...readers: string[]) => ({
      readBy: readers.map((reader) => ({ reader, at: AT })),
    });
    const team = imported({
      messages: [
        message(1, by('a:m1')),
        message(2, by('a:m1', 'a:m2')),
        message(3, { read: true }),
        message(4, by('a:m2')),
      ],
    });
    const left = (reader: string) =>
      messagesBetween(team, reader, team.readers.get(reader)?.cursor ?? 0, 99).map(({ id }) => id);
    expect(left('a:m1')).toEqual([4]);
    // Written by hand: better delivered twice than never.
    expect(left('a:m2')).toEqual([1, 2, 4]);
    expect(left('a')).toEqual([1, 2, 4]);
    expect(team.lastMessageId).toBe(4);
  });

  test('any JSON can be imported', () => {
    const fields = [
      'status',
      'task',
      'progress',
      'messages',
      'projectTodos',
      'multiChoiceQuestion',
    ];
    const found = fc.dictionary(
      fc.constantFrom(...fields, 'todos', 'currentModel'),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.array(
          fc.dictionary(
            fc.constantFrom('id', 'fromAgent', 'toAgent', 'readBy', 'read', 'createdAt', 'choices'),
            fc.oneof(fc.integer(), fc.jsonValue({ maxDepth: 2 })),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(found, (each) => {
        const team = imported(each);
        expect(team.messages.length).toBe(new Set(team.messages.map(({ id }) => id)).size);
        teamViewOf(team, noModels);
        readClientFields(each);
      }),
      { numRuns: 300 },
    );
  });
});
