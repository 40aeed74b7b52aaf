// update_workflow_state, the guard, and the project's todos.

import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { LOG, newTeam, readState, STATE, teamFiles, WAYS } from './support.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe.each(WAYS)('over %s', (_way, sit) => {
  test('an update reports the new state, and the file shows it', async () => {
    verifies('TEAM-12');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    expect(
      await a.says('update_workflow_state', {
        status: 'working',
        task: 'parse',
        addProgress: 'begun',
      }),
    ).toBe(
      'State updated successfully.\n  Status: working\n  Current task: parse\n  Added progress note: begun\n  Total progress notes: 1',
    );
    expect(await a.says('update_workflow_state', { status: 'working', extra: 1 })).toBe(
      'State updated successfully.\n  Status: working\n  Current task: parse\n  Total progress notes: 1',
    );
    expect(readState(project)).toMatchObject({
      status: 'working',
      task: 'parse',
      humanMessage: '',
      progress: [{ timestamp: TIME, agent: 'a', description: 'begun' }],
      messages: [],
      projectTodos: [],
    });
    expect(
      await a.says('update_workflow_state', { status: 'working', task: '', addProgress: '' }),
    ).toBe('State updated successfully.\n  Status: working\n  Total progress notes: 1');
    await a.says('update_workflow_state', { status: 'working', task: 'again' });
    expect(await a.says('update_workflow_state', { status: 'agent-done', task: 'ignored' })).toBe(
      'State updated successfully.\n  Status: agent-done\n  Total progress notes: 1',
    );
    expect(readState(project)).toMatchObject({ status: 'agent-done', task: '' });
    expect(await a.fails('update_workflow_state', { status: 'complete' })).toBe(
      "Error: Invalid status 'complete'. Must be one of: working, agent-done",
    );
    expect(await a.says('update_workflow_state', { addProgress: 'on the side' })).toBe(
      'State updated successfully.\n  Status: agent-done\n  Added progress note: on the side\n  Total progress notes: 2',
    );
    expect(readState(project).status).toBe('agent-done');
    expect(await a.says('update_workflow_state', { status: null })).toBe(
      'State updated successfully.\n  Status: agent-done\n  Total progress notes: 2',
    );
    const boss = await sit(project.root, 'coordinator');
    expect(await boss.says('update_workflow_state', { status: 'complete' })).toContain(
      '  Status: complete',
    );
    expect(await boss.fails('update_workflow_state', { status: 'waiting-for-human' })).toBe(
      "Error: Invalid status 'waiting-for-human'. Must be one of: working, agent-done, complete",
    );
  });

  test('no agent is done while todos are pending, and a refusal changes nothing', async () => {
    verifies('TEAM-13', 'TEAM-14');
    const project = newTeam();
    project.write(
      STATE,
      JSON.stringify({
        todos: [
          { id: '1', content: 'x', status: 'pending' },
          { id: '2', content: 'x', status: 'odd', agent: 'a' },
          { id: '3', content: 'x', status: 'pending', agent: 'b' },
          { id: '4', content: 'x', status: 'completed' },
        ],
      }),
    );
    const before = teamFiles(project);
    const a = await sit(project.root, 'a');
    const boss = await sit(project.root, 'coordinator');
    const refusal = (status: string, ...items: string[]) =>
      [
        `Error: Cannot transition to '${status}' with ${items.length} pending TODO items. Please complete all TODO items first.`,
        ...items,
      ].join('\n');
    const shared = "- x (pending; every agent's, in todos of .sgai/state.json)";
    const own = '- x (odd; yours, in todos of .sgai/state.json)';
    const done = { status: 'agent-done', addProgress: 'done' };
    expect(await a.fails('update_workflow_state', done)).toBe(refusal('agent-done', shared, own));
    expect(existsSync(project.path(LOG))).toBe(false);
    expect(teamFiles(project)).toEqual(before);

    const todo = (id: string, status: string, agent?: string) => ({
      id,
      content: `do ${id}`,
      status,
      priority: 'high',
      ...(agent === undefined ? {} : { agent }),
    });
    await boss.says('project_todowrite', {
      todos: [todo('1', 'pending', 'a'), todo('2', 'cancelled', 'a'), todo('3', 'in_progress')],
    });
    const kept = teamFiles(project);
    const unassigned = '- do 3 (in_progress; unassigned, in the project todos)';
    // It has no tool that could change this list.
    expect(await a.fails('update_workflow_state', done)).toBe(
      `${refusal('agent-done', shared, own, '- do 1 (pending; yours, in the project todos)')}\nNext: ask the coordinator with send_message to bring the project todos up to date; only it can change them.`,
    );
    expect(await boss.fails('update_workflow_state', done)).toBe(
      refusal('agent-done', shared, unassigned),
    );
    expect(await boss.fails('update_workflow_state', { status: 'complete' })).toBe(
      refusal('complete', shared, "- do 1 (pending; a's, in the project todos)", unassigned),
    );
    expect(teamFiles(project)).toEqual(kept);
    await boss.says('project_todowrite', { todos: [todo('1', 'completed', 'a')] });
    project.write(STATE, JSON.stringify({ ...readState(project), todos: [] }));
    expect(await a.says('update_workflow_state', done)).toContain('  Total progress notes: 1');
    expect(await boss.says('update_workflow_state', { status: 'complete' })).toContain('complete');
  });

  test('160 updates at once leave 160 notes', async () => {
    verifies('TEAM-15');
    const project = newTeam();
    const seats = await Promise.all(['a', 'b', 'c', 'd'].map((name) => sit(project.root, name)));
    const notes = await Promise.all(
      Array.from({ length: 160 }, (_, index) =>
        seats[index % seats.length]?.says('update_workflow_state', {
          status: 'working',
          addProgress: `note ${index}`,
        }),
      ),
    );
    const totals = notes.map((text) => Number(/notes: (\d+)/.exec(text ?? '')?.[1]));
    expect(totals.sort((a, b) => a - b)).toEqual(Array.from({ length: 160 }, (_, i) => i + 1));
    const kept = readState(project).progress.map(
      (note: { description: string }) => note.description,
    );
    expect(new Set(kept).size).toBe(160);
  });

  test('todos are replaced, counted and shown', async () => {
    verifies('TEAM-16');
    const project = newTeam();
    const boss = await sit(project.root, '');
    expect(await boss.says('project_todoread')).toBe('0 todos');
    const todos = ['pending', 'in_progress', 'completed', 'cancelled', 'whatever'].map(
      (status) => ({
        id: status,
        content: `is ${status}`,
        status,
        priority: 'low',
      }),
    );
    const shown = [
      '4 todos',
      '→ ○ is pending (low)',
      '→ ◐ is in_progress (low)',
      '→ ● is completed (low)',
      '→ ✕ is cancelled (low)',
      '→ ○ is whatever (low)',
    ].join('\n');
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
    expect(await boss.says('project_todowrite', { todos })).toBe(
      '3 todos\n→ ○ first (medium)\n→ ◐ second (medium)\n→ ○ third (high)',
    );
    expect(readState(project).projectTodos).toEqual([
      { id: '2', content: 'first', status: 'pending', priority: 'medium' },
      { id: '1', content: 'second', status: 'in_progress', priority: 'medium' },
      { id: '3', content: 'third', status: 'pending', priority: 'high', agent: 'a' },
    ]);
    const before = teamFiles(project);
    const wrong: [unknown, string][] = [
      [[todos[0], { id: 'x' }], 'todos[1].content: is required'],
      [[todos[0], todos[1], { content: 7 }], 'todos[2].content: expected string, received number'],
      [[{ content: 'x', agent: [] }], 'todos[0].agent: expected string, received array'],
      [['x'], 'todos[0]: expected object, received string'],
      [undefined, 'todos: is required'],
    ];
    for (const [given, problem] of wrong) {
      expect(await boss.fails('project_todowrite', { todos: given })).toBe(
        `Error: Invalid arguments: ${problem}`,
      );
    }
    expect(teamFiles(project)).toEqual(before);
  });
});
