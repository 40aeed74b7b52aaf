// Each state of a run, seen by another process: the built command beside real servers.

import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { TEAM_RUNS } from '../../src/core/run/streams.ts';
import { openWorkspace } from '../../src/engine/workspace.ts';
import { connect, connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { claudeInput, hook } from '../support/hook.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import { REVIEW_COMMAND, script } from '../support/reviewer.ts';
import { deepwork } from '../support/run-command.ts';
import { isAlive } from '../support/server-process.ts';
import { teamRunStarted } from '../support/team-run.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  commandIn,
  finishedRun,
  historyOf,
  newDemo,
  QUESTION,
  REPORT,
  runOf,
  SHORT,
  START,
  start,
  statusOf,
  textOf,
} from './support.ts';

const ASKING = { team: { question_wait_seconds: 1 } };

const isIn = (project: Project, id: string, state: string) =>
  until(async () => (await runOf(project, id)).state === state);

async function kill(agent: ProcessConnection): Promise<void> {
  process.kill(agent.pid, 'SIGKILL');
  await until(() => !isAlive(agent.pid));
}

test('a live run shows where it is, and what its last submission was told', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'writer|opus' } });
  const id = await start(agent);
  expect(await runOf(project, id)).toMatchObject({
    workflow: 'demo/main',
    goal: 'Get it done',
    agent: 'writer|opus',
    status: 'active',
    state: 'working',
    step: 'a',
    position: { index: 1, of: 3 },
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
  });
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'report.md' } });
  const refused = await runOf(project, id);
  expect(refused).toMatchObject({ step: 'b', position: { index: 2, of: 3 }, refusals: 1 });
  expect(refused.last_feedback).toContain('It has to speak of the page');
});

test('nested runs stand below their parents, and ended ones at the end', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const [done] = await finishedRun(project);
  const agent = await connect(project.root);
  const outer = await start(agent);
  const inner = await start(agent, SHORT);
  const given = await start(agent, SHORT);
  await agent.ok('abort_workflow', { explanation: 'Not\nneeded' });
  const { runs } = await statusOf(project);
  expect(runs).toMatchObject([
    { session_id: outer },
    { session_id: inner, parent_session_id: outer, state: 'working' },
    { session_id: given, status: 'aborted', state: null, last_feedback: 'Not\nneeded' },
    { session_id: done, status: 'completed', state: null, step: 'a' },
  ]);
  const lines = (await textOf(project, 'status')).split('\n');
  const indent = (id: string) => lines.find((line) => line.includes(id))?.search(/\S/);
  expect([indent(outer), indent(inner)]).toEqual([2, 4]);
});

test('of all runs that have ended, of workflows and of teams, the last ten are listed', async () => {
  verifies('BOARD-1');
  const project = newDemo();
  const finished = await finishedRun(project, { depth: 6 });
  const workspace = openWorkspace({ projectRoot: project.root });
  const at = '2026-01-05T09:00:00.000Z';
  const stopped: RunEvent = {
    type: 'run_stopped',
    at,
    data: { reason: 'complete', detail: 'Everything is done' },
  };
  for (let number = 1; number <= 6; number++) {
    const id = `0000000${number}`;
    await workspace.journal.append(TEAM_RUNS + id, 0, teamRunStarted(id, at));
    await workspace.journal.append(TEAM_RUNS + id, 1, stopped);
  }
  await workspace.close();
  const { runs } = await statusOf(project);
  expect(runs).toHaveLength(10);
  const listed = runs.map(({ session_id }) => session_id);
  expect(listed).toEqual(expect.arrayContaining(finished));
  expect((await statusOf(project, '--all')).runs).toHaveLength(12);
});

test('a run is stalled when its agent was let go, with the reminders counted', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const session = 'conversation';
  const agent = await connect(project.root, { env: { CLAUDE_CODE_SESSION_ID: session } });
  const id = await start(agent);
  const stop = () => hook('stop', claudeInput(session, project.root), { cwd: project.root });
  for (let nth = 1; nth <= 3; nth++) expect((await stop()).decision).toBe('block');
  expect(await runOf(project, id)).toMatchObject({ state: 'working', nudges: 3 });
  expect(await stop()).toBeNull();
  expect(await runOf(project, id)).toMatchObject({ state: 'stalled', nudges: 3 });
  await agent.ok('finished_step', REPORT);
  expect(await runOf(project, id)).toMatchObject({ state: 'working', nudges: 3 });
});

test('a gate runs from the beginning of a check to its verdict, its being given up or its end', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newProject({ 'report.md': 'x' });
  const run = 'while [ ! -e go ]; do sleep 0.05; done';
  const step: StepSpec = { outputs: { report: 'file' }, checks: [{ name: 'slow', run }] };
  writeJob(project, 'demo', { a: step, b: step }, { main: ['a', 'b'] });
  const agent = await connectToProcess(project.root, { args: ['--trust'], closeAfterTest: false });
  const id = await start(agent);
  const call = { name: 'finished_step', arguments: REPORT };
  const given = new AbortController();
  agent.client.callTool(call, { signal: given.signal }).catch(() => {});
  await isIn(project, id, 'gate_running');
  given.abort();
  await isIn(project, id, 'working');
  const finishing = agent.ok('finished_step', REPORT);
  await isIn(project, id, 'gate_running');
  project.write('go', '');
  await finishing;
  expect(await runOf(project, id)).toMatchObject({ state: 'working', step: 'b' });
  rmSync(project.path('go'));
  agent.client.callTool(call).catch(() => {});
  await isIn(project, id, 'gate_running');
  await kill(agent);
  await isIn(project, id, 'orphaned');
});

test('a review that runs is a gate that runs', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  script(project, { hang: true });
  const agent = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
  const id = await start(agent);
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  agent.client.callTool({ name: 'finished_step', arguments: REPORT }).catch(() => {});
  await isIn(project, id, 'gate_running');
  expect(await runOf(project, id)).toMatchObject({ step: 'c', attempts: 1 });
});

test('a run waits for a person while its override is undecided, and says how to answer', async () => {
  verifies('BOARD-2');
  const project = newDemo({ quality_gate: { overrides: 'person' }, ...ASKING });
  const agent = await connect(project.root);
  const id = await start(agent);
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  const override = { ...REPORT, quality_review_override_reason: 'It is only a draft' };
  expect(await agent.ok('finished_step', override)).toMatchObject({ reason: 'waiting_for_person' });
  const board = await statusOf(project);
  expect(board.runs[0]).toMatchObject({ state: 'waiting_for_person', questions: ['q-1'] });
  expect(board.questions).toMatchObject([{ id: 'q-1', kind: 'override', session_id: id }]);
  expect(await textOf(project, 'status')).toContain('deepwork answer q-1');
  const answer = ['answer', 'q-1', '--choose', 'Grant', '--by', 'ann'];
  expect(await commandIn(project, ...answer)).toMatchObject({ code: 0 });
  expect(await runOf(project, id)).toMatchObject({ state: 'working', questions: [] });
  expect((await agent.ok('finished_step', override)).status).toBe('workflow_complete');
  expect(await runOf(project, id)).toMatchObject({ status: 'completed', overrides: 1 });
});

test('a question of an agent holds up the run on top of its stack, and no other', async () => {
  verifies('BOARD-2');
  const project = newDemo(ASKING);
  const agent = await connect(project.root);
  const other = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'reader' } });
  const [below, top] = [await start(agent), await start(agent)];
  const beside = await start(other);
  await agent.call('ask_user_question', { questions: [QUESTION] });
  const { runs, questions } = await statusOf(project);
  const stateOf = (id: string) => runs.find(({ session_id }) => session_id === id)?.state;
  expect([below, top, beside].map(stateOf)).toEqual(['working', 'waiting_for_person', 'working']);
  expect(questions).toMatchObject([
    { kind: 'question', asked_by: 'coordinator', session_id: top, text: 'Which one?' },
  ]);
});

test('a run whose agent is gone is orphaned, but first waits for a person whom it has asked', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newDemo(ASKING);
  const open = () => connectToProcess(project.root, { closeAfterTest: false });
  const agents = [await open(), await open()] as const;
  const [asking, other] = [await start(agents[0]), await start(agents[1])];
  await agents[0].call('ask_user_question', { questions: [QUESTION] });
  await Promise.all(agents.map(kill));
  const states = async () =>
    (await statusOf(project)).runs.map(({ session_id, state }) => [session_id, state]);
  expect(await states()).toEqual([
    [asking, 'waiting_for_person'],
    [other, 'orphaned'],
  ]);
  await commandIn(project, 'answer', 'q-1', '--choose', 'This');
  expect(await runOf(project, asking)).toMatchObject({ state: 'orphaned', questions: [] });
  // A question of one client does not hide that others are gone.
  const asker = await connect(project.root);
  const another = { ...QUESTION, question: 'And now?' };
  await asker.call('ask_user_question', { questions: [another] });
  expect((await states()).map(([, state]) => state)).toEqual(['orphaned', 'orphaned']);
  expect((await statusOf(project)).questions).toMatchObject([{ id: 'q-2', session_id: null }]);
  // Looking has taken nothing over; a person can end it.
  expect(await commandIn(project, 'abort', other, '--reason', 'Gone')).toMatchObject({ code: 0 });
  expect(await runOf(project, other)).toMatchObject({ status: 'aborted' });
});

test('a client without a name is the coordinator of its team, and just the agent without one', async () => {
  verifies('BOARD-2');
  for (const named of [true, false]) {
    const agents = named ? [{ name: 'writer' }] : [];
    const project = newDemo({ team: { ...ASKING.team, ...(named && { agents }) } });
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = await start(first);
    await kill(first);
    const agent = await connect(project.root);
    await agent.ok('finished_step', { ...REPORT, session_id: id });
    await agent.call('ask_user_question', { questions: [QUESTION] });
    const name = named ? 'coordinator' : null;
    const board = await statusOf(project);
    expect(board.runs).toMatchObject([{ session_id: id, agent: name }]);
    expect(board.questions).toMatchObject([{ asked_by: name, session_id: id }]);
    const { events } = await historyOf(project, id);
    expect(new Set(events.map(({ by }) => by))).toEqual(new Set([name]));
  }
});

test('whoever calls from a terminal is no agent, be it a person or an agent without a name', async () => {
  verifies('BOARD-2');
  const project = newDemo({ team: { agents: [{ name: 'writer' }] } });
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const id = await start(agent);
  await kill(agent);
  const options = { cwd: project.root };
  const finish = ['call', 'finished_step', '--session_id', id, '--outputs', 'report=report.md'];
  expect(await deepwork(finish, options)).toMatchObject({ code: 0 });
  const call = ['call', 'start_workflow', '--json', JSON.stringify(START)];
  const env = { CLAUDECODE: '1' };
  expect(await deepwork(call, { ...options, env })).toMatchObject({ code: 0 });
  const terminal = { agent: null, at_terminal: true };
  expect((await statusOf(project)).runs).toMatchObject([terminal, terminal]);
});

test('status prints commands that continue a run from a terminal as they are', async () => {
  verifies('BOARD-2');
  const project = newProject({
    '.deepwork/config.yml': 'git: {branch: off}\nteam: {question_wait_seconds: 1}\n',
    FILE: '["one"]\n',
  });
  const approve = { name: 'go_ahead', question: 'Is the list right?', show: ['plan.facts'] };
  const each = { name: 'each', items: 'plan.facts', step: 'migrate' };
  const steps: Record<string, StepSpec> = {
    look: {},
    plan: { outputs: { facts: 'file' } },
    migrate: { outputs: { diff: 'file' } },
    draft: {},
    draw: { outputs: { image: 'file' } },
  };
  const entries = ['look', 'plan', { approve }, { for_each: each }, ['draft', 'draw']];
  const workflow = { name: 'main', summary: 'All of it', steps: entries };
  writeJob(project, 'demo', steps, {}, { workflows: [workflow] });
  const call = ['call', 'start_workflow', '--json', JSON.stringify(START)];
  expect(await deepwork(call, { cwd: project.root })).toMatchObject({ code: 0 });
  /** Types the command that status prints; returns what it has for its outputs. */
  const goOn = async (): Promise<string> => {
    const status = (await textOf(project, 'status')).replace(/\s+/g, ' ');
    const [, printed = status] = /deepwork (call finished_step .*?) Or abort/.exec(status) ?? [];
    const words = printed.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
    const ran = await deepwork(words, { cwd: project.root });
    expect(ran, printed).toMatchObject({ code: 0 });
    return printed.replace(/^.*?--session_id \w+ /, '');
  };
  expect(await goOn()).toBe("--outputs '{}'");
  expect(await goOn()).toBe('--outputs facts=FILE');
  expect((await statusOf(project)).runs).toMatchObject([{ waits_at: 'approve' }]);
  expect(await commandIn(project, 'answer', 'q-1', 'Approve')).toMatchObject({ code: 0 });
  expect((await statusOf(project)).runs).toMatchObject([{ waits_at: 'answered' }]);
  expect(await goOn()).toBe("--outputs '{}'");
  expect(await goOn()).toBe("--outputs 'migrate#1.diff=FILE'");
  expect(await goOn()).toBe("--step_id draft --outputs '{}'");
  expect(await goOn()).toBe('--outputs image=FILE');
  expect((await statusOf(project)).runs).toMatchObject([{ status: 'completed' }]);
});
