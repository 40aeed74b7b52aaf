// Whatever stands in a state file, taking it over neither throws nor invents.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldTeam } from './evolve.ts';
import { importFrom, othersIn } from './found-state.ts';
import { messagesBetween } from './inbox.ts';
import type { TeamEvent } from './state.ts';
import { viewOf } from './view.ts';

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

describe('taking over', () => {
  test('a view of ours gives the same view again', () => {
    const readBy = [{ reader: 'a:m1', at: AT }];
    const view = viewOf(
      imported({
        status: 'complete',
        task: 't',
        progress: [{ timestamp: AT, agent: 'a', description: 'd' }],
        messages: [message(2, { readBy }), message(5, { read: true, readAt: AT }), message(9)],
        projectTodos: [{ id: '1', content: 'c', status: 's', priority: 'p', agent: 'a' }],
      }),
      noModels,
    );
    expect(viewOf(imported(JSON.parse(JSON.stringify(view))), noModels)).toEqual(view);
  });

  test('who had a message does not get it again, and nobody misses one', () => {
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
    // Somebody wrote this by hand: rather twice than never.
    expect(left('a:m2')).toEqual([1, 2, 4]);
    expect(left('a')).toEqual([1, 2, 4]);
    expect(team.lastMessageId).toBe(4);
  });

  test('anything that is JSON can be taken over', () => {
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
        viewOf(team, noModels);
        othersIn(each);
      }),
      { numRuns: 300 },
    );
  });
});
