// An agent has one name for people, wherever they read of it: a client that gave none is the
// coordinator of its team, and just the agent where no other is around.

import { expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { deepwork } from '../support/run-command.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { historyOf, newDemo, runOf, START, statusOf, textOf } from './support.ts';

const REPORT = { outputs: { report: 'report.md' } };
const QUESTION = { question: 'Which one?', choices: ['This', 'That'], multiSelect: false };

test('a client without a name is the coordinator of its team, in runs, questions and histories', async () => {
  verifies('BOARD-2');
  const project = newDemo({ team: { question_wait_seconds: 1, agents: [{ name: 'writer' }] } });
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  const id = (await first.ok('start_workflow', START)).begin_step.session_id;
  process.kill(first.pid, 'SIGKILL');
  await until(() => !isAlive(first.pid));
  const agent = await connect(project.root, { args: ['--agent', 'coordinator'] });
  await agent.ok('finished_step', { ...REPORT, session_id: id });
  await agent.call('ask_user_question', { questions: [QUESTION] });

  const board = await statusOf(project);
  expect(board.runs).toMatchObject([{ session_id: id, agent: 'coordinator' }]);
  expect(board.questions).toMatchObject([{ asked_by: 'coordinator', session_id: id }]);
  const status = await textOf(project, 'status');
  expect(status).toContain('coordinator asked');
  expect(status).toContain('coordinator, started');
  expect(status).toContain('coordinator: demo/main: b');

  const { run, events } = await historyOf(project, id);
  expect(run.agent).toBe('coordinator');
  expect(new Set(events.map(({ by }) => by))).toEqual(new Set(['coordinator']));
  const history = await textOf(project, 'history', id);
  expect(history).toContain('Taken over by coordinator');
  expect(history).toContain('by coordinator');
  expect(status + history).not.toMatch(/without a name/);
});

test('the only agent of a project needs no name', async () => {
  verifies('BOARD-2');
  const project = newDemo({ team: { question_wait_seconds: 1 } });
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  const id = (await first.ok('start_workflow', START)).begin_step.session_id;
  process.kill(first.pid, 'SIGKILL');
  await until(() => !isAlive(first.pid));
  const agent = await connect(project.root);
  await agent.ok('finished_step', REPORT);
  await agent.call('ask_user_question', { questions: [QUESTION] });
  expect(await runOf(project, id)).toMatchObject({ agent: null });
  const status = await textOf(project, 'status');
  expect(status).toContain('The agent asked');
  expect(status).toMatch(/^ +started just now|^ +started \d+ s ago/m);
  const history = await textOf(project, 'history', id);
  expect(history).toContain('Taken over by a restarted agent');
  expect(history).toContain('The agent asked q-1');
  expect(status + history).not.toMatch(/without a name|coordinator/);
});

test('a person who goes on with a run from a terminal is not taken for an agent', async () => {
  verifies('BOARD-2');
  const project = newDemo({ team: { agents: [{ name: 'writer' }] } });
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  process.kill(agent.pid, 'SIGKILL');
  await until(() => !isAlive(agent.pid));
  const call = ['call', 'finished_step', '--session_id', id, '--outputs', 'report=report.md'];
  expect(await deepwork(call, { cwd: project.root })).toMatchObject({ code: 0 });
  expect(await runOf(project, id)).toMatchObject({ agent: null, at_terminal: true });
  expect(await textOf(project, 'history', id)).toContain('Taken over from a terminal');
});
