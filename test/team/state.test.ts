// update_workflow_state, the guard, and the project's todos.

import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { newTeam, readState, STATE, teamFiles, WAYS } from './support.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UPDATE = 'update_workflow_state';

/** What an update answers. */
const updated = (status: string, notes: number, task = '', note = '') =>
  [
    'State updated successfully.',
    `  Status: ${status}`,
    ...(task === '' ? [] : [`  Current task: ${task}`]),
    ...(note === '' ? [] : [`  Added progress note: ${note}`]),
    `  Total progress notes: ${notes}`,
  ].join('\n');

describe.each(WAYS)('over %s', (_way, sit) => {
  test('an update reports the new state, and the file shows it', async () => {
    verifies('TEAM-12', 'TEAM-4');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    const first = { status: 'working', task: 'parse', addProgress: 'begun' };
    const ignored = { extra: 1, progress: [], messages: 'all', todos: null };
    for (const [args, said] of [
      [{ ...first, ...ignored }, updated('working', 1, 'parse', 'begun')],
      [{ status: 'working' }, updated('working', 1, 'parse')],
    ] as const) {
      expect(await a.says(UPDATE, args)).toBe(said);
    }
    const state = readState(project);
    expect(state).toMatchObject({
      status: 'working',
      task: 'parse',
      humanMessage: '',
      progress: [{ timestamp: TIME, agent: 'a', description: 'begun' }],
      messages: [],
      projectTodos: [],
    });
    for (const key of ['extra', 'todos']) expect(state).not.toHaveProperty(key);
    for (const [args, said] of [
      [{ status: 'working', task: '', addProgress: '' }, updated('working', 1)],
      [{ status: 'working', task: 'again' }, updated('working', 1, 'again')],
      [{ status: 'agent-done', task: 'ignored' }, updated('agent-done', 1)],
      [{ addProgress: 'on the side' }, updated('agent-done', 2, '', 'on the side')],
      [{ status: null }, updated('agent-done', 2)],
    ] as const) {
      expect(await a.says(UPDATE, args)).toBe(said);
    }
    expect(readState(project)).toMatchObject({ status: 'agent-done', task: '' });
    const boss = await sit(project.root, 'coordinator');
    for (const [seat, status, allowed] of [
      [a, 'complete', 'working, agent-done'],
      [boss, 'waiting-for-human', 'working, agent-done, complete'],
    ] as const) {
      expect(await seat.fails(UPDATE, { status })).toBe(
        `Error: Invalid status '${status}'. Must be one of: ${allowed}`,
      );
    }
    expect(await boss.says(UPDATE, { status: 'complete' })).toBe(updated('complete', 2));
  });

  test('no agent is done while todos are pending, and a refusal changes nothing', async () => {
    verifies('TEAM-13', 'TEAM-14');
    const project = newTeam();
    const ofFile = (id: string, status: string, agent?: string) => ({
      id,
      content: 'x',
      status,
      ...(agent !== undefined && { agent }),
    });
    const todos = [
      ofFile('1', 'pending'),
      ofFile('2', 'odd', 'a'),
      ofFile('3', 'pending', 'b'),
      ofFile('4', 'completed'),
    ];
    project.write(STATE, JSON.stringify({ todos }));
    const a = await sit(project.root, 'a');
    const boss = await sit(project.root, 'coordinator');
    const refused = async (seat: typeof a, status: string, ...items: string[]) => {
      const before = teamFiles(project);
      const said = await seat.fails(UPDATE, { status, addProgress: 'done' });
      expect(said.split('\nNext: ')[0]?.split('\n')).toEqual([
        `Error: Cannot transition to '${status}' with ${items.length} pending TODO items. Please complete all TODO items first.`,
        ...items.map((item) => expect.stringContaining(item)),
      ]);
      expect(teamFiles(project)).toEqual(before);
    };
    const [shared, own] = ["- x (pending; every agent's,", '- x (odd; yours,'];
    await refused(a, 'agent-done', shared, own);

    const todo = (id: string, status: string, agent?: string) => ({
      ...ofFile(id, status, agent),
      content: `do ${id}`,
    });
    await boss.says('project_todowrite', {
      todos: [todo('1', 'pending', 'a'), todo('2', 'cancelled', 'a'), todo('3', 'in_progress')],
    });
    const unassigned = '- do 3 (in_progress; unassigned,';
    await refused(a, 'agent-done', shared, own, '- do 1 (pending; yours,');
    await refused(boss, 'agent-done', shared, unassigned);
    await refused(boss, 'complete', shared, "- do 1 (pending; a's,", unassigned);
    await boss.says('project_todowrite', { todos: [todo('1', 'completed', 'a')] });
    project.write(STATE, JSON.stringify({ ...readState(project), todos: [] }));
    const done = { status: 'agent-done', addProgress: 'done' };
    expect(await a.says(UPDATE, done)).toBe(updated('agent-done', 1, '', 'done'));
    expect(await boss.says(UPDATE, { status: 'complete' })).toBe(updated('complete', 1));
  });

  test('160 updates at once leave 160 notes', async () => {
    verifies('TEAM-15');
    const project = newTeam();
    const seats = await Promise.all(['a', 'b', 'c', 'd'].map((name) => sit(project.root, name)));
    const notes = Array.from({ length: 160 }, (_, index) => `note ${index}`);
    const said = await Promise.all(
      notes.map((addProgress, index) => seats[index % 4]?.says(UPDATE, { addProgress })),
    );
    const totals = said.map((text) => Number(/notes: (\d+)/.exec(text ?? '')?.[1]));
    expect(totals.sort((a, b) => a - b)).toEqual(notes.map((_, index) => index + 1));
    const { progress } = readState(project);
    const kept = progress.map(({ description }: { description: string }) => description);
    expect(kept.sort()).toEqual(notes.sort());
  });

  test('todos are replaced, counted and shown', async () => {
    verifies('TEAM-16');
    const project = newTeam();
    const boss = await sit(project.root, '');
    expect(await boss.says('project_todoread')).toBe('0 todos');
    const signs = { pending: '○', in_progress: '◐', completed: '●', cancelled: '✕', whatever: '○' };
    const todos = Object.keys(signs).map((status) => ({
      id: status,
      content: `is ${status}`,
      status,
      priority: 'low',
    }));
    const lines = Object.entries(signs).map(([status, sign]) => `→ ${sign} is ${status} (low)`);
    const shown = ['4 todos', ...lines].join('\n');
    expect(await boss.says('project_todowrite', { todos })).toBe(shown);
    expect(await boss.says('project_todoread')).toBe(shown);
    expect(readState(project).projectTodos).toEqual(todos);
    expect(await boss.says('project_todowrite', { todos: [] })).toBe('0 todos');
  });

  test('todos need only a text and may have other keys; an invalid one is named by its index', async () => {
    verifies('TEAM-16');
    const project = newTeam();
    const boss = await sit(project.root, 'coordinator');
    const todos = [
      { content: 'first', activeForm: 'Doing it' },
      { id: '1', content: 'second', status: 'in_progress', priority: null, agent: '' },
      { id: '', content: 'third', priority: 'high', agent: 'a' },
    ];
    await boss.says('project_todowrite', { todos });
    expect(readState(project).projectTodos).toEqual([
      { id: '2', content: 'first', status: 'pending', priority: 'medium' },
      { id: '1', content: 'second', status: 'in_progress', priority: 'medium' },
      { id: '3', content: 'third', status: 'pending', priority: 'high', agent: 'a' },
    ]);
    const before = teamFiles(project);
    for (const [given, where] of [
      [[todos[0], { id: 'x' }], 'todos[1].content'],
      [[todos[0], todos[1], { content: 7 }], 'todos[2].content'],
      [[{ content: 'x', agent: [] }], 'todos[0].agent'],
      [['x'], 'todos[0]'],
      [undefined, 'todos'],
    ] as const) {
      const said = await boss.fails('project_todowrite', { todos: given });
      expect(said).toContain(`Error: Invalid arguments: ${where}: `);
    }
    expect(teamFiles(project)).toEqual(before);
  });

  test.each(['send_message', 'check_inbox', 'peek_message_bus', 'project_todoread'])(
    'an argument that %s does not have is refused by name, and nothing is done',
    async (tool) => {
      verifies('TEAM-4');
      const project = newTeam({ a: [] });
      const boss = await sit(project.root, 'coordinator');
      await boss.says('send_message', { toAgent: 'a', body: 'The first' });
      const before = teamFiles(project);
      const right = tool === 'send_message' ? { toAgent: 'a', body: 'Hello' } : {};
      for (const extra of ['extra', 'Body', 'constructor']) {
        expect(await boss.fails(tool, { ...right, [extra]: 'x' })).toContain(
          `Error: Invalid arguments: ${extra}: `,
        );
      }
      expect(teamFiles(project)).toEqual(before);
    },
  );
});
