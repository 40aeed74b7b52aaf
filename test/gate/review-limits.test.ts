// The limits of a review: its time, its attempts, how much of the work it is shown, and how many
// run at once; by default, and as set.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { fastTimers } from '../support/fast-timers.ts';
import { connectInMemory } from '../support/in-memory.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { FAIL, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];
const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

/** One step with a reviewed report and, if they are submitted, additional files. */
function reviewed(settings: Record<string, unknown> = {}, report = 'The report.\n'): Project {
  const project = newProject({ 'report.md': report });
  const outputs = { report: 'file?', parts: 'files?' };
  const reviews = [REVIEW, { run_each: 'parts', quality_criteria: { good: 'Is good' } }];
  writeJob(project, 'work', { write: { outputs, reviews }, after: {} }, { main: ['write'] });
  const config = { git: { branch: 'off' }, quality_gate: settings };
  project.write('.deepwork/config.yml', JSON.stringify(config));
  return project;
}

/** Calls until the review has ended, however often the answer is still_running. */
async function refusedAtLast(agent: Connection): Promise<string> {
  for (;;) {
    const answer = await agent.call('finished_step', REPORT);
    if (answer.isError) return answer.text;
    expect(answer.data.status).toBe('needs_work');
  }
}

describe('the time of a review', () => {
  test.each([
    ['two minutes, unless set', {}, 10, 120],
    ['as the config says', { default_timeout: 7 }, 10, 7],
    ['more for every full 5000 bytes', { default_timeout: 7 }, 5000, 37],
    ['more again', { default_timeout: 7 }, 10_000, 67],
  ])('%s', async (_what, settings, bytes, seconds) => {
    verifies('JOBS-REQ-001.1.4', 'JOBS-X.15', 'JOBS-X.24');
    const project = reviewed(settings, 'x'.repeat(bytes));
    script(project, { hang: true });
    const agent = await connect(project.root, { args: GATE, env: fastTimers(100) });
    await agent.ok('start_workflow', START);
    const refusal = await refusedAtLast(agent);
    expect(refusal).toMatch(new RegExp(`^Review agent timed out after ${seconds} seconds\n`));
  });

  test('can be set by an option of createServer, which overrides the config', async () => {
    verifies('JOBS-REQ-001.1.4', 'JOBS-X.24');
    const project = reviewed({ default_timeout: 500 });
    script(project, { hang: true });
    const agent = await connectInMemory({
      projectRoot: project.root,
      agentReviewCommand: REVIEW_COMMAND,
      qualityGateTimeout: 1,
    });
    await agent.ok('start_workflow', START);
    const { isError, text } = await agent.call('finished_step', REPORT);
    expect([isError, text.split('\n')[0]]).toEqual([
      true,
      'Review agent timed out after 1 seconds',
    ]);
  });

  test('is reported as progress every ten seconds', async () => {
    verifies('JOBS-X.15');
    const project = reviewed({ default_timeout: 35 });
    script(project, { hang: true });
    const agent = await connect(project.root, { args: GATE, env: fastTimers(20) });
    await agent.ok('start_workflow', START);
    const told: string[] = [];
    await agent.client.callTool(
      { name: 'finished_step', arguments: REPORT },
      { onprogress: ({ message }) => told.push(message ?? '') },
    );
    const [first, ...later] = told;
    expect(first).toBe('review 1 of 1: step');
    expect(new Set(later)).toEqual(new Set(['review 1 of 1: step, still running']));
    expect(later.length).toBeLessThanOrEqual(3);
  });
});

describe('the number of attempts', () => {
  /** How many failures are answered with needs_work before one is an error. */
  async function failuresBefore(agent: Pick<Connection, 'call' | 'ok'>): Promise<[number, string]> {
    await agent.ok('start_workflow', START);
    for (let failures = 0; ; failures++) {
      const { isError, text, data } = await agent.call('finished_step', REPORT);
      if (isError) return [failures, text.split('\n')[0] as string];
      expect(data).toMatchObject({ status: 'needs_work', feedback: FAIL.feedback });
    }
  }
  const failed = (attempts: number) =>
    `Quality gate failed after ${attempts} attempts. Feedback: ${FAIL.feedback}`;

  test.each([
    ['three, unless set', {}, 3],
    ['as the config says', { default_max_attempts: 2 }, 2],
    ['one: the first failure is an error', { default_max_attempts: 1 }, 1],
  ])('%s', async (_what, settings, attempts) => {
    verifies('JOBS-REQ-001.1.5', 'JOBS-X.24');
    const project = reviewed(settings);
    script(project, { answer: FAIL });
    const agent = await connect(project.root, { args: GATE });
    expect(await failuresBefore(agent)).toEqual([attempts - 1, failed(attempts)]);
  });

  test('can be set by an option of createServer, which overrides the config', async () => {
    verifies('JOBS-REQ-001.1.5', 'JOBS-X.24');
    const project = reviewed({ default_max_attempts: 1 });
    script(project, { answer: FAIL });
    const agent = await connectInMemory({
      projectRoot: project.root,
      agentReviewCommand: REVIEW_COMMAND,
      qualityGateMaxAttempts: 2,
    });
    expect(await failuresBefore(agent)).toEqual([1, failed(2)]);
  });
});

describe('what a review is shown', () => {
  test('files that are too large together are listed, each small enough or not', async () => {
    verifies('JOBS-X.15');
    const project = reviewed();
    project.write('left.md', 'l'.repeat(150 * 1024));
    project.write('right.md', 'r'.repeat(150 * 1024));
    writeJob(
      project,
      'work',
      { write: { outputs: { parts: 'files' }, reviews: [REVIEW] } },
      { main: ['write'] },
    );
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: ['left.md', 'right.md'] } });
    const shown = seen(project)[0]?.stdin;
    expect(shown).toContain('- left.md  (output: parts)\n- right.md  (output: parts)\n');
    expect(shown).not.toContain('llll');
  });

  test('no file if none was submitted', async () => {
    verifies('JOBS-X.15');
    const project = reviewed();
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: {} });
    expect(seen(project)).toHaveLength(1);
    expect(seen(project)[0]?.stdin).toContain('[No files provided]');
  });

  test('in a self-review, paths only', async () => {
    verifies('JOBS-X.15', 'JOBS-REQ-001.1.8');
    const project = reviewed();
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', START);
    await agent.ok('finished_step', REPORT);
    const file = `.deepwork/tmp/quality_review_${begin_step.session_id}_write.md`;
    const text = readFileSync(project.path(file), 'utf8');
    expect(text).toContain('report.md');
    expect(text).not.toContain('The report.');
  });
});

describe('reviews at once', () => {
  const parts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.md`);
  async function reviewing(...scenes: Parameters<typeof script>[1][]) {
    const project = reviewed();
    for (const part of parts) project.write(part, part);
    script(project, ...scenes);
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    return { project, agent };
  }

  test('are four, unless set', async () => {
    verifies('JOBS-X.15', 'JOBS-X.24');
    const { project, agent } = await reviewing({ hang: true });
    const gaveUp = new AbortController();
    const call = agent.client.callTool(
      { name: 'finished_step', arguments: { outputs: { parts } } },
      { signal: gaveUp.signal },
    );
    call.catch(() => {});
    await until(() => seen(project).length >= 4);
    gaveUp.abort();
    await expect(call).rejects.toThrow();
  });

  test('are never five', async () => {
    verifies('JOBS-X.15', 'JOBS-X.24');
    const sleep = 300;
    const { project, agent } = await reviewing({ sleep, answer: PASS });
    await agent.ok('finished_step', { outputs: { parts } });
    const starts = seen(project)
      .map(({ at }) => at)
      .sort((a, b) => a - b);
    expect(starts).toHaveLength(parts.length + 1);
    for (const [index, at] of starts.slice(4).entries()) {
      // Node's timers may fire slightly early.
      expect(at - (starts[index] as number)).toBeGreaterThanOrEqual(sleep - 10);
    }
  });
});
