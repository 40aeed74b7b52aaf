// deepwork doctor on sound projects and on every kind of trouble, through the built command.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { examine, setUpClaude } from '../support/doctor.ts';
import { newHome, serveOverHttp } from '../support/http.ts';
import { mountReadOnly, whyNoMounts } from '../support/mounts.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const noMounts = whyNoMounts();
if (noMounts !== null) console.warn(`Skipped: a read-only folder (${noMounts})`);

const OK = { state: 'ok' };
const WARNING = { state: 'warning' };
const PROBLEM = { state: 'problem' };

/** A project with a run in its journal. */
async function projectWithRun(home: string): Promise<{ project: Project; stream: string }> {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { main: ['a', 'b'] });
  const server = await connect(project.root, { env: { HOME: home } });
  const start = { goal: 'G', job_name: 'demo', workflow_name: 'main' };
  const { begin_step } = await server.ok('start_workflow', start);
  await server.close();
  return {
    project,
    stream: project.path(`.deepwork/journal/session/${begin_step.session_id}.jsonl`),
  };
}

/** Everything in a folder: names, times and texts. The time of the folder itself may change. */
function everythingIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(root, name);
      const stats = lstatSync(file);
      const text = stats.isFile() ? readFileSync(file, 'latin1') : 'no file';
      return [name, stats.isDirectory() ? 'folder' : `${stats.mtimeMs} ${stats.mode} ${text}`];
    }),
  );
}

test('a sound project is well in everything, and stays as it is', async () => {
  verifies('CLIENT-9');
  const home = newHome();
  const { project } = await projectWithRun(home);
  setUpClaude(project);
  const before = [everythingIn(project.root), everythingIn(home)];
  const { code, checks } = await examine(project.root, home);
  expect(code).toBe(0);
  // How long a disk takes is not ours to promise.
  const wrong = checks.filter(({ name, state }) => state !== 'ok' && name !== 'writing');
  expect(wrong).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual([
    ...['node', 'project', 'writing', 'store', 'journals', 'definitions', 'settings', 'trust'],
    ...['server', 'claude server', 'claude hooks', 'hook log', 'git', 'disk'],
  ]);
  expect([everythingIn(project.root), everythingIn(home)]).toEqual(before);
});

test('a folder without .deepwork is no problem: deepwork init is named, nothing is made', async () => {
  verifies('CLIENT-9');
  const root = tempFolder();
  const home = tempFolder();
  const { code, check } = await examine(root, home);
  expect(code).toBe(0);
  for (const name of ['project', 'clients']) {
    expect(check(name)).toMatchObject({ ...WARNING, fix: expect.stringContaining('init') });
  }
  expect([...readdirSync(root), ...readdirSync(home)]).toEqual([]);
});

test('a journal that was altered is a problem and stays; set aside it is a warning', async () => {
  verifies('CLIENT-9');
  const home = newHome();
  const { project, stream } = await projectWithRun(home);
  const damaged = readFileSync(stream, 'utf8').replace('"goal":"G"', '"goal":"H"');
  writeFileSync(stream, damaged);
  const journals = async () => (await examine(project.root, home)).check('journals');
  expect(await journals()).toMatchObject({
    ...PROBLEM,
    detail: expect.stringContaining(path.basename(stream, '.jsonl')),
    fix: expect.stringContaining('deepwork repair'),
  });
  expect(readFileSync(stream, 'utf8')).toBe(damaged);
  const server = await connect(project.root, { env: { HOME: home } });
  await server.call('get_workflows');
  await server.close();
  expect(await journals()).toMatchObject(WARNING);
});

test('a journal of another user, or without its key, is a problem, and no key is made', async () => {
  verifies('CLIENT-9');
  const { project } = await projectWithRun(newHome());
  const home = tempFolder('.deepwork');
  const key = path.join(home, '.deepwork/signing.key');
  const journals = async () => (await examine(project.root, home)).check('journals');
  expect(await journals()).toMatchObject(PROBLEM);
  expect(existsSync(key)).toBe(false);
  writeFileSync(key, Buffer.alloc(32, 7));
  const fix = expect.stringContaining('deepwork repair --journal');
  expect(await journals()).toMatchObject({ ...PROBLEM, fix });
});

test('a file in the way and a link out of the project are problems, and nothing is written', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  project.write('.deepwork/tmp', 'in the way');
  expect((await examine(project.root, newHome())).check('writing')).toMatchObject(PROBLEM);
  const linked = newProject();
  const outside = tempFolder();
  symlinkSync(outside, linked.path('.deepwork/tmp'));
  expect((await examine(linked.root, newHome())).check('writing')).toMatchObject(PROBLEM);
  expect(readdirSync(outside)).toEqual([]);
});

test.runIf(noMounts === null)('a folder that is read-only is a problem', async () => {
  verifies('CLIENT-9');
  for (const folder of ['.deepwork/tmp', '.deepwork/journal', '.']) {
    const project = newProject();
    for (const each of ['.deepwork/tmp', '.deepwork/journal']) mkdirSync(project.path(each));
    const end = mountReadOnly(project.path(folder));
    const { check } = await examine(project.root, newHome());
    expect(check('writing'), folder).toMatchObject(PROBLEM);
    end();
  }
});

test('mistakes in settings, jobs and the files of clients are problems', async () => {
  verifies('CLIENT-9');
  const project = newProject({ '.mcp.json': '{"mcpServers": ' });
  const home = newHome();
  project.write('.deepwork/config.yml', 'git: {branch: sometimes}\n');
  project.write('.deepwork/jobs/demo/job.yml', 'name: [\n');
  const { check } = await examine(project.root, home);
  const fix = expect.stringContaining('deepwork lint');
  const detail = expect.stringContaining('.deepwork/config.yml:1:15: ');
  expect(check('settings')).toMatchObject({ ...PROBLEM, detail, fix });
  expect(check('definitions')).toMatchObject({ ...PROBLEM, fix });
  expect(check('claude server')).toMatchObject(PROBLEM);
  project.write('.deepwork/config.yml', '#'.repeat(2 * 1024 * 1024));
  const tooLarge = await examine(project.root, home);
  for (const name of ['settings', 'trust']) expect(tooLarge.check(name)).toMatchObject(PROBLEM);
});

test('commands that wait for a person are a warning', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const checks = [{ name: 'tests', run: 'npm test' }];
  writeJob(project, 'demo', { a: { checks } }, { main: ['a'] });
  const { check } = await examine(project.root, newHome(), { DEEPWORK_TRUST: '1' });
  expect(check('definitions')).toMatchObject(OK);
  const fix = expect.stringContaining('deepwork trust');
  expect(check('trust')).toMatchObject({ ...WARNING, fix });
});

test('a server over HTTP is recognized by its proof, and a stranger in its place is not', async () => {
  verifies('CLIENT-9');
  const tokens = 'git: {branch: off}\nteam: {tokens: true}\n';
  const project = newProject({ '.deepwork/config.yml': tokens });
  const { home, url, port, child, ended } = await serveOverHttp(project.root);
  const entry = { mcpServers: { deepwork: { type: 'http', url: `${url}/mcp` } } };
  project.write('.mcp.json', JSON.stringify(entry));
  const detail = expect.stringContaining(url);
  const running = await examine(project.root, home);
  expect(running.check('server')).toMatchObject({ ...OK, detail });
  expect(running.check('claude server')).toMatchObject({ ...OK, detail });
  child.kill('SIGKILL');
  await ended;
  expect((await examine(project.root, home)).check('server')).toMatchObject(OK);
  const stranger = createServer((_, res) => {
    res.writeHead(401).end('{"error": "A valid token is needed.", "proof": "mine"}');
  });
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  const { check } = await examine(project.root, home);
  stranger.close();
  expect(check('server').detail).toContain('another program uses its last address');
  expect(check('claude server')).toMatchObject(PROBLEM);
});

test('entries and hooks that name a program that is not there are problems', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  setUpClaude(project, '/moved/away/deepwork');
  project.write('.codex/config.toml', '[mcp_servers.deepwork]\ncommand = "no-such-deepwork"\n');
  const { check } = await examine(project.root, newHome());
  const detail = expect.stringContaining('/moved/away/deepwork');
  const fix = expect.stringContaining('deepwork init');
  for (const name of ['claude server', 'claude hooks']) {
    expect(check(name)).toMatchObject({ ...PROBLEM, detail, fix });
  }
  expect(check('codex server')).toMatchObject(PROBLEM);
  expect(check('codex hooks')).toMatchObject(WARNING);
});

/** A project that starts a program of this text as deepwork. */
function projectWithProgram(text: string) {
  const project = newProject();
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'deepwork'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  setUpClaude(project, 'deepwork');
  return { project, folder, env: { PATH: `${folder}:${process.env.PATH}` } };
}

test('a hook that says nothing where it has to refuse, and a server that is none, are problems', async () => {
  verifies('CLIENT-9');
  const { project, env } = projectWithProgram('exit 0');
  const { check } = await examine(project.root, newHome(), env);
  for (const name of ['claude hooks', 'claude server']) expect(check(name)).toMatchObject(PROBLEM);
});

test('a program that does not end is ended', { timeout: 120_000 }, async () => {
  verifies('CLIENT-9');
  const { project, folder, env } = projectWithProgram('echo $$ >> "$0.pids"\nexec sleep 600');
  const { check } = await examine(project.root, newHome(), env);
  for (const name of ['claude hooks', 'claude server']) expect(check(name)).toMatchObject(PROBLEM);
  const started = readFileSync(path.join(folder, 'deepwork.pids'), 'utf8').trim().split('\n');
  expect(started).toHaveLength(4);
  for (const pid of started) await until(() => commandOf(pid) === '');
});

/** Empty for a process that has ended, whether someone has asked for its exit code or not. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('troubles in the log of hooks are a warning while they are recent', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const home = newHome();
  const logged = async (at: number) => {
    const line = `${new Date(at).toISOString()} claude stop: it broke\n`;
    writeFileSync(path.join(home, '.deepwork/hook.log'), line);
    return (await examine(project.root, home)).check('hook log');
  };
  const detail = expect.stringContaining('it broke');
  expect(await logged(Date.now() - 60_000)).toMatchObject({ ...WARNING, detail });
  expect(await logged(Date.now() - 30 * 24 * 3_600_000)).toMatchObject(OK);
});

test('a project without a repository is warned of, one with a commit is well and gets no branch', async () => {
  verifies('CLIENT-9');
  const project = newProject({ '.deepwork/config.yml': 'git: {branch: create}\n' });
  const git = async () => (await examine(project.root, newHome())).check('git');
  expect(await git()).toMatchObject(WARNING);
  const repository = newRepository(project.root);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  expect(await git()).toMatchObject(OK);
  expect(repository.branches()).toEqual([]);
});

test('a path that is no folder is a wrong command line', async () => {
  verifies('CLIENT-9');
  const ran = await command(['doctor', '--path', 'ghost'], { cwd: tempFolder() });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
});
