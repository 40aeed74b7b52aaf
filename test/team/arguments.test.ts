// Unknown arguments of team tools: refused by name, by every tool but one.

import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { newTeam, readState, teamFiles, WAYS } from './support.ts';

/** Valid arguments for every tool of the coordinator except update_workflow_state. */
const RIGHT: Readonly<Record<string, Record<string, unknown>>> = {
  ask_user_question: { questions: [{ question: 'Which?', choices: ['A', 'B'] }] },
  check_inbox: {},
  check_outbox: {},
  find_skills: {},
  find_snippets: {},
  peek_message_bus: {},
  project_todoread: {},
  project_todowrite: { todos: [{ id: '1', content: 'Do it', status: 'pending', priority: 'low' }] },
  send_message: { toAgent: 'a', body: 'Hello' },
};

describe.each(WAYS)('over %s', (_way, sit) => {
  test.each(Object.keys(RIGHT))('%s refuses an unknown argument', async (tool) => {
    verifies('TEAM-4');
    const project = newTeam({ a: [] });
    const boss = await sit(project.root, 'coordinator');
    await boss.says('send_message', { toAgent: 'a', body: 'The first' });
    const before = teamFiles(project);
    for (const extra of ['extra', 'Body', 'constructor']) {
      const meant = Object.hasOwn(RIGHT[tool] ?? {}, 'body') && extra === 'Body';
      expect(await boss.fails(tool, { ...RIGHT[tool], [extra]: 'x' })).toBe(
        `Error: Invalid arguments: ${extra}: is not a parameter${meant ? "; did you mean 'body'?" : ''}`,
      );
    }
    expect(teamFiles(project)).toEqual(before);
  });

  test('update_workflow_state ignores unknown arguments, and does the rest', async () => {
    verifies('TEAM-4');
    const project = newTeam();
    const a = await sit(project.root, 'a');
    const extra = { extra: 1, progress: [], messages: 'all', todos: null };
    expect(
      await a.says('update_workflow_state', { status: 'working', addProgress: 'one', ...extra }),
    ).toBe(
      'State updated successfully.\n  Status: working\n  Added progress note: one\n  Total progress notes: 1',
    );
    const state = readState(project);
    expect(state).toMatchObject({ status: 'working', messages: [] });
    expect(state.progress).toHaveLength(1);
    expect(state).not.toHaveProperty('extra');
    expect(state).not.toHaveProperty('todos');
  });
});
