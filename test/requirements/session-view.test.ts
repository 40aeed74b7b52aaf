// The readable view of a session, `.deepwork/tmp/session_<id>.json`: its fields, and that it is only
// a copy, rebuilt from the journal whenever it is wrong.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView, viewFile } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const FIELDS = [
  'session_id',
  'job_name',
  'workflow_name',
  'instance_id',
  'goal',
  'current_step_id',
  'current_entry_index',
  'step_progress',
  'started_at',
  'completed_at',
  'status',
  'abort_reason',
  'revision',
  'agent',
  'parent_session_id',
  'branch_name',
  'job_dir',
  'context',
  'last_accepted',
  'history',
];

/** The directory's name differs from the job's. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  const steps = { a: { outputs: { report: 'file' } }, b: {} };
  writeJob(project, 'folder', steps, { main: ['a', 'b'] }, { name: 'declared' });
  return project;
}

const START = { goal: 'A goal', job_name: 'folder', workflow_name: 'main', instance_id: 'acme' };

async function start(server: Connection): Promise<string> {
  return (await server.ok('start_workflow', START)).begin_step.session_id;
}

describe('the view of a session', () => {
  test('has every promised field, from start to end', async () => {
    verifies('JOBS-REQ-001.4.15', 'JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await start(server);
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    const begun = readView(project, id);
    expect(Object.keys(begun).sort()).toEqual([...FIELDS].sort());
    expect(begun).toMatchObject({
      session_id: id,
      job_name: 'declared',
      workflow_name: 'main',
      instance_id: 'acme',
      goal: 'A goal',
      current_step_id: 'a',
      current_entry_index: 0,
      completed_at: null,
      status: 'active',
      abort_reason: null,
      revision: 1,
      parent_session_id: null,
      branch_name: 'deepwork/declared-main-acme',
      job_dir: project.path('.deepwork/jobs/folder'),
      context: {
        goal: 'A goal',
        job_name: 'declared',
        workflow_name: 'main',
        instance_id: 'acme',
      },
      last_accepted: null,
    });
    expect(begun.started_at).toMatch(UTC);
    expect(begun.step_progress).toEqual({
      a: {
        step_id: 'a',
        started_at: begun.started_at,
        completed_at: null,
        outputs: {},
        notes: null,
        quality_attempts: 0,
      },
    });
    expect(Object.keys(begun.agent).length).toBeGreaterThanOrEqual(2);

    await server.ok('finished_step', { outputs: { report: 'a.md' }, notes: 'Noted' });
    const advanced = readView(project, id);
    expect(advanced).toMatchObject({
      revision: 2,
      current_step_id: 'b',
      current_entry_index: 1,
      last_accepted: { outputs: { report: 'a.md' }, notes: 'Noted' },
    });
    expect(advanced.step_progress.a.completed_at).toMatch(UTC);
    // Submitted files are recorded by their hash.
    const sha256 = '559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd';
    expect(JSON.stringify(advanced.history)).toContain(sha256);

    await server.ok('finished_step', { outputs: {} });
    const ended = readView(project, id);
    expect(Object.keys(ended).sort()).toEqual([...FIELDS].sort());
    expect(ended).toMatchObject({ revision: 3, status: 'completed' });
    expect(ended.completed_at).toMatch(UTC);
    for (const item of ended.history) {
      expect(item.at).toMatch(UTC);
      expect(item).toHaveProperty('step_id');
      expect(item.event).toMatch(/^[a-z_]+$/);
    }
  });

  test('is in a folder that git ignores, and leaves no other files there', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await start(server);
    await server.ok('finished_step', { outputs: { report: 'a.md' } });
    await server.close();
    // Of a journal in a database, what was listed last is kept there, too.
    const files = readdirSync(project.path('.deepwork/tmp')).filter(
      (name) => name !== 'listed.json',
    );
    expect(files.sort()).toEqual(['.gitignore', 'answered.json', 'open', `session_${id}.json`]);
    execFileSync('git', ['init', '--quiet'], { cwd: project.root });
    const untracked = execFileSync(
      'git',
      ['status', '--porcelain', '--untracked-files=all', '--', '.deepwork/tmp'],
      { cwd: project.root, encoding: 'utf8' },
    );
    expect(untracked).toBe('');
    const ignored = readFileSync(project.path('.deepwork/tmp/.gitignore'), 'utf8');
    expect(ignored).toBe('*\n!.gitignore\n');
  });

  test('keeps what a person wrote into the .gitignore', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    project.write('.deepwork/tmp/.gitignore', '# Mine\n');
    await start(await connect(project.root));
    expect(readFileSync(project.path('.deepwork/tmp/.gitignore'), 'utf8')).toBe('# Mine\n');
  });
});

describe('a view that is wrong', () => {
  const damages: [string, (right: string) => string | null][] = [
    ['missing', () => null],
    ['empty', () => ''],
    ['cut off', (right) => right.slice(0, right.length / 2)],
    ['not JSON', () => '\0\xff{{{'],
    ['no object', () => 'null'],
    ['stale', (right) => right.replace('"revision": 2', '"revision": 1')],
    ['from the future', (right) => right.replace('"revision": 2', '"revision": 99')],
  ];

  test('is rebuilt by the next server, and never read for state', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    // Its own sessions: reading them takes nothing over, which would be a new revision.
    const env = { CLAUDE_CODE_SESSION_ID: 'conversation' };
    const first = await connectToProcess(project.root, { env, closeAfterTest: false });
    const sessions: { id: string; right: string }[] = [];
    for (const _ of damages) {
      const id = await start(first);
      await first.ok('finished_step', { outputs: { report: 'a.md' } });
      sessions.push({ id, right: readFileSync(project.path(viewFile(id)), 'utf8') });
    }
    await first.close();
    for (const [index, [, damage]] of damages.entries()) {
      const { id, right } = sessions[index] as (typeof sessions)[0];
      const wrong = damage(right.replace('"status": "active"', '"status": "completed"'));
      if (wrong === null) rmSync(project.path(viewFile(id)));
      else project.write(viewFile(id), wrong);
    }

    const second = await connect(project.root, { env });
    for (const [index, [name]] of damages.entries()) {
      const { id, right } = sessions[index] as (typeof sessions)[0];
      const active = await second.ok('get_active_workflow', { session_id: id });
      expect(active.begin_step.step_id, name).toBe('b');
      expect(readFileSync(project.path(viewFile(id)), 'utf8'), name).toBe(right);
    }
  });

  test('is replaced by the next commit of a running server', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await start(server);
    project.write(viewFile(id), 'Rubbish');
    const answer = await server.ok('finished_step', { outputs: { report: 'a.md' } });
    expect(answer.warnings).toEqual([]);
    expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'b' });
    removeFolder(project.path('.deepwork/tmp'));
    expect((await server.ok('finished_step', { outputs: {} })).warnings).toEqual([]);
    expect(readView(project, id)).toMatchObject({ revision: 3, status: 'completed' });
  });
});
