// A definition that changes while a session runs: an edit is followed and reported; a missing or
// broken definition is reported, the session stays unchanged, and the same call works once the
// definition is fixed.

import { readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const STEPS: Readonly<Record<string, StepSpec>> = {
  plan: { outputs: { plan: 'file' } },
  build: { outputs: { result: 'file' } },
  ship: {},
};
const DIR = '.deepwork/jobs/demo';

interface Running {
  readonly project: Project;
  readonly server: Connection;
  readonly id: string;
}

/** At the step `build`, with `plan` done. */
async function running(): Promise<Running> {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B' });
  writeJob(project, 'demo', STEPS, { main: ['plan', 'build', 'ship'] });
  const server = await connect(project.root);
  const { begin_step } = await server.ok('start_workflow', {
    goal: 'g',
    job_name: 'demo',
    workflow_name: 'main',
  });
  await server.ok('finished_step', { outputs: { plan: 'a.md' } });
  return { project, server, id: begin_step.session_id };
}

const FINISH = { outputs: { result: 'b.md' } };

/** The call is refused, nothing changes, and it works after the fix. */
async function staysUntilMended(
  { project, server }: Running,
  message: string | RegExp,
  mend: () => void,
): Promise<void> {
  const before = keptState(project);
  const answer = await server.call('finished_step', FINISH);
  const next = expectRefusal(answer, message);
  expect(next).not.toBeNull();
  expect(keptState(project)).toEqual(before);
  mend();
  const { status, begin_step } = await server.ok('finished_step', FINISH);
  expect({ status, step: begin_step.step_id }).toEqual({ status: 'next_step', step: 'ship' });
}

describe('a definition edited during a run', () => {
  test('is followed, named in warnings and recorded by its hash', async () => {
    verifies('JOBS-X.12');
    const { project, server, id } = await running();
    const startedUnder = readView(project, id).history[0].definition;
    writeJob(
      project,
      'demo',
      { ...STEPS, build: { outputs: { result: 'file', proof: 'file' } }, check: {} },
      { main: ['plan', 'build', 'check', 'ship'] },
    );
    expectRefusal(
      await server.call('finished_step', FINISH),
      'Missing required outputs: proof. All required outputs must be provided.',
    );
    const answer = await server.ok('finished_step', { outputs: { result: 'b.md', proof: 'a.md' } });
    expect(answer.begin_step.step_id).toBe('check');
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings[0]).toMatch(/demo.*edited/);

    const changes = readView(project, id).history.filter(
      ({ event }: { event: string }) => event === 'definition_changed',
    );
    expect(changes).toHaveLength(1);
    expect(changes[0].definition).toMatch(/^[0-9a-f]{64}$/);
    expect(changes[0].definition).not.toBe(startedUnder);

    // Reported once: from here on the session runs under the new definition.
    expect((await server.ok('finished_step', { outputs: {} })).warnings).toEqual([]);
  });

  test('is recorded and named by go_to_step, too', async () => {
    verifies('JOBS-X.12', 'JOBS-X.21');
    const { project, server, id } = await running();
    writeJob(
      project,
      'demo',
      { ...STEPS, check: {} },
      { main: ['plan', 'build', 'check', 'ship'] },
    );
    await server.ok('go_to_step', { step_id: 'build' });
    const answer = await server.ok('finished_step', FINISH);
    expect(answer.begin_step.step_id).toBe('check');
    expect(historyOf(project, id)).toContain('definition_changed');
    expect(answer.warnings.join()).toMatch(/demo.*edited/);
  });

  test('instructions are read as they are at the call', async () => {
    verifies('JOBS-X.12');
    const { project, server } = await running();
    project.write(`${DIR}/steps/build.md`, 'Build it in another way.\n');
    const active = await server.ok('get_active_workflow');
    expect(active.begin_step.step_instructions).toBe('Build it in another way.\n');
    project.write(`${DIR}/steps/ship.md`, 'Ship it by boat.\n');
    const answer = await server.ok('finished_step', FINISH);
    expect(answer.begin_step.step_instructions).toBe('Ship it by boat.\n');
  });

  test('a deleted job is reported as missing until it is back', async () => {
    verifies('JOBS-X.12');
    const run = await running();
    const { project } = run;
    renameSync(project.path(DIR), project.path('elsewhere'));
    const next = expectRefusal(await run.server.call('get_active_workflow'), 'Job not found: demo');
    expect(next).toContain(DIR);
    await staysUntilMended(run, 'Job not found: demo', () =>
      renameSync(project.path('elsewhere'), project.path(DIR)),
    );
  });

  test('a deleted job is no reason to answer for an earlier run that took the same outputs', async () => {
    verifies('JOBS-X.12', 'JOBS-X.10');
    const run = await running();
    const { project, server } = run;
    await server.ok('finished_step', FINISH);
    await server.ok('finished_step', { outputs: {} });
    await server.ok('start_workflow', { goal: 'again', job_name: 'demo', workflow_name: 'main' });
    renameSync(project.path(DIR), project.path('elsewhere'));
    const plan = { outputs: { plan: 'a.md' } };
    for (const call of [plan, FINISH, { outputs: {} }]) {
      expectRefusal(await server.call('finished_step', call), 'Job not found: demo');
    }
    renameSync(project.path('elsewhere'), project.path(DIR));
    expect((await server.ok('finished_step', plan)).begin_step.step_id).toBe('build');
  });

  test('a broken file is reported until it parses', async () => {
    verifies('JOBS-X.12');
    const run = await running();
    const { project } = run;
    const good = readFileSync(project.path(`${DIR}/job.yml`), 'utf8');
    project.write(`${DIR}/job.yml`, good.replace('name: Step ship', 'nam: Step ship'));
    await staysUntilMended(
      run,
      /^Failed to parse job 'demo': Job definition validation failed: .*line \d+, column \d+/s,
      () => project.write(`${DIR}/job.yml`, good),
    );
  });

  test('missing instructions of the next step are named until they are back', async () => {
    verifies('JOBS-X.12');
    const run = await running();
    const { project } = run;
    rmSync(project.path(`${DIR}/steps/ship.md`));
    await staysUntilMended(run, /Instructions file not found: steps\/ship\.md/, () =>
      project.write(`${DIR}/steps/ship.md`, 'Back again.\n'),
    );
  });

  test('a removed workflow is named until it is back', async () => {
    verifies('JOBS-X.12');
    const run = await running();
    const { project } = run;
    writeJob(project, 'demo', STEPS, { other: ['plan'], third: ['build'] });
    await staysUntilMended(
      run,
      "Workflow 'main' not found in job 'demo'. Available workflows: other, third",
      () => writeJob(project, 'demo', STEPS, { main: ['plan', 'build', 'ship'] }),
    );
  });

  test('a removed current step is named until it is back', async () => {
    verifies('JOBS-X.12');
    const run = await running();
    const { project } = run;
    writeJob(project, 'demo', STEPS, { main: ['plan', 'ship'] });
    await staysUntilMended(run, 'Current step not found: build', () =>
      writeJob(project, 'demo', STEPS, { main: ['plan', 'build', 'ship'] }),
    );
  });

  test('a session can be aborted whatever happened to its definition', async () => {
    verifies('JOBS-X.12', 'JOBS-REQ-001.6.5');
    const { project, server, id } = await running();
    rmSync(project.path(DIR), { recursive: true });
    const answer = await server.ok('abort_workflow', { explanation: 'The job is gone' });
    expect(answer).toMatchObject({ aborted_workflow: 'demo/main', aborted_step: 'build' });
    expect(readView(project, id)).toMatchObject({ status: 'aborted' });
  });
});
