// A run is aborted or sent back while its gate runs in another process: what runs for the step ends,
// and the call that waits for it says who did it and why. A gate also ends with its server.

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { historyOf } from '../board/support.ts';
import { startProcessRun } from '../language/entries.ts';
import { command } from '../support/command.ts';
import { connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { isRunning } from '../support/reviewer.ts';
import { storeEnv } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

interface Gate {
  readonly step: StepSpec;
  /** The entry of the workflow that contains the step. */
  readonly entry?: unknown;
  readonly reviewer?: string;
}

/** Runs on, and so does what it started; all write down their ids. `timeout` leaves the group. */
const FOR_EVER = 'sleep 600 & echo $! >> pids; timeout 600 sleep 601 & echo $! $$ >> pids; wait';
const SLOW = { name: 'slow', run: FOR_EVER };
const STEP = { outputs: { report: 'file' } };
const CHECK: Gate = { step: { ...STEP, checks: [SLOW] } };
const ROUNDS = { loop: { name: 'rounds', steps: ['write'], until: { check: SLOW }, max: 3 } };
const GATES: readonly (readonly [string, Gate])[] = [
  ['a check', CHECK],
  ['a review', { step: { ...STEP, reviews: [REVIEW] }, reviewer: './review.sh' }],
  ['the check of a loop', { step: STEP, entry: ROUNDS }],
];

interface Judged {
  readonly project: Project;
  readonly agent: ProcessConnection;
  /** The run that was started; it may be the parent of the one that is judged. */
  readonly id: string;
  /** The text of the answer to the call that waits. */
  readonly waiting: Promise<string>;
  readonly cancel: () => void;
  person(...args: string[]): Promise<void>;
}

const REPORT = { outputs: { report: 'report.md' } };

/** A step is being judged by a server in a process of its own, and its call waits. */
async function judging(
  { step, entry = 'write', reviewer }: Gate,
  { isNested = false, env = {} }: { isNested?: boolean; env?: Record<string, string> } = {},
): Promise<Judged> {
  const config = {
    git: { branch: 'off' },
    workspace: 'shared',
    // No answer comes before what is judged ends.
    quality_gate: { answer_within: 600, ...(reviewer && { agent_review_command: reviewer }) },
  };
  const project = newProject({
    '.deepwork/config.yml': JSON.stringify(config),
    'review.sh': `#!/bin/sh\n${FOR_EVER}\n`,
    'report.md': 'The report.\n',
  });
  chmodSync(project.path('review.sh'), 0o755);
  const main = (steps: readonly unknown[]) => ({
    workflows: [{ name: 'main', summary: 'x', steps }],
  });
  const around = ['plan', { run: { name: 'sub', job: 'inner', workflow: 'main' } }];
  writeJob(
    project,
    isNested ? 'inner' : 'work',
    { write: step, after: {} },
    {},
    main([entry, 'after']),
  );
  if (isNested) writeJob(project, 'work', { plan: {} }, {}, main(around));
  const options = { args: ['--trust'], env, closeAfterTest: false };
  const agent = await connectToProcess(project.root, options);
  onTestFinished(async () => {
    await agent.close();
    for (const pid of pidsOf(project)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    }
  });
  const start = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
  const id: string = (await agent.ok('start_workflow', start)).begin_step.session_id;
  if (isNested) await agent.ok('finished_step', { outputs: {} });
  const calling = new AbortController();
  const waiting = agent.client
    .callTool({ name: 'finished_step', arguments: REPORT }, { signal: calling.signal })
    .then(({ content }) => JSON.stringify(content));
  waiting.catch(() => {});
  await until(() => pidsOf(project).length === 3);
  return {
    project,
    agent,
    id,
    waiting,
    cancel: () => calling.abort(),
    async person(...args) {
      const how = ['--reason', 'not needed', '--by', 'Ada'];
      const ran = await command([...args, ...how], { cwd: project.root, env });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
    },
  };
}

function pidsOf(project: Project): number[] {
  const file = project.path('pids');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).map(Number);
}

const haveEnded = ({ project }: Judged) => until(() => !pidsOf(project).some(isRunning));

test.each(GATES)('%s ends when a person aborts its run from another process', async (_, gate) => {
  verifies('JOBS-X.27');
  const judged = await judging(gate);
  await judged.person('abort', 'last');
  expect(await judged.waiting).toContain('Ada aborted it: not needed');
  await haveEnded(judged);
});

test.each(GATES)(
  '%s ends when a person sends its run back from another process',
  async (_, gate) => {
    verifies('JOBS-X.27');
    const judged = await judging(gate);
    await judged.person('redo', 'last', 'write');
    const answer = await judged.waiting;
    expect(answer).toContain('next_step');
    expect(answer).toContain("Ada sent this run back to step 'write': not needed");
    await haveEnded(judged);
    // The agent knows, so its next call counts.
    const next = judged.agent.call('finished_step', REPORT);
    next.catch(() => {});
    await until(() => pidsOf(judged.project).length === 6);
  },
);

test.each<[string, string[], string]>([
  ['aborts', ['abort'], 'was aborted by Ada: not needed'],
  ['sends back', ['redo', 'plan'], "Ada sent this run back to step 'plan': not needed"],
])(
  'a nested check ends when a person %s the run around it',
  async (_, [act = '', ...step], said) => {
    verifies('JOBS-X.27');
    const judged = await judging(CHECK, { isNested: true });
    await judged.person(act, judged.id, ...step);
    expect(await judged.waiting).toContain(said);
    await haveEnded(judged);
  },
);

test('a check ends when its run is aborted by another process on the same database', async () => {
  verifies('JOBS-X.27');
  const env = storeEnv(await freshDatabase());
  const judged = await judging(CHECK, { env });
  await judged.person('abort', 'last');
  expect(await judged.waiting).toContain('Ada aborted it: not needed');
  await haveEnded(judged);
});

test('a call that waits for an approval learns who aborted its run', async () => {
  verifies('JOBS-X.27');
  const look = { approve: { name: 'look', question: 'Good?', show: ['write.report'] } };
  const steps = { write: STEP };
  const files = { 'report.md': 'The report.\n' };
  const run = await startProcessRun({
    entries: ['write', look],
    steps,
    files,
    wait: 600,
    within: 600,
  });
  await run.finish(REPORT.outputs);
  const waiting = run.refused({});
  await until(() => run.view().history.length === 3);
  const how = ['--reason', 'not needed', '--by', 'Ada'];
  await command(['abort', 'last', ...how], { cwd: run.project.root, env: { HOME: run.home } });
  expect(await waiting).toContain('Ada aborted it: not needed');
});

test('a call that joined one which was cancelled says in words that its run is aborted', async () => {
  const judged = await judging(CHECK);
  const { agent, cancel } = judged;
  const joined = agent.refused('finished_step', REPORT);
  await agent.ok('get_workflows');
  cancel();
  await agent.ok('abort_workflow', { explanation: 'another plan' });
  expect(await joined).toMatch(/^Step 'write' is no longer the current step .*\n.*another plan/);
  await haveEnded(judged);
});

test.each(GATES)('%s ends with its server, however that ends', async (_, gate) => {
  const judged = await judging(gate);
  process.kill(judged.agent.pid, 'SIGKILL');
  await haveEnded(judged);
});

test('a check that a stopping server ends counts as stopped, and not as failed', async () => {
  const judged = await judging(CHECK);
  process.kill(judged.agent.pid, 'SIGTERM');
  await haveEnded(judged);
  await until(() => !isRunning(judged.agent.pid));
  const { events } = await historyOf(judged.project, judged.id);
  expect(events.map(({ type }) => type)).toEqual(['started', 'checking', 'checks_stopped']);
});
