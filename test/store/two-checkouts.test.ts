// Two checkouts of one repository, each with a home of its own, as on two machines: an agent dies
// in one, and another goes on with its run in the other.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { type Project, projectAt, writeJob } from '../support/project.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

function git(folder: string, ...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...author, ...args], { cwd: folder, env, stdio: 'pipe' });
}

interface Checkout extends Project {
  readonly home: string;
}

function twoCheckouts(): [Checkout, Checkout] {
  const folder = tempFolder('source', 'home-one', 'home-two');
  const source = projectAt(path.join(folder, 'source'));
  source.write('.deepwork/config.yml', 'git:\n  branch: off\n');
  const steps = { a: { outputs: { report: 'file' } }, b: { outputs: { result: 'file' } }, c: {} };
  writeJob(source, 'demo', steps, { main: ['a', 'b', 'c'] });
  git(source.root, 'init', '-q');
  git(source.root, 'add', '.');
  git(source.root, 'commit', '-qm', 'first');
  const clone = (name: string, origin: string): Checkout => {
    git(folder, 'clone', '-q', source.root, name);
    const root = path.join(folder, name);
    git(root, 'remote', 'set-url', 'origin', origin);
    return { ...projectAt(root), home: path.join(folder, `home-${name}`) };
  };
  return [
    clone('one', 'https://me:secret@Host.example/team/project.git'),
    clone('two', 'git@host.example:team/project'),
  ];
}

test('a run whose agent died goes on in the other checkout, which names the outputs it lacks', async () => {
  verifies('STORE-2');
  const [one, two] = twoCheckouts();
  const database = await freshDatabase();
  const envOf = ({ home }: Checkout) => ({ DEEPWORK_DATABASE_URL: database, HOME: home });
  const first = await connectToProcess(one.root, { env: envOf(one), closeAfterTest: false });
  const { begin_step: begun } = await first.ok('start_workflow', START);
  const id: string = begun.session_id;
  // By its absolute path, as agents often name files.
  const report = one.write('docs/report.md', 'Done\n');
  await first.ok('finished_step', { outputs: { report } });
  one.write('docs/result.md', 'Done\n');
  await first.ok('finished_step', { outputs: { result: 'docs/result.md' } });
  process.kill(first.pid, 'SIGKILL');
  await first.close().catch(() => {});

  const sql = postgres(database, { max: 1 });
  const rows = await sql`select line, workspace from deepwork.event`;
  await sql.end();
  expect(new Set(rows.map(({ workspace }) => workspace))).toEqual(
    new Set(['host.example/team/project']),
  );
  const paths = rows.filter(({ line }) => line.includes(one.root) || line.includes(one.home));
  expect(paths).toEqual([]);

  two.write('docs/result.md', 'Something else\n');
  const second = await connect(two.root, { env: envOf(two) });
  await until(async () => (await second.ok('get_active_workflow')).orphans.length === 1);
  const seen = await second.ok('get_active_workflow', { session_id: id });
  expect(seen.begin_step).toMatchObject({ step_id: 'c', job_dir: two.path('.deepwork/jobs/demo') });
  expect(seen.warnings).toHaveLength(1);
  for (const file of ['docs/report.md', 'docs/result.md']) {
    expect(seen.warnings[0]).toContain(file);
  }
  // The view of what this server was asked for is here now.
  expect(existsSync(two.path(`.deepwork/tmp/session_${id}.json`))).toBe(true);

  two.write('docs/report.md', 'Done\n');
  const back = await second.ok('go_to_step', { step_id: 'b' });
  expect(back).not.toHaveProperty('warnings');
  const next = await second.ok('finished_step', { outputs: { result: 'docs/result.md' } });
  expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'c' } });
  // Something was accepted here: what follows is work of this checkout.
  expect((await second.ok('get_active_workflow')).warnings).toEqual([]);
  expect(await second.ok('finished_step', { outputs: {} })).toMatchObject({
    status: 'workflow_complete',
  });
});

test('a copy of a folder does not join its streams, and says so', async () => {
  verifies('STORE-2');
  const folder = tempFolder('first');
  const first = projectAt(path.join(folder, 'first'));
  writeJob(first, 'demo', { a: {}, b: {} }, { main: ['a', 'b'] });
  const env = { DEEPWORK_DATABASE_URL: await freshDatabase() };
  const original = await connectToProcess(first.root, { env });
  const { session_id } = (await original.ok('start_workflow', START)).begin_step;
  expect((await original.ok('get_active_workflow')).warnings).toEqual([]);
  await original.close();
  cpSync(first.root, path.join(folder, 'copy'), { recursive: true });
  const copy = projectAt(path.join(folder, 'copy'));
  const agent = await connectToProcess(copy.root, { env });
  await agent.refused('finished_step', { outputs: {}, session_id });
  const { active, orphans, warnings } = await agent.ok('get_active_workflow');
  expect({ active, orphans }).toEqual({ active: false, orphans: [] });
  expect(warnings.join()).toContain('workspace.id');
  for (const words of [['status'], ['store', 'status'], ['doctor']]) {
    const { stdout, stderr } = await command(words, { cwd: copy.root, env });
    expect(stdout + stderr, words.join(' ')).toContain('workspace.id');
  }
  // The original goes on with its own.
  const again = await connectToProcess(first.root, { env });
  expect((await again.ok('get_active_workflow')).orphans).toMatchObject([{ session_id }]);
});

test('messages reach agents at a server of another checkout', async () => {
  const env = storeEnv(await freshDatabase());
  const [one, two] = [sharedProject(), sharedProject()];
  const writer = await connect(one.root, { env, args: ['--agent', 'writer'] });
  const reader = await connect(two.root, { env, args: ['--agent', 'reader'] });
  await reader.call('check_inbox');
  const sent = await writer.call('send_message', { toAgent: 'reader', body: 'Hello from afar' });
  expect(sent.isError, sent.text).toBe(false);
  expect((await reader.call('check_inbox')).text).toContain('Hello from afar');
});
