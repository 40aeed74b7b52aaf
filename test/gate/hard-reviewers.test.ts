// Reviewers that hang, flood, die or are cancelled, servers that die under them, and work of the gate
// that outlives the call that began it: no process survives, nothing is half done, no attempt is used
// up, and only an equal call about equal files joins what runs.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Run, type RunSpec, startProcessRun, startRun } from '../language/entries.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { REVIEW } from '../support/project.ts';
import { isRunning, PASS, REVIEW_COMMAND, type Scene, script, seen } from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { attempts, GATE, REPORT, startWork, type WorkSpec } from './support.ts';

const reviewed = (scene: Scene, more: WorkSpec = {}) =>
  startWork({ step: { reviews: [REVIEW] }, args: GATE, scenes: [scene], ...more });

/** Answered after a second, whatever still runs. */
const runningOn = (scene: Scene, more: WorkSpec = {}) =>
  reviewed(scene, {
    args: ['--trust'],
    gate: { agent_review_command: REVIEW_COMMAND },
    within: 1,
    ...more,
  });

async function atLast(run: Run, more: Record<string, unknown> = {}) {
  for (;;) {
    const answer = await run.finish(REPORT, more);
    if (answer.reason !== 'still_running') return answer;
  }
}

/** Everything the stand-in started, including itself. */
function started({ project }: Run): number[] {
  const file = project.path('grandchildren.txt');
  const grandchildren = existsSync(file)
    ? readFileSync(file, 'utf8').trim().split('\n').map(Number)
    : [];
  return [...seen(project).map(({ pid }) => pid), ...grandchildren];
}

const noneAlive = (run: Run) => started(run).every((pid) => !isRunning(pid));

/** A call that its client can cancel. */
function calling(run: Run, args: Record<string, unknown> = {}) {
  const controller = new AbortController();
  const call = run.agent.client.callTool(
    { name: 'finished_step', arguments: { outputs: REPORT, ...args } },
    { signal: controller.signal },
  );
  call.catch(() => {});
  return { call, cancel: () => controller.abort() };
}

describe('a reviewer that gives no verdict', () => {
  test('because it hangs with a grandchild is killed at its deadline, with the grandchild', async () => {
    verifies('JOBS-X.17', 'JOBS-REQ-001.1.4');
    // Long enough for both to start on a busy machine.
    const run = await reviewed({ grandchild: true, hang: true }, { gate: { default_timeout: 5 } });
    expect((await run.refusal(REPORT)).code).toBe('reviewer_failed');
    expect(started(run)).toHaveLength(2);
    await until(() => noneAlive(run));
    expect(attempts(run)).toBe(0);
  });

  test('and leaves a grandchild behind does not let it outlive the review', async () => {
    verifies('JOBS-X.17');
    const run = await reviewed({ grandchild: true, answer: PASS });
    expect((await run.finish(REPORT)).status).toBe('next_step');
    await until(() => noneAlive(run));
  });

  test("because it prints 100 MB is cut off, and the server's memory stays small", async () => {
    verifies('JOBS-X.17');
    const run = await startProcessRun({
      entries: ['write'],
      steps: { write: { outputs: { report: 'file' }, reviews: [REVIEW] } },
      files: { 'report.md': 'The report.\n' },
      args: GATE,
    });
    script(run.project, { flood: 100 * 1024 * 1024 });
    expect((await run.refusal(REPORT)).code).toBe('reviewer_failed');
    await until(() => noneAlive(run));
    const status = readFileSync(`/proc/${run.agent.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(300 * 1024);
    expect(attempts(run)).toBe(0);
  });

  test('because the client cancelled is killed, and the state is unchanged', async () => {
    verifies('JOBS-X.17');
    const run = await reviewed({ grandchild: true, hang: true });
    const { call, cancel } = calling(run);
    await until(() => started(run).length === 2);
    cancel();
    await expect(call).rejects.toThrow();
    await until(() => noneAlive(run) && attempts(run) === 0);
    expect((await run.agent.ok('get_active_workflow')).begin_step.step_id).toBe('write');
    script(run.project, { answer: PASS });
    expect((await run.finish(REPORT)).status).toBe('next_step');
  });
});

describe('a server that dies during a review', () => {
  const ENV = { CLAUDE_CODE_SESSION_ID: 'the-same-client' };
  /** On the same project, and the caller ends it. */
  async function dying(scene: Scene) {
    const run = await reviewed(scene, { options: { env: ENV } });
    await run.agent.close();
    const env = { HOME: run.home, ...ENV };
    const options = { args: GATE, env, closeAfterTest: false };
    const agent = await connectToProcess(run.project.root, options);
    agent.call('finished_step', { outputs: REPORT }).catch(() => {});
    return { run, agent, reconnect: () => connect(run.project.root, { args: GATE, env }) };
  }

  test('by kill -9 leaves nothing half done and uses up no attempt', async () => {
    verifies('JOBS-X.17', 'JOBS-X.18');
    const { run, agent, reconnect } = await dying({ sleep: 60_000, answer: PASS });
    await until(() => seen(run.project).length === 1);
    process.kill(agent.pid, 'SIGKILL');
    const [orphan] = seen(run.project);
    process.kill(-(orphan?.pid as number), 'SIGKILL');
    script(run.project, { answer: { passed: false, feedback: 'no' } });
    const next = await reconnect();
    expect((await next.ok('get_active_workflow')).begin_step.step_id).toBe('write');
    expect((await next.ok('finished_step', { outputs: REPORT })).status).toBe('needs_work');
    expect(attempts(run)).toBe(1);
  });

  test('by a signal takes its reviewers with it', async () => {
    verifies('JOBS-X.17');
    const { run, agent } = await dying({ grandchild: true, hang: true });
    await until(() => started(run).length === 2);
    process.kill(agent.pid, 'SIGTERM');
    await until(() => !isRunning(agent.pid) && noneAlive(run));
  });
});

describe('a review that takes long', () => {
  test('overlapping calls advance once', async () => {
    verifies('JOBS-X.11');
    const run = await reviewed({ sleep: 400, answer: PASS });
    const answers = await Promise.all(
      [{}, {}, { notes: 'once more' }].map((more) =>
        run.agent.call('finished_step', { outputs: REPORT, ...more }),
      ),
    );
    const accepted = answers.filter(({ isError }) => !isError);
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    for (const { data } of accepted) expect(data.begin_step.step_id).toBe('after');
    for (const { data } of answers.filter(({ isError }) => isError)) {
      expect(data.error.code).toBe('step_not_current');
    }
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(run.view().current_step_id).toBe('after');
    // One reviewer for the equal calls, one for the other.
    expect(seen(run.project)).toHaveLength(2);
  });

  test('is not joined by a call about files that have changed since', async () => {
    const run = await reviewed({});
    script(run.project, { when: 'The report.', until: 'go', answer: PASS }, { answer: PASS });
    const first = run.agent.call('finished_step', { outputs: REPORT });
    await until(() => seen(run.project).length === 1);
    run.project.write('report.md', 'Another text.\n');
    const second = await run.agent.call('finished_step', { outputs: REPORT });
    expect(second.data.status).toBe('next_step');
    run.project.write('go', '');
    // The step is done, so the first call is answered like the equal one that was accepted.
    expect((await first).text).toBe(second.text);
    expect(seen(run.project).map(({ stdin }) => stdin.includes('Another text.'))).toEqual([
      false,
      true,
    ]);
  });

  test('outlives answer_within: the caller gets still_running, and joins it again', async () => {
    verifies('JOBS-X.11', 'JOBS-X.24', 'JOBS-X.15');
    const answer = { passed: false, feedback: 'Too short' };
    const run = await runningOn({ until: 'go', answer });
    const told: (string | undefined)[] = [];
    const first = await run.agent.client.callTool(
      { name: 'finished_step', arguments: { outputs: REPORT } },
      { onprogress: ({ message }) => told.push(message) },
    );
    expect(first.structuredContent).toMatchObject({
      status: 'needs_work',
      reason: 'still_running',
      feedback: expect.stringContaining('review 1 of 1'),
    });
    expect(told[0]).toBe('review 1 of 1: step');
    run.project.write('go', '');
    await until(() => attempts(run) === 1);
    expect((await atLast(run)).feedback).toBe('Too short');
    expect(seen(run.project)).toHaveLength(1);
    expect(attempts(run)).toBe(1);
  });

  test('is ended by giving up its own workflow, and by no other one', async () => {
    const run = await runningOn({ until: 'go', answer: PASS });
    expect(await run.finish(REPORT)).toMatchObject({ reason: 'still_running' });
    await run.agent.ok('start_workflow', {
      goal: 'Something else',
      job_name: 'work',
      workflow_name: 'main',
    });
    await run.agent.ok('abort_workflow', { explanation: 'Not needed' });
    run.project.write('go', '');
    expect((await atLast(run, { session_id: run.session })).status).toBe('next_step');
    // A review that was ended would have had to begin once more.
    expect(seen(run.project)).toHaveLength(1);
  });

  test.each([
    ['abort_workflow', { explanation: 'no longer wanted' }],
    ['go_to_step', { step_id: 'write' }],
  ])('ends when its result can no longer count: %s', async (tool, args) => {
    verifies('JOBS-X.21');
    const run = await runningOn({ hang: true });
    expect(await run.finish(REPORT)).toMatchObject({ reason: 'still_running' });
    await until(() => seen(run.project).length === 1);
    expect(noneAlive(run)).toBe(false);
    await run.agent.ok(tool, args);
    await until(() => noneAlive(run));
  });
});

describe('a slow check', () => {
  const SLOW: Partial<RunSpec> = { files: { 'report.md': 'A slow one.\n' }, within: 1 };

  test('of one member answers in time, also beside a member that has nothing to run', async () => {
    verifies('JOBS-X.24');
    // Far longer than the second after which calls are answered.
    const check = { name: 'slow', run: 'sleep 60' };
    const run = await startRun({
      ...SLOW,
      entries: [['quick', 'slow']],
      steps: {
        quick: { outputs: { notes: 'file' } },
        slow: { outputs: { report: 'file' }, checks: [check] },
      },
    });
    const outputs = { notes: 'report.md', ...REPORT };
    expect(await run.finish(outputs)).toMatchObject({ reason: 'still_running' });
  });

  test('is not joined by a call with another context', async () => {
    const waits = 'while [ ! -e go ]; do sleep 0.1; done';
    const run = await startRun({
      ...SLOW,
      entries: ['write', 'extra', 'last'],
      steps: {
        write: { outputs: { report: 'file' }, checks: [{ name: 'slow', run: waits }] },
        extra: { when: { var: 'extra', equals: 'yes' } },
        last: {},
      },
      start: { context: { extra: 'unknown' } },
    });
    const first = calling(run, { context: { extra: 'no' } });
    const yes = { context: { extra: 'yes' } };
    const second = run.finish(REPORT, yes);
    // The first caller gives its call up while it waits, so what it said does not count any more.
    await run.agent.ok('get_workflows');
    first.cancel();
    expect((await second).reason).toBe('still_running');
    run.project.write('go', '');
    expect((await atLast(run, yes)).begin_step.step_id).toBe('extra');
  });

  test('that another submission has overtaken leads to no review any more', async () => {
    verifies('JOBS-X.11');
    const check = 'if grep -q slow report.md; then touch began; sleep 60; fi';
    const run = await runningOn(
      { answer: PASS },
      { ...SLOW, step: { reviews: [REVIEW], checks: [{ name: 'slow', run: check }] }, within: 60 },
    );
    const overtaken = run.refusal(REPORT);
    await until(() => existsSync(run.project.path('began')));
    run.project.write('report.md', 'Another one.\n');
    const another = await run.finish(REPORT, { notes: 'Written anew' });
    expect(another.begin_step.step_id).toBe('after');
    expect((await overtaken).code).toBe('step_not_current');
    expect(seen(run.project)).toHaveLength(1);
  });
});
