// A run is aborted or sent back while its gate runs in another process: what runs for the step ends,
// and the call that waits for it says who did it and why. A gate also ends with its server.

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { historyOf } from '../board/support.ts';
import { type ProcessRun, type RunSpec, startProcessRun } from '../language/entries.ts';
import { command } from '../support/command.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { type Project, REVIEW } from '../support/project.ts';
import { isRunning } from '../support/reviewer.ts';
import { storeEnv } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { REPORT } from './support.ts';

await findPostgres();

/** Runs on, and so does what it started; all write down their ids. `timeout` leaves the group. */
const FOR_EVER = 'sleep 600 & echo $! >> pids; timeout 600 sleep 601 & echo $! $$ >> pids; wait';
const SLOW = { name: 'slow', run: FOR_EVER };
const OUTPUTS = { outputs: { report: 'file' } };
const ROUNDS = { loop: { name: 'rounds', steps: ['write'], until: { check: SLOW }, max: 3 } };

const of = (step: object, more: Partial<RunSpec> = {}): RunSpec => ({
  entries: ['write', 'after'],
  steps: { write: { ...OUTPUTS, ...step }, after: {} },
  ...more,
});
const CHECK = of({ checks: [SLOW] });
/** The run that is judged is nested in the one that a person steers. */
const NESTED: RunSpec = {
  entries: ['plan', { run: { name: 'sub', job: 'inner', workflow: 'main' } }],
  steps: { plan: {} },
  jobs: { inner: CHECK },
};
const GATES: readonly (readonly [string, RunSpec])[] = [
  ['a check', CHECK],
  ['a review', of({ reviews: [REVIEW] }, { gate: { agent_review_command: './review.sh' } })],
  ['the check of a loop', of({}, { entries: [ROUNDS, 'after'] })],
];

interface Judged extends ProcessRun {
  /** The text of the answer to the call that waits. */
  readonly waiting: Promise<string>;
  readonly cancel: () => void;
  readonly env: object;
}

/** A step is being judged by a server in a process of its own, and its call waits. */
async function judging(spec: RunSpec, env = {}): Promise<Judged> {
  const files = { 'review.sh': `#!/bin/sh\n${FOR_EVER}\n`, 'report.md': 'The report.\n' };
  const prepare = (project: Project) => {
    chmodSync(project.path('review.sh'), 0o755);
    onTestFinished(() => {
      for (const pid of pidsOf(project)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended, as it should.
        }
      }
    });
  };
  // No answer comes before what is judged ends.
  const run = await startProcessRun({ ...spec, files, prepare, within: 600 }, env);
  if (spec === NESTED) await run.finish({});
  const calling = new AbortController();
  const waiting = run.agent.client
    .callTool({ name: 'finished_step', arguments: { outputs: REPORT } }, { signal: calling.signal })
    .then(({ content }) => JSON.stringify(content));
  waiting.catch(() => {});
  await until(() => pidsOf(run.project).length === 3);
  return { ...run, env, waiting, cancel: () => calling.abort() };
}

function pidsOf(project: Project): number[] {
  const file = project.path('pids');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).map(Number);
}

const haveEnded = ({ project }: Judged) => until(() => !pidsOf(project).some(isRunning));

async function steer(run: ProcessRun & { env?: object }, ...args: string[]): Promise<void> {
  const how = ['--reason', 'not needed', '--by', 'Ada'];
  const env = { HOME: run.home, ...run.env };
  const ran = await command([...args, ...how], { cwd: run.project.root, env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
}

test.each(GATES)('%s ends when a person aborts its run from another process', async (_, spec) => {
  verifies('JOBS-X.27');
  const judged = await judging(spec);
  await steer(judged, 'abort', 'last');
  expect(await judged.waiting).toMatch(/Ada.*not needed/);
  await haveEnded(judged);
});

test.each(GATES)(
  '%s ends when a person sends its run back from another process',
  async (_, spec) => {
    verifies('JOBS-X.27');
    const judged = await judging(spec);
    await steer(judged, 'redo', 'last', 'write');
    expect(await judged.waiting).toMatch(/next_step.*Ada.*'write'.*not needed/);
    await haveEnded(judged);
    // The agent knows, so its next call counts.
    judged.agent.call('finished_step', { outputs: REPORT }).catch(() => {});
    await until(() => pidsOf(judged.project).length === 6);
  },
);

test.each([
  ['abort', []],
  ['redo', ['plan']],
])('a nested check ends with what a person does to the run around it: %s', async (act, step) => {
  verifies('JOBS-X.27');
  const judged = await judging(NESTED);
  await steer(judged, act, judged.session, ...step);
  expect(await judged.waiting).toMatch(/Ada.*not needed/);
  await haveEnded(judged);
});

test('a check ends when its run is aborted by another process on the same database', async () => {
  verifies('JOBS-X.27');
  const env = storeEnv(await freshDatabase());
  const judged = await judging(CHECK, env);
  await steer(judged, 'abort', 'last');
  expect(await judged.waiting).toMatch(/Ada.*not needed/);
  await haveEnded(judged);
});

test('a call that waits for an approval learns who aborted its run', async () => {
  verifies('JOBS-X.27');
  const look = { approve: { name: 'look', question: 'Good?', show: ['write.report'] } };
  const files = { 'report.md': 'The report.\n' };
  const spec = of({}, { entries: ['write', look], files, wait: 600, within: 600 });
  const run = await startProcessRun(spec);
  await run.finish(REPORT);
  const waiting = run.refusal({});
  await until(() => run.view().history.length === 3);
  await steer(run, 'abort', 'last');
  const { message, next } = await waiting;
  expect(`${message} ${next}`).toMatch(/Ada.*not needed/);
});

test('a call that joined one which was cancelled learns that its run is aborted', async () => {
  const judged = await judging(CHECK);
  const joined = judged.refusal(REPORT);
  await judged.agent.ok('get_workflows');
  judged.cancel();
  await judged.agent.ok('abort_workflow', { explanation: 'another plan' });
  const { code, message, next } = await joined;
  expect(code).toBe('step_not_current');
  expect(`${message} ${next}`).toContain('another plan');
  await haveEnded(judged);
});

test.each(GATES)('%s ends with its server, however that ends', async (_, spec) => {
  const judged = await judging(spec);
  process.kill(judged.agent.pid, 'SIGKILL');
  await haveEnded(judged);
});

test('a check that a stopping server ends counts as stopped, and not as failed', async () => {
  const judged = await judging(CHECK);
  process.kill(judged.agent.pid, 'SIGTERM');
  await haveEnded(judged);
  await until(() => !isRunning(judged.agent.pid));
  const { events } = await historyOf(judged.project, judged.session);
  expect(events.map(({ type }) => type)).toEqual(['started', 'checking', 'checks_stopped']);
});
