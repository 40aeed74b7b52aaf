// The readable view of a session, `.deepwork/tmp/session_<id>.json`: its fields, and that it is only
// a copy, rebuilt from the journal whenever it is wrong.

import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView, viewFile } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const UTC = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
/** Several servers that work for one client session: each may continue what it began. */
const SAME = { CLAUDE_CODE_SESSION_ID: 'one conversation' };
const A = { outputs: { report: 'a.md' }, notes: 'Noted' };

/** The directory's name differs from the job's. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  const steps = { a: { outputs: { report: 'file' } }, b: {}, c: {} };
  writeJob(project, 'folder', steps, { main: ['a', 'b', 'c'] }, { name: 'declared' });
  return project;
}

async function start(server: Connection): Promise<string> {
  const args = { goal: 'A goal', job_name: 'folder', workflow_name: 'main', instance_id: 'acme' };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

test('a view has every promised field, from start to end', async () => {
  verifies('JOBS-REQ-001.4.15', 'JOBS-X.20');
  const project = newDemo();
  const server = await connect(project.root);
  const id = await start(server);
  const begun = readView(project, id);
  expect(begun).toEqual({
    session_id: id,
    job_name: 'declared',
    workflow_name: 'main',
    instance_id: 'acme',
    goal: 'A goal',
    current_step_id: 'a',
    current_entry_index: 0,
    step_progress: {
      a: {
        step_id: 'a',
        started_at: begun.started_at,
        completed_at: null,
        outputs: {},
        notes: null,
        quality_attempts: 0,
      },
    },
    started_at: UTC,
    completed_at: null,
    status: 'active',
    abort_reason: null,
    revision: 1,
    agent: expect.objectContaining({ owner: expect.any(String) }),
    parent_session_id: null,
    branch_name: 'deepwork/declared-main-acme',
    job_dir: project.path('.deepwork/jobs/folder'),
    context: { goal: 'A goal', job_name: 'declared', workflow_name: 'main', instance_id: 'acme' },
    last_accepted: null,
    history: [expect.objectContaining({ event: 'started' })],
  });

  await server.ok('finished_step', A);
  const advanced = readView(project, id);
  expect(advanced).toMatchObject({
    revision: 2,
    current_step_id: 'b',
    current_entry_index: 1,
    step_progress: { a: { completed_at: UTC } },
    last_accepted: A,
  });
  // Submitted files are recorded by their hash.
  const sha256 = '559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd';
  expect(JSON.stringify(advanced.history)).toContain(sha256);

  await server.ok('finished_step', { outputs: {} });
  await server.ok('finished_step', { outputs: {} });
  const ended = readView(project, id);
  expect(Object.keys(ended)).toEqual(Object.keys(begun));
  expect(ended).toMatchObject({ revision: 4, status: 'completed', completed_at: UTC });
  for (const item of ended.history) {
    expect(item).toMatchObject({ at: UTC, event: expect.stringMatching(/^[a-z_]+$/) });
    expect(item).toHaveProperty('step_id');
  }
});

test('a view that is wrong is rebuilt by the next server, and never read for state', async () => {
  verifies('JOBS-X.20');
  const damages: [string, (right: string) => string | null][] = [
    ['missing', () => null],
    ['empty', () => ''],
    ['cut off', (right) => right.slice(0, right.length / 2)],
    ['not JSON', () => '\0\xff{{{'],
    ['no object', () => 'null'],
    ['stale', (right) => right.replace('"revision": 2', '"revision": 1')],
    ['from the future', (right) => right.replace('"revision": 2', '"revision": 99')],
  ];
  const project = newDemo();
  // Its own sessions: reading them takes nothing over, which would be a new revision.
  const first = await connectToProcess(project.root, { env: SAME, closeAfterTest: false });
  const sessions: { name: string; id: string; right: string }[] = [];
  const viewOf = (id: string) => readFileSync(project.path(viewFile(id)), 'utf8');
  for (const [name] of damages) {
    const id = await start(first);
    await first.ok('finished_step', A);
    sessions.push({ name, id, right: viewOf(id) });
  }
  await first.close();
  for (const [index, { id, right }] of sessions.entries()) {
    const completed = right.replace('"status": "active"', '"status": "completed"');
    const wrong = damages[index]?.[1](completed) ?? null;
    if (wrong === null) rmSync(project.path(viewFile(id)));
    else project.write(viewFile(id), wrong);
  }
  const second = await connect(project.root, { env: SAME });
  for (const { name, id, right } of sessions) {
    const { begin_step } = await second.ok('get_active_workflow', { session_id: id });
    expect([begin_step.step_id, viewOf(id)], name).toEqual(['b', right]);
  }
});

test('it is replaced by the next commit of a running server', async () => {
  verifies('JOBS-X.20');
  const project = newDemo();
  const server = await connect(project.root);
  const id = await start(server);
  project.write(viewFile(id), 'Rubbish');
  expect((await server.ok('finished_step', A)).warnings).toEqual([]);
  expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'b' });
  removeFolder(project.path('.deepwork/tmp'));
  expect((await server.ok('finished_step', { outputs: {} })).warnings).toEqual([]);
  expect(readView(project, id)).toMatchObject({ revision: 3, current_step_id: 'c' });
});
