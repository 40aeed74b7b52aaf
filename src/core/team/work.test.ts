// The rules of update_workflow_state and the guard, on the decider alone.

import { describe, expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import type { TeamEvent, Todo } from './state.ts';
import { updatedText } from './texts.ts';
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

function said(decision: ReturnType<typeof decideUpdate>): string {
  return decision.kind === 'refused' ? decision.refusal.message : updatedText(decision.answer);
}

describe('status', () => {
  test.each([
    ['a', 'complete', 'working, agent-done'],
    ['Coordinator', 'complete', 'working, agent-done'],
    ['coordinator', 'done', 'working, agent-done, complete'],
    ['coordinator', 'waiting-for-human', 'working, agent-done, complete'],
    ['a', '', 'working, agent-done'],
  ])('%s may not say %s', (name, status, allowed) => {
    expect(said(decideUpdate(teamAfter(), update(name, status)))).toBe(
      `Invalid status '${status}'. Must be one of: ${allowed}`,
    );
  });

  test('is kept while a question is open, even with pending todos', () => {
    const team = teamAfter(todosWritten({}), ASKED);
    const command = update('coordinator', 'complete', { task: 'wait', note: 'asked' });
    expect(said(decideUpdate(team, command))).toBe(
      [
        "Status is currently 'waiting-for-human'. Status kept; task and progress saved.",
        '  Status: waiting-for-human',
        '  Current task: wait',
        '  Added progress note: asked',
        '  Total progress notes: 1',
      ].join('\n'),
    );
  });
});

describe('an update without a status', () => {
  const done: TeamEvent = {
    type: 'updated',
    at: AT,
    data: { by: 'a', status: 'agent-done', task: '', note: null },
  };

  test('keeps the current one, and is not refused for todos', () => {
    const decision = decideUpdate(
      teamAfter(todosWritten({ agent: 'a' }), done),
      update('a', undefined, { note: 'n' }),
    );
    expect(decision).toMatchObject({ kind: 'commit', event: { data: { status: null } } });
    expect(said(decision)).toBe(
      'State updated successfully.\n  Status: agent-done\n  Added progress note: n\n  Total progress notes: 1',
    );
  });

  test('keeps even one that its caller may not set', () => {
    const complete: TeamEvent = {
      ...done,
      data: { ...done.data, by: 'coordinator', status: 'complete' },
    };
    expect(said(decideUpdate(teamAfter(complete), update('a', undefined)))).toContain(
      '  Status: complete',
    );
  });
});

describe('the guard counts', () => {
  const file = (status: string, agent: string | null = null): FileTodo => ({
    content: 'do it',
    status,
    agent,
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
  ])('%s', (_what, name, status, fileTodos, todos, pending) => {
    const team = teamAfter(todosWritten(...todos));
    const decision = decideUpdate(team, update(name, status, { fileTodos, note: 'n' }));
    expect(decision.kind).toBe(pending === 0 ? 'commit' : 'refused');
    if (pending === 0) return;
    const [first, ...items] = said(decision).split('\n');
    expect(first).toBe(
      `Cannot transition to '${status}' with ${pending} pending TODO items. Please complete all TODO items first.`,
    );
    expect(items).toHaveLength(pending);
  });

  test('and names up to twenty items, with owner and location', () => {
    const team = teamAfter(
      todosWritten(
        { content: 'write\nthe docs', agent: 'a' },
        { content: 'x'.repeat(500), agent: 'coordinator', status: 'in_progress' },
        { content: '' },
      ),
    );
    const many = Array.from({ length: 20 }, () => file('later'));
    const refused = (fileTodos: FileTodo[]) =>
      said(decideUpdate(team, update('coordinator', 'complete', { fileTodos })))
        .split('\n')
        .slice(1);
    expect(refused([file('pending')])).toEqual([
      "- do it (pending; every agent's, in todos of .sgai/state.json)",
      "- write the docs (pending; a's, in the project todos)",
      `- ${'x'.repeat(80)}… (in_progress; yours, in the project todos)`,
      '- (no text) (pending; unassigned, in the project todos)',
    ]);
    const lines = refused(many);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('… and 3 more');
  });

  test('todos of one model for the agent, whichever model it runs on', () => {
    const team = teamAfter(todosWritten({ agent: 'a:m1' }));
    const as = (reader: string) =>
      decideUpdate(team, { ...update('a', 'agent-done'), by: { name: 'a', reader } }).kind;
    expect([as('a:m1'), as('a:m2'), as('a')]).toEqual(['refused', 'refused', 'refused']);
    expect(decideUpdate(team, update('ab', 'agent-done')).kind).toBe('commit');
  });
});

describe('a note whose answer was lost', () => {
  const ANSWERED: TeamEvent = {
    type: 'answered',
    at: AT,
    data: { id: 'q-1', choices: ['yes'], other: null, by: 'ada', route: 'terminal' },
  };
  const noted = (status: 'working' | null): TeamEvent => ({
    type: 'updated',
    at: AT,
    data: { by: 'a', status, task: '', note: 'n', process: 'gone' },
  });
  const again = (...events: TeamEvent[]) =>
    decideUpdate(teamAfter(...events), {
      ...update('a', 'working', { note: 'n' }),
      isLost: () => true,
    });

  test('is recorded once if a question was opened between the call and its repeat', () => {
    const decision = again(noted('working'), ASKED);
    expect(decision.kind).toBe('unchanged');
    expect(said(decision)).toContain('Total progress notes: 1');
  });

  test('is recorded once, and the status counts, if a question was closed in between', () => {
    const decision = again(ASKED, noted(null), ANSWERED);
    expect(decision).toMatchObject({
      kind: 'commit',
      event: { data: { status: 'working', note: null } },
    });
    expect(said(decision)).toContain('Added progress note: n\n  Total progress notes: 1');
  });
});

test('no more than a thousand names of callers are recorded', () => {
  const called = (at: number): TeamEvent => ({ type: 'called', at: AT, data: { by: `a${at}` } });
  const known = Array.from({ length: 1000 }, (_, at) => called(at));
  expect(decideCalled(teamAfter(...known.slice(1)), AT, 'new')).toMatchObject({ kind: 'commit' });
  expect(decideCalled(teamAfter(...known), AT, 'new')).toMatchObject({ kind: 'unchanged' });
});
