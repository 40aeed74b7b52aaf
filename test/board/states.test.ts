// Each state of a run, seen by another process: the built command beside real servers.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { claudeInput, hook } from '../support/hook.ts';
import { newProject, type StepSpec, writeJob } from '../support/project.ts';
import { REVIEW_COMMAND, script } from '../support/reviewer.ts';
import { deepwork } from '../support/run-command.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { historyOf, newDemo, runOf, START, statusOf, textOf } from './support.ts';

const REPORT = { outputs: { report: 'report.md' } };

test('a live run shows where it is, and what its last submission was told', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'writer|opus' } });
  const { begin_step } = await agent.ok('start_workflow', START);
  expect(await runOf(project, begin_step.session_id)).toMatchObject({
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
  const refused = await runOf(project, begin_step.session_id);
  expect(refused).toMatchObject({ step: 'b', position: { index: 2, of: 3 }, refusals: 1 });
  expect(refused.last_feedback).toContain('It has to speak of the page');
  const text = await textOf(project, 'status');
  expect(text).toContain('working');
  expect(text).toContain('demo/main, step b (2 of 3)');
  expect(text).toMatch(/Last feedback: It has to speak of the page/);
});

test('nested runs stand below their parents, and ended ones at the end', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const short = { ...START, workflow_name: 'short' };
  const done = (await agent.ok('start_workflow', short)).begin_step.session_id;
  await agent.ok('finished_step', REPORT);
  const outer = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const inner = (await agent.ok('start_workflow', short)).begin_step.session_id;
  const given = (await agent.ok('start_workflow', short)).begin_step.session_id;
  await agent.ok('abort_workflow', { explanation: 'Not\nneeded' });
  const { runs } = await statusOf(project);
  expect(runs.map(({ session_id }) => session_id)).toEqual([outer, inner, given, done]);
  expect(runs[1]).toMatchObject({ parent_session_id: outer, state: 'working' });
  expect(runs[2]).toMatchObject({ status: 'aborted', state: null, last_feedback: 'Not\nneeded' });
  expect(runs[3]).toMatchObject({ status: 'completed', state: null, step: 'a' });
  const lines = (await textOf(project, 'status')).split('\n');
  expect(lines.find((line) => line.includes(outer))).toMatch(/^ {2}[0-9a-f]{8} /);
  expect(lines.find((line) => line.includes(inner))).toMatch(/^ {4}[0-9a-f]{8} /);
});

test('a run is orphaned when its process was killed', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await runOf(project, id)).state === 'orphaned');
  expect(await textOf(project, 'status')).toMatch(/Needs you\n.*agent gone/);
  // Looking has taken nothing over.
  expect((await runOf(project, id)).state).toBe('orphaned');
  // What status says a person can do about it.
  const abort = ['abort', id, '--reason', 'Gone'];
  expect(await command(abort, { cwd: project.root })).toMatchObject({ code: 0 });
  expect(await runOf(project, id)).toMatchObject({ status: 'aborted' });
});

test('a run is stalled when its agent was let go, with the reminders counted', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const session = 'conversation';
  const agent = await connect(project.root, { env: { CLAUDE_CODE_SESSION_ID: session } });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const stop = () => hook('stop', claudeInput(session, project.root), { cwd: project.root });
  for (let nth = 1; nth <= 3; nth++) expect((await stop()).decision).toBe('block');
  expect(await runOf(project, id)).toMatchObject({ state: 'working', nudges: 3 });
  expect(await stop()).toBeNull();
  expect(await runOf(project, id)).toMatchObject({ state: 'stalled', nudges: 3 });
  await agent.ok('finished_step', REPORT);
  expect(await runOf(project, id)).toMatchObject({ state: 'working', nudges: 3 });
});

test('the gate runs for everyone to see, from the beginning of a check to its verdict', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newProject({ 'report.md': 'x' });
  const run = 'while [ ! -e go ]; do sleep 0.05; done';
  const step = { outputs: { report: 'file' }, checks: [{ name: 'slow', run }] };
  writeJob(project, 'demo', { a: step, b: {} }, { main: ['a', 'b'] });
  const agent = await connect(project.root, { args: ['--trust'] });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const finishing = agent.ok('finished_step', REPORT);
  await until(async () => (await runOf(project, id)).state === 'gate_running');
  expect(await textOf(project, 'status')).toContain('being checked');
  project.write('go', '');
  expect((await finishing).status).toBe('next_step');
  expect(await runOf(project, id)).toMatchObject({ state: 'working', step: 'b' });
});

test('a gate whose process was killed does not run, and one that is given up stops at once', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newProject({ 'report.md': 'x' });
  const step = { outputs: { report: 'file' }, checks: [{ name: 'slow', run: 'sleep 60' }] };
  writeJob(project, 'demo', { a: step }, { main: ['a'] });
  const agent = await connectToProcess(project.root, { args: ['--trust'], closeAfterTest: false });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const given = new AbortController();
  const call = { name: 'finished_step', arguments: REPORT };
  agent.client.callTool(call, { signal: given.signal }).catch(() => {});
  await until(async () => (await runOf(project, id)).state === 'gate_running');
  given.abort();
  await until(async () => (await runOf(project, id)).state === 'working');
  agent.client.callTool(call).catch(() => {});
  await until(async () => (await runOf(project, id)).state === 'gate_running');
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await runOf(project, id)).state === 'orphaned');
});

test('a review that runs is a gate that runs', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  script(project, { hang: true });
  const agent = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  agent.client.callTool({ name: 'finished_step', arguments: REPORT }).catch(() => {});
  await until(async () => (await runOf(project, id)).state === 'gate_running');
  expect(await runOf(project, id)).toMatchObject({ step: 'c', attempts: 1 });
});

test('an item of a step without reviews has none to skip', async () => {
  verifies('BOARD-2');
  const project = newProject({ 'list.json': '["one"]\n', 'port.md': 'Ported\n' });
  const forEach = { name: 'each', items: 'list.list', step: 'port' };
  const workflow = { name: 'main', summary: 'All', steps: ['list', { for_each: forEach }] };
  const steps: Record<string, StepSpec> = {
    list: { outputs: { list: 'file' } },
    port: { outputs: { port: 'file' } },
  };
  writeJob(project, 'demo', steps, {}, { workflows: [workflow] });
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', { outputs: { list: 'list.json' } });
  const reasoned = { outputs: { port: 'port.md' }, quality_review_override_reason: 'Small' };
  expect((await agent.ok('finished_step', reasoned)).status).toBe('workflow_complete');
  expect(await runOf(project, id)).toMatchObject({ status: 'completed', overrides: 0 });
  expect(await textOf(project, 'history', id)).not.toContain('skipped');
});

test('a run waits for a person while its override is undecided, and says how to answer', async () => {
  verifies('BOARD-2');
  const project = newDemo({
    quality_gate: { overrides: 'person' },
    team: { question_wait_seconds: 1 },
  });
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', REPORT);
  await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  const override = { ...REPORT, quality_review_override_reason: 'It is only a draft' };
  expect(await agent.ok('finished_step', override)).toMatchObject({ reason: 'waiting_for_person' });
  const board = await statusOf(project);
  expect(board.runs[0]).toMatchObject({ state: 'waiting_for_person', questions: ['q-1'] });
  expect(board.questions).toMatchObject([{ id: 'q-1', kind: 'override', session_id: id }]);
  const text = await textOf(project, 'status');
  expect(text.indexOf('Needs you')).toBeLessThan(text.indexOf(id));
  expect(text).not.toContain('Running');
  expect(text).toContain('deepwork answer q-1');
  const answer = ['answer', 'q-1', '--choose', 'Grant', '--by', 'ann', '--path', project.root];
  expect(await command(answer, { cwd: project.root })).toMatchObject({ code: 0 });
  expect(await runOf(project, id)).toMatchObject({ state: 'working', questions: [] });
  expect((await agent.ok('finished_step', override)).status).toBe('workflow_complete');
  expect(await runOf(project, id)).toMatchObject({ status: 'completed', overrides: 1 });
  const told = (await textOf(project, 'history', id)).replace(/\s+/g, ' ');
  expect(told).toContain("Reviews of 'c' were skipped, granted by ann (q-1");
});

test('a question of an agent holds up the run on top of its stack, and no other', async () => {
  verifies('BOARD-2');
  const project = newDemo({ team: { question_wait_seconds: 1 } });
  const agent = await connect(project.root);
  const other = await connect(project.root, { env: { SGAI_AGENT_IDENTITY: 'reader' } });
  const below = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const top = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const beside = (await other.ok('start_workflow', START)).begin_step.session_id;
  const question = { question: 'Which one?', choices: ['This', 'That'], multiSelect: false };
  await agent.call('ask_user_question', { questions: [question] });
  const { runs, questions } = await statusOf(project);
  const stateOf = (id: string) => runs.find(({ session_id }) => session_id === id)?.state;
  expect([below, top, beside].map(stateOf)).toEqual(['working', 'waiting_for_person', 'working']);
  expect(questions).toMatchObject([
    { kind: 'question', asked_by: 'coordinator', session_id: top, text: 'Which one?' },
  ]);
});

test('a run whose agent asked and is gone waits for a person, before runs that nobody asks about', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newDemo({ team: { question_wait_seconds: 1 } });
  const agents = [
    await connectToProcess(project.root, { closeAfterTest: false }),
    await connectToProcess(project.root, { closeAfterTest: false }),
  ] as const;
  const ids: string[] = [];
  for (const agent of agents) {
    ids.push((await agent.ok('start_workflow', START)).begin_step.session_id);
  }
  const question = { question: 'Which one?', choices: ['This', 'That'], multiSelect: false };
  await agents[0].call('ask_user_question', { questions: [question] });
  for (const { pid } of agents) process.kill(pid, 'SIGKILL');
  await until(async () => (await runOf(project, ids[1] ?? '')).state === 'orphaned');
  const { runs, questions } = await statusOf(project);
  expect(runs.map(({ session_id, state }) => [session_id, state])).toEqual([
    [ids[0], 'waiting_for_person'],
    [ids[1], 'orphaned'],
  ]);
  expect(questions).toMatchObject([{ id: 'q-1', session_id: ids[0] }]);
  const answer = ['answer', 'q-1', '--choose', 'This', '--by', 'ann'];
  expect(await command(answer, { cwd: project.root })).toMatchObject({ code: 0 });
  expect(await runOf(project, ids[0] ?? '')).toMatchObject({ state: 'orphaned', questions: [] });
});

test('a question of one client does not hide that others are gone', async () => {
  verifies('BOARD-1', 'BOARD-2');
  const project = newDemo({ team: { question_wait_seconds: 1 } });
  const agents = [
    await connectToProcess(project.root, { closeAfterTest: false }),
    await connectToProcess(project.root, { closeAfterTest: false }),
  ];
  const dead: string[] = [];
  for (const agent of agents) {
    dead.push((await agent.ok('start_workflow', START)).begin_step.session_id);
  }
  for (const { pid } of agents) process.kill(pid, 'SIGKILL');
  await until(() => !agents.some(({ pid }) => isAlive(pid)));
  const asker = await connect(project.root);
  const question = { question: 'Which one?', choices: ['This', 'That'], multiSelect: false };
  await asker.call('ask_user_question', { questions: [question] });
  const { runs, questions } = await statusOf(project);
  expect(runs.map(({ session_id, state }) => [session_id, state]).sort()).toEqual(
    dead.map((id) => [id, 'orphaned']).sort(),
  );
  expect(questions).toMatchObject([{ id: 'q-1', session_id: null }]);
  const answer = ['answer', 'q-1', '--choose', 'This', '--other', 'soon', '--by', 'ann'];
  expect(await command(answer, { cwd: project.root })).toMatchObject({ code: 0 });
  const { stdout } = await command(['answer'], { cwd: project.root });
  expect(stdout).toMatch(
    /No open questions.*Answered last:\n {2}q-1 {2}Which one\?\n {4}This, soon\n {4}by ann, (to|yester)day \d\d:\d\d\n/s,
  );
});

test('an agent that calls from a terminal without a name is no agent of that name', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const call = ['call', 'start_workflow', '--json', JSON.stringify(START)];
  const env = { CLAUDECODE: '1' };
  expect(await deepwork(call, { cwd: project.root, env })).toMatchObject({ code: 0 });
  const { runs } = await statusOf(project);
  expect(runs).toMatchObject([{ agent: null, at_terminal: true }]);
  const text = await textOf(project, 'status');
  expect(text).toContain('from a terminal');
  expect(text).not.toContain('without a name');
});

test('a run by deepwork call is one from a terminal', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const call = ['call', 'start_workflow', '--json', JSON.stringify(START)];
  expect(await deepwork(call, { cwd: project.root })).toMatchObject({ code: 0 });
  const { runs } = await statusOf(project);
  expect(runs).toMatchObject([{ agent: null, at_terminal: true }]);
  expect(await textOf(project, 'status')).toContain('from a terminal');
  const abort = ['call', 'abort_workflow', '--session_id', runs[0]?.session_id ?? ''];
  const ran = await deepwork([...abort, '--explanation', 'No'], { cwd: project.root });
  expect(ran).toMatchObject({ code: 0 });
  expect((await historyOf(project, 'last')).events.at(-1)?.text).toBe('Aborted: No');
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
  const goOn = async (label: string): Promise<string> => {
    const status = (await textOf(project, 'status')).replace(/\s+/g, ' ');
    const [, printed = status] = new RegExp(`${label}: deepwork (.*?) Or abort`).exec(status) ?? [];
    const words = printed.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
    const ran = await deepwork(words, { cwd: project.root });
    expect(ran, printed).toMatchObject({ code: 0 });
    return printed.replace(/^.*?--session_id \w+ /, '');
  };
  expect(await goOn('To hand it in')).toBe("--outputs '{}'");
  expect(await goOn('To hand it in')).toBe('--outputs facts=FILE');
  expect((await statusOf(project)).runs).toMatchObject([{ waits_at: 'approve' }]);
  const answered = ['answer', 'q-1', 'Approve', '--by', 'Ada'];
  expect(await command(answered, { cwd: project.root })).toMatchObject({ code: 0 });
  expect((await statusOf(project)).runs).toMatchObject([{ waits_at: 'answered' }]);
  const status = (await textOf(project, 'status')).replace(/\s+/g, ' ');
  expect(status).toContain('Last feedback: Ada answered q-1: Approve. The next call of');
  expect(status).not.toContain('To wait for the approval');
  expect(await goOn('To go on')).toBe("--outputs '{}'");
  expect(await goOn('To hand it in')).toBe("--outputs 'migrate#1.diff=FILE'");
  expect(await goOn('To hand it in')).toBe("--step_id draft --outputs '{}'");
  expect(await goOn('To hand it in')).toBe('--outputs image=FILE');
  expect((await statusOf(project)).runs).toMatchObject([{ status: 'completed' }]);
});
