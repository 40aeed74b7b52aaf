// A disk that cannot be written to: the call names the session it could not save and the reason,
// everything stays unchanged, and the same call works once the disk does.

import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { mountReadOnly, mountSmallDisk, whyNoMounts } from '../support/mounts.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { refusal, refusedUnchanged } from '../support/refusal.ts';
import { newRepository } from '../support/repository.ts';
import { readView } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const noMounts = whyNoMounts();
if (noMounts !== null) console.warn(`Skipped: full and read-only disks (${noMounts})`);
const onMounts = test.skipIf(noMounts !== null);

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
const FINISH = { outputs: { report: 'a.md' } };

function newDemo(): Project {
  const project = newProject({ 'a.md': 'A', '.deepwork/config.yml': '' });
  const steps = { a: { outputs: { report: 'file' } }, b: {}, c: { reviews: [REVIEW] } };
  writeJob(project, 'demo', steps, { main: ['a', 'b', 'c'] });
  return project;
}

async function running(project = newDemo()) {
  const server = await connect(project.root);
  const { session_id } = (await server.ok('start_workflow', START)).begin_step;
  const finish = async (call: object = FINISH) =>
    (await server.ok('finished_step', { ...call })).begin_step.step_id;
  return { project, server, id: session_id as string, finish };
}

test("a file in the journal folder's place stops a start, which leaves nothing, and is not touched", async () => {
  verifies('JOBS-X.20', 'JOBS-X.4');
  const project = newDemo();
  const { git } = newRepository(project.root);
  git('commit', '--quiet', '--allow-empty', '-m', 'First');
  project.write('.deepwork/journal', 'I was here first');
  const refs = git('for-each-ref');
  const server = await connect(project.root);
  const { code, next } = await refusedUnchanged(project, server, 'start_workflow', START);
  expect(code).toBe('cannot_save');
  expect(next).toContain('.deepwork/journal');
  expect([git('for-each-ref'), keptState(project)]).toEqual([refs, {}]);
  expect((await server.ok('get_workflows')).stack).toEqual([]);
  rmSync(project.path('.deepwork/journal'));
  await server.ok('start_workflow', START);
});

onMounts('a read-only disk does not change a session, and reading still works', async () => {
  verifies('JOBS-X.20');
  const { project, server, id, finish } = await running();
  // A disk on which a file is being created cannot be made read-only.
  await until(() => readdirSync(project.path('.deepwork/tmp')).some((f) => f.endsWith('.tmp')));
  const makeWritable = mountReadOnly(project.path('.deepwork'));
  for (const [tool, args, named] of [
    ['finished_step', FINISH, id],
    ['start_workflow', START, 'session'],
    ['abort_workflow', { explanation: 'x' }, id],
  ] as const) {
    const { code, message } = await refusedUnchanged(project, server, tool, args);
    expect(code).toBe('cannot_save');
    for (const part of [named, 'EROFS']) expect(message).toContain(part);
  }
  // Also in a server that starts now.
  const fresh = await connect(project.root);
  expect((await fresh.ok('get_active_workflow')).orphans).toEqual([]);
  expect((await server.ok('get_active_workflow')).begin_step.step_id).toBe('a');
  expect((await server.ok('validate_step_outputs', FINISH)).valid).toBe(true);
  makeWritable();
  expect(await finish()).toBe('b');
  expect(readView(project, id).revision).toBe(2);
});

onMounts('a full disk does not change a session', async () => {
  verifies('JOBS-X.20');
  const project = newDemo();
  const journal = project.path('.deepwork/journal');
  mountSmallDisk(journal, '64k');
  const { server, id, finish } = await running(project);
  const view = readView(project, id);
  const { bavail, bsize } = statfsSync(journal);
  writeFileSync(`${journal}/filler`, Buffer.alloc(bavail * bsize));
  // Longer than the free space in the stream's last block.
  const long = { ...FINISH, notes: 'n'.repeat(8000) };
  for (const [tool, args] of [
    ['finished_step', long],
    ['finished_step', long],
    ['start_workflow', START],
  ] as const) {
    const { code, message } = await refusal(server, tool, args);
    expect(code).toBe('cannot_save');
    expect(message).toContain('ENOSPC');
  }
  expect(readView(project, id)).toEqual(view);
  expect((await server.ok('get_active_workflow')).stack).toMatchObject([{ step: 'a' }]);
  rmSync(`${journal}/filler`);
  expect(await finish(long)).toBe('b');
  expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'b' });
});

test('views that cannot be written cause only a warning: the work is saved and continues', async () => {
  verifies('JOBS-X.20');
  const project = newDemo();
  project.write('.deepwork/config.yml', 'git: {branch: off}\n');
  project.write('.deepwork/tmp', 'In the way');
  const server = await connect(project.root);
  const { begin_step, warnings } = await server.ok('start_workflow', START);
  const id = begin_step.session_id;
  const answer = await server.ok('finished_step', FINISH);
  for (const said of [warnings, answer.warnings]) expect(said.join()).toContain(`session '${id}'`);
  expect(answer.begin_step.step_id).toBe('b');
  await server.ok('finished_step', { outputs: {} });
  // A review cannot be requested without its file: the session waits.
  expect((await server.call('finished_step', { outputs: {} })).isError).toBe(true);
  rmSync(project.path('.deepwork/tmp'));
  mkdirSync(project.path('.deepwork/tmp'));
  const asked = await server.ok('finished_step', { outputs: {} });
  expect(asked).toMatchObject({ status: 'needs_work', warnings: [] });
  expect(readView(project, id)).toMatchObject({ current_step_id: 'c' });
});
