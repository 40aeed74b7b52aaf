// A definition that changes while a session runs: an edit is followed and reported; a missing or
// broken one is reported, the session stays unchanged, and the same call works once it is fixed.

import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const STEPS: Readonly<Record<string, StepSpec>> = {
  plan: { outputs: { plan: 'file' } },
  build: { outputs: { result: 'file' } },
  ship: {},
};
const WORKFLOWS = { main: ['plan', 'build', 'ship'] };
const DIR = '.deepwork/jobs/demo';
const FINISH = { outputs: { result: 'b.md' } };

/** At the step `build`, with `plan` done. */
async function running() {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B' });
  writeJob(project, 'demo', STEPS, WORKFLOWS);
  const server = await connect(project.root);
  const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
  const { begin_step } = await server.ok('start_workflow', start);
  await server.ok('finished_step', { outputs: { plan: 'a.md' } });
  return { project, server, id: begin_step.session_id as string };
}

test('an edit is followed, named in a warning and recorded by its hash', async () => {
  verifies('JOBS-X.12');
  const { project, server, id } = await running();
  const outputs = { result: 'file', proof: 'file' };
  const main = ['plan', 'build', 'check', 'ship'];
  writeJob(project, 'demo', { ...STEPS, build: { outputs }, check: {} }, { main });
  project.write(`${DIR}/steps/check.md`, 'Check it twice.\n');
  const lacks = await refusedUnchanged(project, server, 'finished_step', FINISH);
  expect(lacks.code).toBe('outputs_missing');
  const answer = await server.ok('finished_step', { outputs: { result: 'b.md', proof: 'a.md' } });
  expect(answer.begin_step).toMatchObject({
    step_id: 'check',
    step_instructions: 'Check it twice.\n',
  });
  expect(answer.warnings).toEqual([expect.stringContaining('demo')]);
  const { history } = readView(project, id);
  const changed = history.find((each: { event: string }) => each.event === 'definition_changed');
  expect(changed.definition).toMatch(/^[0-9a-f]{64}$/);
  expect(changed.definition).not.toBe(history[0].definition);
  // Reported once: from here on the session runs under the new definition.
  expect((await server.ok('finished_step', { outputs: {} })).warnings).toEqual([]);
  expect(historyOf(project, id).filter((event) => event === 'definition_changed')).toHaveLength(1);
});

const moveAway = (project: Project) => renameSync(project.path(DIR), project.path('elsewhere'));

test.each<[string, (project: Project) => void, code: string, named: string]>([
  ['a deleted job', moveAway, 'job_not_found', 'demo'],
  [
    'a job behind a link out of the project',
    (project) => {
      const outside = newProject();
      renameSync(project.path(DIR), outside.path('demo'));
      symlinkSync(outside.path('demo'), project.path(DIR));
    },
    'job_invalid',
    'outside the project',
  ],
  [
    'missing instructions of the next step',
    (project) => rmSync(project.path(`${DIR}/steps/ship.md`)),
    'job_invalid',
    'steps/ship.md',
  ],
  [
    'a removed current step',
    (project) => void writeJob(project, 'demo', STEPS, { main: ['plan', 'ship'] }),
    'step_not_found',
    'build',
  ],
])(
  '%s is reported, changes nothing, and the same call works once it is back',
  async (_, spoil, code, named) => {
    verifies('JOBS-X.12');
    const { project, server } = await running();
    spoil(project);
    const seen = await refusedUnchanged(project, server, 'finished_step', FINISH);
    expect(seen.code).toBe(code);
    expect(seen.message).toContain(named);
    expect(seen.next).not.toBeNull();
    rmSync(project.path(DIR), { recursive: true, force: true });
    writeJob(project, 'demo', STEPS, WORKFLOWS);
    expect((await server.ok('finished_step', FINISH)).begin_step.step_id).toBe('ship');
  },
);

test('a session can be aborted whatever happened to its definition', async () => {
  verifies('JOBS-X.12', 'JOBS-REQ-001.6.5');
  const { project, server, id } = await running();
  moveAway(project);
  const answer = await server.ok('abort_workflow', { explanation: 'The job is gone' });
  expect(answer).toMatchObject({ aborted_workflow: 'demo/main', aborted_step: 'build' });
  expect(readView(project, id)).toMatchObject({ status: 'aborted' });
});
