// One run in detail: its workflow with what was done of it, as it was at any event, the files that
// were handed in, and the same exported.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openProjectBoard } from '../../src/board/open-project-board.ts';
import { connect } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  commandIn,
  historyOf,
  newDemo,
  QUESTION,
  REPORT,
  runOf,
  start,
  statusOf,
} from './support.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** a accepted, b turned down once and then accepted. */
async function worked() {
  const project = newDemo();
  const agent = await connect(project.root);
  const id = await start(agent);
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'report.md' } });
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  const board = openProjectBoard({ projectRoot: project.root });
  return { project, agent, id, board };
}

test('the workflow of a run has every step with what was handed in and what was said', async () => {
  verifies('BOARD-2');
  const { id, agent, board } = await worked();
  const { workflow, events } = await board.run(id);
  expect(workflow.entries).toEqual(
    ['a', 'b', 'c'].map((step) => ({ kind: 'steps', steps: [step] })),
  );
  const [a, b, c] = workflow.steps;
  const states = workflow.steps.map(({ progress }) => progress.state);
  expect(states).toEqual(['accepted', 'accepted', 'current']);
  expect(a).toMatchObject({ name: 'Step a', instructions: 'Do a now.\n', rules: [], when: null });
  expect(b?.rules).toHaveLength(1);
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
  // What an agent has yet to have reviewed is neither accepted nor turned down.
  await agent.ok('finished_step', REPORT);
  const { run, workflow: later } = await board.run(id);
  expect(later.steps[2]?.progress).toMatchObject({
    state: 'current',
    submissions: [{ accepted: false, waits: true, said: [{ kind: 'review', waits: true }] }],
  });
  expect(run.refusals).toBe(1);
});

test('a run can be seen as it was after any of its events', async () => {
  verifies('BOARD-1');
  const { id, board } = await worked();
  const { run, workflow, events } = await board.runAt(id, 3);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  const last_feedback = expect.stringContaining('speak of the page');
  expect(run).toMatchObject({ step: 'b', refusals: 1, state: 'working', last_feedback });
  const states = workflow.steps.map(({ progress }) => progress.state);
  expect(states).toEqual(['accepted', 'failed', 'to_do']);
});

test('a run whose job is gone is still told', async () => {
  verifies('BOARD-2');
  const { project, id, board } = await worked();
  project.write('.deepwork/jobs/demo/job.yml', 'name: [');
  const { run, workflow } = await board.run(id);
  expect(run).toMatchObject({ step: 'c', position: { index: 3, of: 3 } });
  expect(workflow.steps).toMatchObject([
    { id: 'a', progress: { state: 'accepted' }, instructions: null },
    { id: 'b', progress: { state: 'accepted' }, instructions: null },
    { id: 'c', progress: { state: 'current' }, instructions: null },
  ]);
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

test('a question of its agent and the answer belong to the history of a run, and to its export', async () => {
  verifies('BOARD-2', 'BOARD-5');
  const project = newDemo();
  const agent = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'coordinator' } });
  const id = await start(agent);
  const asking = agent.call('ask_user_question', { questions: [QUESTION] });
  await until(async () => (await statusOf(project)).questions.length === 1);
  const [question] = (await statusOf(project)).questions;
  expect(question).toMatchObject({ id: 'q-1', session_id: id });
  expect((await runOf(project, id)).last_activity_at).toBe(question?.asked_at);
  const answer = ['answer', 'q-1', '--choose', 'That', '--other', 'till May'];
  expect(await commandIn(project, ...answer)).toMatchObject({ code: 0 });
  await asking;
  await agent.ok('abort_workflow', { explanation: 'enough' });
  const { questions, events } = await historyOf(project, id);
  expect(questions).toMatchObject([
    { id: 'q-1', asked_by: null, outcome: { kind: 'answered', answer: 'That, till May' } },
  ]);
  expect(events.map(({ type }) => type)).toEqual(['started', 'aborted']);
  const file = project.path('run.html');
  expect(await commandIn(project, 'export', id, '-o', file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('till May');
});

test('an export replaces an earlier one and nothing else', async () => {
  verifies('BOARD-5');
  const project = newDemo();
  await start(await connect(project.root));
  const write = async (file: string) =>
    (await commandIn(project, 'export', 'last', '-o', project.path(file))).code;
  expect([await write('run.html'), await write('run.html')]).toEqual([0, 0]);
  project.write('mine.html', 'precious');
  for (const file of ['mine.html', 'mine.html/x.html', 'nowhere/x.html', '.']) {
    expect(await write(file), file).not.toBe(0);
  }
  expect(readFileSync(project.path('mine.html'), 'utf8')).toBe('precious');
});
