// One run in detail: its workflow with what was done of it, as it was at any event, and the files
// that were handed in.

import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openProjectBoard } from '../../src/board/open-project-board.ts';
import { connect } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { newDemo, START, textOf } from './support.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** a accepted, b turned down once and then accepted. */
async function worked() {
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id as string;
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  await agent.ok('finished_step', { outputs: { page: 'report.md' } });
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  const board = openProjectBoard({ projectRoot: project.root });
  return { project, agent, id, board };
}

test('the workflow of a run has every step with what was handed in and what was said', async () => {
  verifies('BOARD-2');
  const { id, board } = await worked();
  const { workflow, events } = await board.run(id);
  expect(workflow.entries).toEqual(
    ['a', 'b', 'c'].map((step) => ({ kind: 'steps', steps: [step] })),
  );
  const [a, b, c] = workflow.steps;
  expect([a, b, c].map((step) => step?.progress.state)).toEqual([
    'accepted',
    'accepted',
    'current',
  ]);
  expect(a).toMatchObject({ name: 'Step a', instructions: 'Do a now.\n', rules: [], when: null });
  expect(b?.rules).toEqual(['It has to speak of the page']);
  expect(c?.reviews).toHaveLength(1);
  expect(b?.progress.submissions).toMatchObject([
    {
      seq: 3,
      accepted: false,
      outputs: { page: ['report.md'] },
      files: { 'report.md': hashOf('The report.\n') },
      said: [{ kind: 'rules', passed: false, text: expect.stringContaining('speak of the page') }],
    },
    { seq: 4, accepted: true, outputs: { page: ['page.md'] }, said: [] },
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test('what an agent has yet to have reviewed is neither accepted nor turned down', async () => {
  verifies('BOARD-2');
  const { project, id, agent, board } = await worked();
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const { workflow } = await board.run(id);
  const [submission] = workflow.steps[2]?.progress.submissions ?? [];
  expect(submission).toMatchObject({
    accepted: false,
    waits: true,
    said: [{ kind: 'review', waits: true }],
  });
  expect(workflow.steps[2]?.progress.state).toBe('current');
  const drawn = await textOf(project, 'graph', id);
  expect(drawn.match(/turned down once/g)).toHaveLength(1);
  // b's first submission.
  expect((await board.run(id)).run.refusals).toBe(1);
});

test('a run can be seen as it was after any of its events', async () => {
  verifies('BOARD-1');
  const { id, board } = await worked();
  const at = async (seq: number) => {
    const { run, workflow, events } = await board.runAt(id, seq);
    expect(events).toHaveLength(seq);
    expect(run.last_activity_at).toBe(events.at(-1)?.at);
    return { ...run, states: workflow.steps.map(({ progress }) => progress.state) };
  };
  expect(await at(1)).toMatchObject({ step: 'a', states: ['current', 'to_do', 'to_do'] });
  expect(await at(2)).toMatchObject({ step: 'b', refusals: 0 });
  expect(await at(3)).toMatchObject({
    step: 'b',
    refusals: 1,
    state: 'working',
    states: ['accepted', 'failed', 'to_do'],
    last_feedback: expect.stringContaining('speak of the page'),
  });
  expect(await at(4)).toMatchObject({ step: 'c', refusals: 1, last_feedback: null });
});

test('a run whose job is gone is still told', async () => {
  verifies('BOARD-2');
  const { project, id, board } = await worked();
  project.write('.deepwork/jobs/demo/job.yml', 'name: [');
  const { run, workflow } = await board.run(id);
  expect(run).toMatchObject({ step: 'c', position: { index: 3, of: 3 } });
  expect(workflow.steps.map((step) => [step.id, step.progress.state, step.instructions])).toEqual([
    ['a', 'accepted', null],
    ['b', 'accepted', null],
    ['c', 'current', null],
  ]);
});

test('a file is found by the hash of what was handed in, and by nothing else', async () => {
  verifies('BOARD-2');
  const { project, id, board } = await worked();
  const page = hashOf('The page.\n');
  expect(await board.submittedFile(id, page)).toEqual({
    kind: 'same',
    path: 'page.md',
    text: 'The page.\n',
  });
  project.write('page.md', 'Something else');
  expect(await board.submittedFile(id, page)).toEqual({
    kind: 'changed',
    path: 'page.md',
    text: 'Something else',
  });
  project.write('secret.md', 'Secret');
  expect(await board.submittedFile(id, hashOf('Secret'))).toEqual({ kind: 'unknown' });
  expect(await board.submittedFile(id, '../secret.md')).toEqual({ kind: 'unknown' });
});

test('a watcher is called with each stream that changed, and its last event', async () => {
  verifies('BOARD-2');
  const { agent, id, board } = await worked();
  const seen: [string, number | null][] = [];
  onTestFinished(board.watch((stream, seq) => void seen.push([stream, seq])));
  // Watching begins when the store is known, which what is read next waits for, too.
  await board.run(id);
  await agent.ok('go_to_step', { step_id: 'a' });
  await until(() => seen.some(([stream, seq]) => stream === `session/${id}` && seq === 5));
  expect((await board.run(id)).run.step).toBe('a');
});
