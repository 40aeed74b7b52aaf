// An agent wants to stop: sent back while a step is open, let go when that does not help.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { claudeInput, hook, hookProcess } from '../support/hook.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const SESSION = 'conversation-1';
const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

function demo(): Project {
  const project = newProject();
  const steps = { a: { outputs: { report: 'file' } }, b: { outputs: { page: 'file' } } };
  writeJob(project, 'demo', steps, { main: ['a', 'b'] });
  project.write('report.md', 'x');
  project.write('page.md', 'x');
  return project;
}

function agentIn(project: Project, connectTo = connect): Promise<Connection> {
  return connectTo(project.root, { env: { CLAUDE_CODE_SESSION_ID: SESSION } });
}

const stop = (project: Project, session = SESSION) =>
  hook('stop', claudeInput(session, project.root), { cwd: project.root });

test('an agent with an open step is sent back with what is missing and how to hand it in', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const agent = await agentIn(project);
  await agent.ok('start_workflow', START);
  // Of nested runs it is the innermost.
  const { begin_step } = await agent.ok('start_workflow', { ...START, goal: 'Inner' });
  const id = begin_step.session_id;
  const { decision, reason } = await stop(project);
  expect(decision).toBe('block');
  expect(reason).toContain('- report (file, required)');
  expect(reason).toContain(`finished_step {"session_id":"${id}","outputs":{"report":"<path>"}}`);
});

test('after three reminders in a row the agent is let go, and an accepted step starts the count anew', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const agent = await agentIn(project);
  const { begin_step } = await agent.ok('start_workflow', START);
  const said = [];
  for (let nth = 0; nth < 3; nth++) said.push((await stop(project)).reason);
  expect(new Set(said).size).toBe(3);
  expect(await stop(project)).toBeNull();
  expect(await stop(project)).toBeNull();
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  expect((await stop(project)).decision).toBe('block');
  expect(historyOf(project, begin_step.session_id)).toEqual([
    ...['started', 'nudged', 'nudged', 'nudged', 'let_go', 'accepted', 'nudged'],
  ]);
});

test('a refused submission does not start the count anew', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const rules = [{ type: 'contains', value: 'yes', message: 'Say yes' }];
  const report = { type: 'file', description: 'R', required: true, rules };
  writeJob(project, 'demo', { a: { outputs: { report } } }, { main: ['a'] });
  const agent = await agentIn(project);
  await agent.ok('start_workflow', START);
  for (let nth = 0; nth < 3; nth++) {
    const { status } = await agent.ok('finished_step', { outputs: { report: 'report.md' } });
    expect(status).toBe('needs_work');
    expect((await stop(project)).reason).toContain(nth === 0 ? 'Say yes' : 'still open');
  }
  expect(await stop(project)).toBeNull();
});

test('a setting that a person trusts says how often', async () => {
  verifies('CLIENT-2');
  const project = demo();
  project.write('.deepwork/config.yml', 'git: { branch: off }\nclients: { max_nudges: 1 }\n');
  const agent = await agentIn(project);
  await agent.ok('start_workflow', START);
  // Not before: else a project could switch its own reminders off.
  expect((await stop(project)).reason).toContain('the work is not done');
  expect((await stop(project)).reason).toContain('Do not report this work as done');
  const trusting = { cwd: project.root, env: { DEEPWORK_TRUST: '1' } };
  expect(await hook('stop', claudeInput(SESSION, project.root), trusting)).toBeNull();
});

test('another conversation, another project and no open session are left alone', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const agent = await agentIn(project, connectToProcess);
  expect(await stop(project)).toBeNull();
  await agent.ok('start_workflow', START);
  expect(await stop(newProject())).toBeNull();
  // While it runs, the server would be known as a child of the same client.
  await agent.close();
  expect(await stop(project, 'another-conversation')).toBeNull();
  expect((await stop(project)).decision).toBe('block');
  const again = await agentIn(project);
  await again.ok('abort_workflow', { explanation: 'enough' });
  expect(await stop(project)).toBeNull();
});

test('an agent that waits for a person is let go', async () => {
  verifies('CLIENT-2');
  const project = demo();
  project.write(
    '.deepwork/config.yml',
    'git: { branch: off }\nquality_gate: { overrides: person }\nteam: { question_wait_seconds: 1 }\n',
  );
  writeJob(
    project,
    'demo',
    { a: { outputs: { report: 'file' }, reviews: [REVIEW] } },
    { main: ['a'] },
  );
  const agent = await agentIn(project);
  await agent.ok('start_workflow', START);
  expect((await stop(project)).decision).toBe('block');
  const question = { question: 'Which?', choices: ['this', 'that'] };
  await agent.call('ask_user_question', { questions: [question] });
  expect(await stop(project)).toBeNull();
});

test.each(['checks', 'reviews'])(
  'while %s run, the agent is told to call again, which uses up no reminder',
  async (kind) => {
    verifies('CLIENT-2');
    const project = demo();
    const outputs = { report: 'file' };
    const run = 'touch begun; while [ ! -e done ]; do sleep 0.05; done';
    const gate = kind === 'checks' ? { checks: [{ name: 'slow', run }] } : { reviews: [REVIEW] };
    writeJob(project, 'demo', { a: { outputs, ...gate }, b: {} }, { main: ['a', 'b'] });
    project.write('review.sh', `${run}\necho '{"passed": true, "feedback": "fine"}'`);
    const agent = await connectToProcess(project.root, {
      env: { CLAUDE_CODE_SESSION_ID: SESSION },
      args: ['--trust', '--quality-gate', 'sh review.sh'],
    });
    const { begin_step } = await agent.ok('start_workflow', START);
    const running = agent.ok('finished_step', { outputs: { report: 'report.md' } });
    await until(() => existsSync(project.path('begun')));
    for (let times = 0; times < 5; times++) {
      const { decision, reason } = await stop(project);
      expect({ decision, reason }).toEqual({
        decision: 'block',
        reason: expect.stringMatching(`${kind} .*still run.*Call finished_step again`),
      });
      expect(reason).not.toMatch('not done|still open');
    }
    project.write('done', '');
    expect((await running).status).toBe('next_step');
    expect((await stop(project)).reason).toContain("the work is not done. Step 'b'");
    const events = historyOf(project, begin_step.session_id);
    expect(events.filter((event) => event === 'nudged')).toHaveLength(1);
  },
);

test('checks that ended with their server hold no agent', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const checks = [{ name: 'slow', run: 'touch begun; exec sleep 60' }];
  writeJob(project, 'demo', { a: { outputs: { report: 'file' }, checks } }, { main: ['a'] });
  const env = { CLAUDE_CODE_SESSION_ID: SESSION };
  const agent = await connectToProcess(project.root, { env, args: ['--trust'] });
  await agent.ok('start_workflow', START);
  agent.ok('finished_step', { outputs: { report: 'report.md' } }).catch(() => {});
  await until(() => existsSync(project.path('begun')));
  expect((await stop(project)).reason).toContain('still run');
  process.kill(agent.pid, 'SIGKILL');
  await until(() => !isAlive(agent.pid));
  expect((await stop(project)).reason).toContain('the work is not done');
});

test('an agent that its client wakes again is let go', async () => {
  verifies('CLIENT-2');
  const project = demo();
  const agent = await agentIn(project);
  const { begin_step } = await agent.ok('start_workflow', START);
  const stopWith = (background_tasks: object[], session_crons: object[]) => {
    const more = { background_tasks, session_crons };
    return hook('stop', claudeInput(SESSION, project.root, more), { cwd: project.root });
  };
  const task = { id: 't1', type: 'shell', status: 'running', description: 'B', command: 'make' };
  const cron = { id: 'c1', schedule: '*/5 * * * *', recurring: false, prompt: 'Look again' };
  expect(await stopWith([task], [])).toBeNull();
  expect(await stopWith([], [cron])).toBeNull();
  expect(historyOf(project, begin_step.session_id)).toEqual(['started']);
  expect((await stopWith([], [])).decision).toBe('block');
});

test('after the client has cleared its context, its server is found by their common process', async () => {
  verifies('CLIENT-2');
  const project = demo();
  // The server is a child of this process, and so is the hook, as with a real client.
  const agent = await agentIn(project);
  const { begin_step } = await agent.ok('start_workflow', START);
  const { reason } = await hookProcess('stop', claudeInput('cleared', project.root), {
    cwd: project.root,
    env: { CLAUDE_PID: String(process.pid) },
  });
  expect(reason).toContain(begin_step.session_id);
});

function historyOf(project: Project, id: string): string[] {
  const view = readFileSync(project.path(`.deepwork/tmp/session_${id}.json`), 'utf8');
  return JSON.parse(view).history.map(({ event }: { event: string }) => event);
}
