// Reviewers that hang, flood, die or are cancelled, and servers that die under them: no process
// survives, nothing is half done, and no attempt is used up.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { isRunning, PASS, REVIEW_COMMAND, type Scene, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];
const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

function reviewed(...scenes: Scene[]): Project {
  const project = newProject({ 'report.md': 'The report.\n' });
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, reviews: [REVIEW] }, after: {}, last: {} },
    { main: ['write', 'after', 'last'] },
  );
  script(project, ...scenes);
  return project;
}

function configure(project: Project, settings: Record<string, unknown>): void {
  project.write(
    '.deepwork/config.yml',
    JSON.stringify({ git: { branch: 'off' }, quality_gate: settings }),
  );
}

/** Everything the stand-in started, including itself. */
function started(project: Project): number[] {
  const file = project.path('grandchildren.txt');
  const grandchildren = existsSync(file)
    ? readFileSync(file, 'utf8').trim().split('\n').map(Number)
    : [];
  return [...seen(project).map(({ pid }) => pid), ...grandchildren];
}

const noneAlive = (project: Project) => () => started(project).every((pid) => !isRunning(pid));
const attempts = (project: Project, id: string) =>
  readView(project, id).step_progress.write.quality_attempts;

describe('a reviewer that gives no verdict', () => {
  test('because it hangs with a grandchild is killed at its deadline, with the grandchild', async () => {
    verifies('JOBS-X.17', 'JOBS-REQ-001.1.4');
    const project = reviewed({ grandchild: true, hang: true });
    // Long enough for both to start on a busy machine.
    configure(project, { agent_review_command: REVIEW_COMMAND, default_timeout: 5 });
    const agent = await connect(project.root, { args: ['--trust'] });
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toMatch(
      /^Review agent timed out after 5 seconds\nNext: /,
    );
    expect(started(project)).toHaveLength(2);
    await until(noneAlive(project));
    expect(attempts(project, begin_step.session_id)).toBe(0);
  });

  test('and leaves a grandchild behind does not let it outlive the review', async () => {
    verifies('JOBS-X.17');
    const project = reviewed({ grandchild: true, answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    await until(noneAlive(project));
  });

  test("because it prints 100 MB is cut off, and the server's memory stays small", async () => {
    verifies('JOBS-X.17');
    const project = reviewed({ flood: 100 * 1024 * 1024 });
    const agent = await connectToProcess(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toContain('more than 1 MiB of output');
    await until(noneAlive(project));
    const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(300 * 1024);
    expect(attempts(project, begin_step.session_id)).toBe(0);
  });

  test('because it does not exist is a fault', async () => {
    verifies('JOBS-X.17');
    const project = reviewed();
    const agent = await connect(project.root, { args: ['--quality-gate', 'no-such-reviewer --x'] });
    await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toMatch(
      /^Review agent command not found: no-such-reviewer\nNext: /,
    );
  });

  test('because the client cancelled is killed, and the state is unchanged', async () => {
    verifies('JOBS-X.17');
    const project = reviewed({ grandchild: true, hang: true });
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    const gaveUp = new AbortController();
    const call = agent.client.callTool(
      { name: 'finished_step', arguments: REPORT },
      { signal: gaveUp.signal },
    );
    call.catch(() => {});
    await until(() => started(project).length === 2);
    gaveUp.abort();
    await expect(call).rejects.toThrow();
    await until(noneAlive(project));
    await until(() => attempts(project, begin_step.session_id) === 0);
    expect((await agent.ok('get_active_workflow')).begin_step.step_id).toBe('write');
    script(project, { answer: PASS });
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });
});

describe('a server that dies during a review', () => {
  test('by kill -9 leaves nothing half done and uses up no attempt', async () => {
    verifies('JOBS-X.17', 'JOBS-X.18');
    const project = reviewed({ sleep: 60_000, answer: PASS });
    const env = { CLAUDE_CODE_SESSION_ID: 'the-same-client' };
    const agent = await connectToProcess(project.root, { args: GATE, env, closeAfterTest: false });
    const { begin_step } = await agent.ok('start_workflow', START);
    agent.call('finished_step', REPORT).catch(() => {});
    await until(() => seen(project).length === 1);
    process.kill(agent.pid, 'SIGKILL');
    const [orphan] = seen(project);
    process.kill(-(orphan?.pid as number), 'SIGKILL');

    script(project, { answer: { passed: false, feedback: 'no' } });
    const next = await connect(project.root, { args: GATE, env });
    const where = await next.ok('get_active_workflow');
    expect(where.begin_step.step_id).toBe('write');
    expect((await next.ok('finished_step', REPORT)).status).toBe('needs_work');
    expect(attempts(project, begin_step.session_id)).toBe(1);
  });

  test('by a signal takes its reviewers with it', async () => {
    verifies('JOBS-X.17');
    const project = reviewed({ grandchild: true, hang: true });
    const agent = await connectToProcess(project.root, { args: GATE, closeAfterTest: false });
    await agent.ok('start_workflow', START);
    agent.call('finished_step', REPORT).catch(() => {});
    await until(() => started(project).length === 2);
    process.kill(agent.pid, 'SIGTERM');
    await until(() => !isRunning(agent.pid) && noneAlive(project)());
  });
});

describe('a review that takes long', () => {
  test('overlapping calls advance once', async () => {
    verifies('JOBS-X.11');
    const project = reviewed({ sleep: 400, answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const calls = [REPORT, REPORT, { ...REPORT, notes: 'once more' }].map((args) =>
      agent.call('finished_step', args),
    );
    const answers = await Promise.all(calls);
    const accepted = answers.filter((answer) => !answer.isError);
    for (const { data } of accepted) expect(data.begin_step.step_id).toBe('after');
    for (const { text } of answers.filter((answer) => answer.isError)) {
      expect(text).toMatch(/^Step 'write' is no longer the current step of session/);
    }
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect((await agent.ok('get_active_workflow')).begin_step.step_id).toBe('after');
    // One reviewer was asked, not two.
    expect(seen(project)).toHaveLength(2);
  });

  test('is not joined by a call about files that have changed since', async () => {
    const project = reviewed();
    script(project, { when: 'The report.', sleep: 1500, answer: PASS }, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const first = agent.call('finished_step', REPORT);
    await until(() => seen(project).length === 1);
    project.write('report.md', 'Another text.\n');
    const second = await agent.call('finished_step', REPORT);
    expect(second.data.status).toBe('next_step');
    // The step is done, so the first call is answered like the equal one that was accepted.
    expect((await first).text).toBe(second.text);
    expect(seen(project).map(({ stdin }) => stdin.includes('Another text.'))).toEqual([
      false,
      true,
    ]);
  });

  test('outlives answer_within: the caller gets still_running, and joins it again', async () => {
    verifies('JOBS-X.11', 'JOBS-X.24');
    const project = reviewed({ sleep: 2500, answer: { passed: false, feedback: 'Too short' } });
    configure(project, { agent_review_command: REVIEW_COMMAND, answer_within: 1 });
    const agent = await connect(project.root, { args: ['--trust'] });
    const { begin_step } = await agent.ok('start_workflow', START);
    const first = await agent.ok('finished_step', REPORT);
    expect(first.status).toBe('needs_work');
    expect(first.feedback).toMatch(/^Not finished yet: review 1 of 1: .* Call finished_step again/);
    await until(() => attempts(project, begin_step.session_id) === 1);
    let answer = await agent.ok('finished_step', REPORT);
    while (/^Not finished yet/.test(answer.feedback))
      answer = await agent.ok('finished_step', REPORT);
    expect(answer.feedback).toBe('Too short');
    expect(seen(project)).toHaveLength(1);
    expect(attempts(project, begin_step.session_id)).toBe(1);
  });

  test('reports its progress', async () => {
    verifies('JOBS-X.15');
    const project = reviewed({ answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const told: string[] = [];
    await agent.client.callTool(
      { name: 'finished_step', arguments: REPORT },
      { onprogress: ({ message }) => told.push(message ?? '') },
    );
    expect(told).toEqual(['review 1 of 1: step']);
  });
});
