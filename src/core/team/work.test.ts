// The rules of update_workflow_state and the guard, on the decider alone.

import { describe, expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import type { TeamEvent, Todo } from './state.ts';
import type { FileTodo } from './todo-guard.ts';
import { decideCalled, decideUpdate, type UpdateCommand } from './work.ts';

const AT = '2026-01-01T00:00:00.000Z';

function teamAfter(...events: TeamEvent[]) {
  const fold = foldTeam();
  for (const [index, event] of events.entries()) fold.apply(index + 1, event);
  return fold.team;
}

function update(
  name: string,
  status: string | undefined,
  more: Partial<UpdateCommand> = {},
): UpdateCommand {
  const by = { name, reader: name };
  return {
    at: AT,
    by,
    status,
    task: undefined,
    note: undefined,
    fileTodos: [],
    isLost: () => false,
    ...more,
  };
}

function todosWritten(...items: Partial<Todo>[]): TeamEvent {
  const todos = items.map((item, index) => ({
    id: String(index),
    content: 'do it',
    status: 'pending',
    priority: 'high',
    ...item,
  }));
  return { type: 'todos_written', at: AT, data: { by: 'coordinator', todos } };
}

const ASKED: TeamEvent = {
  type: 'asked',
  at: AT,
  data: {
    by: 'coordinator',
    asker: 'coordinator',
    ids: ['q-1'],
    questions: [{ question: 'Go?', choices: ['yes'], multiSelect: false }],
  },
};

describe('status', () => {
  test.each([
    ['a', 'complete', 'working, agent-done'],
    ['Coordinator', 'complete', 'working, agent-done'],
    ['coordinator', 'done', 'working, agent-done, complete'],
    ['coordinator', 'waiting-for-human', 'working, agent-done, complete'],
    ['a', '', 'working, agent-done'],
  ])('%s may not say %s', (name, status, allowed) => {
    const refusal = { code: 'invalid_status', message: expect.stringContaining(allowed) };
    expect(decideUpdate(teamAfter(), update(name, status))).toMatchObject({ refusal });
  });

  test('is kept while a question is open, even with pending todos', () => {
    const command = update('coordinator', 'complete', { task: 'wait', note: 'asked' });
    expect(decideUpdate(teamAfter(todosWritten({}), ASKED), command)).toMatchObject({
      event: { data: { status: null } },
      answer: { status: 'waiting-for-human', task: 'wait', note: 'asked', noteCount: 1 },
    });
  });

  test('is kept without one, though its caller may not set it or has todos', () => {
    const [todo, note] = [todosWritten({ agent: 'a' }), { note: 'n' }];
    const kept = decideUpdate(
      teamAfter(todo, updated('a', 'agent-done')),
      update('a', undefined, note),
    );
    expect(kept).toMatchObject({
      event: { data: { status: null } },
      answer: { status: 'agent-done', note: 'n', noteCount: 1 },
    });
    const complete = teamAfter(updated('coordinator', 'complete'));
    expect(decideUpdate(complete, update('a', undefined))).toMatchObject({
      answer: { status: 'complete' },
    });
  });
});

function updated(by: string, status: 'agent-done' | 'complete'): TeamEvent {
  return { type: 'updated', at: AT, data: { by, status, task: '', note: null } };
}

describe('the guard counts', () => {
  const file = (status: string, agent: string | null = null): FileTodo => ({
    ...{ content: 'do it', status, agent },
  });
  test.each<[string, string, string, FileTodo[], Partial<Todo>[], number]>([
    ['nothing', 'a', 'agent-done', [], [], 0],
    ['todos of the file, of everybody', 'a', 'agent-done', [file('pending')], [], 1],
    ['not those of another', 'a', 'agent-done', [file('pending', 'b')], [], 0],
    ['its own of the file', 'a', 'agent-done', [file('in_progress', 'a')], [], 1],
    ['unknown statuses', 'a', 'agent-done', [file('later'), file('')], [], 2],
    ['nothing that is over', 'a', 'agent-done', [file('completed'), file('cancelled')], [], 0],
    ['project todos that are assigned', 'a', 'agent-done', [], [{ agent: 'a' }, {}], 1],
    ['nothing while working', 'a', 'working', [file('pending')], [{ agent: 'a' }], 0],
    ['the coordinator’s own', 'coordinator', 'agent-done', [file('pending')], [], 1],
    ['what is assigned to nobody, for the coordinator', 'coordinator', 'agent-done', [], [{}], 1],
    ['not what others are to do', 'coordinator', 'agent-done', [], [{ agent: 'a' }], 0],
    [
      'each once for complete',
      'coordinator',
      'complete',
      [file('pending'), file('pending', 'a')],
      [{}, { agent: 'a' }, { agent: 'coordinator' }, { status: 'cancelled' }],
      4,
    ],
    ['no more than it names', 'coordinator', 'complete', Array(23).fill(file('later')), [], 23],
  ])('%s', (_what, name, status, fileTodos, todos, pending) => {
    const decision = decideUpdate(
      teamAfter(todosWritten(...todos)),
      update(name, status, { fileTodos }),
    );
    if (pending === 0) expect(decision.kind).toBe('commit');
    else {
      const [first, ...items] =
        decision.kind === 'refused' ? decision.refusal.message.split('\n') : [];
      expect(first).toContain(` ${pending} `);
      expect(items).toHaveLength(Math.min(pending, 21));
    }
  });

  test('todos of one model for the agent, whichever model it runs on', () => {
    const team = teamAfter(todosWritten({ agent: 'a:m1' }));
    const as = (reader: string) =>
      decideUpdate(team, { ...update('a', 'agent-done'), by: { name: 'a', reader } }).kind;
    expect([as('a:m1'), as('a:m2'), as('a')]).toEqual(['refused', 'refused', 'refused']);
    expect(decideUpdate(team, update('ab', 'agent-done')).kind).toBe('commit');
  });
});

test('a note whose answer was lost is recorded once, whatever was asked or answered since', () => {
  const answer = { id: 'q-1', choices: ['yes'], other: null, by: 'ada', route: 'terminal' };
  const ANSWERED: TeamEvent = { type: 'answered', at: AT, data: answer };
  const noted = (status: 'working' | null): TeamEvent => ({
    ...{ type: 'updated', at: AT, data: { by: 'a', status, task: '', note: 'n', process: 'gone' } },
  });
  const again = (...events: TeamEvent[]) =>
    decideUpdate(teamAfter(...events), update('a', 'working', { note: 'n', isLost: () => true }));
  const known = { note: 'n', noteCount: 1 };
  expect(again(noted('working'), ASKED)).toMatchObject({ kind: 'unchanged', answer: known });
  // The status counts now.
  const data = { status: 'working', note: null };
  const late = { kind: 'commit', event: { data }, answer: known };
  expect(again(ASKED, noted(null), ANSWERED)).toMatchObject(late);
});

test('no more than a thousand names of callers are recorded', () => {
  const called = (at: number): TeamEvent => ({ type: 'called', at: AT, data: { by: `a${at}` } });
  const known = Array.from({ length: 1000 }, (_, at) => called(at));
  expect(decideCalled(teamAfter(...known.slice(1)), AT, 'new')).toMatchObject({ kind: 'commit' });
  expect(decideCalled(teamAfter(...known), AT, 'new')).toMatchObject({ kind: 'unchanged' });
});
