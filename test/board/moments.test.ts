// An exported run shows at each event what the board says of the run as it was then.

import { expect, test } from 'vitest';
import { momentsOf } from '../../src/board/export/moments.ts';
import { openProjectBoard } from '../../src/board/open-project-board.ts';
import { connect } from '../support/connect.ts';
import { verifies } from '../verifies.ts';
import { newRecords } from './records.ts';

test('every moment has the states that the run had after that event', async () => {
  verifies('BOARD-5');
  const project = newRecords();
  const server = await connect(project.root);
  await server.ok('start_workflow', { goal: 'x', job_name: 'demo', workflow_name: 'main' });
  await server.ok('finished_step', { outputs: { one: 'a.md' } });
  await server.ok('go_to_step', { step_id: 'a' });
  await server.ok('finished_step', { outputs: { one: 'b.md' } });
  await server.ok('finished_step', { outputs: { two: 'b.md' } });
  await server.close();
  const board = openProjectBoard({ projectRoot: project.root });
  const detail = await board.run('last');
  let states = {};
  const shown = momentsOf(detail).map((moment) => {
    states = { ...states, ...moment.states };
    return states;
  });
  expect(shown).toHaveLength(5);
  for (const [index, at] of shown.entries()) {
    const { workflow } = await board.runAt('last', index + 1);
    const expected = Object.fromEntries(
      workflow.steps.map((step) => [step.id, step.progress.state]),
    );
    expect([index, at]).toEqual([index, expected]);
  }
});
