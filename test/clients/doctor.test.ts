// deepwork doctor on sound projects and on every kind of trouble, through the built command.

import {
  chmodSync,
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
import { BINARY, connect } from '../support/connect.ts';
import { examine, setUpClaude } from '../support/doctor.ts';
import { cleanEnv, newHome, serveOverHttp } from '../support/http.ts';
import { mountReadOnly, whyNoMounts } from '../support/mounts.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const noMounts = whyNoMounts();
if (noMounts !== null) console.warn(`Skipped: a read-only folder (${noMounts})`);

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
  const { code, checks, check } = await examine(project.root, home);
  expect(code).toBe(0);
  // How long a disk takes is not ours to promise.
  const wrong = checks.filter(({ name, state }) => state !== 'ok' && name !== 'writing');
  expect(wrong).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual([
    ...[
      'node',
      'project',
      'writing',
      'store',
      'journals',
      'definitions',
      'settings',
      'trust',
      'server',
    ],
    ...['claude server', 'claude hooks', 'hook log', 'git', 'disk'],
  ]);
  expect(check('writing').detail).toMatch(/^\.deepwork\/tmp: written and synced in [\d.]+ ms$/);
  expect(check('journals').detail).toBe('1 stream, 1 event, all verified');
  expect(check('claude server').detail).toMatch(/^\.mcp\.json: answers in \d+ ms with \d\d tools$/);
  expect(check('claude hooks').detail).toMatch(
    /^\.claude\/settings\.json: start in \d+ ms, stop in \d+ ms, tool in \d+ ms$/,
  );
  expect([everythingIn(project.root), everythingIn(home)]).toEqual(before);
});

test('a folder without .deepwork is no problem: deepwork init is named, nothing is made', async () => {
  verifies('CLIENT-9');
  const root = tempFolder();
  const home = tempFolder();
  const { code, check } = await examine(root, home);
  expect(code).toBe(0);
  expect(check('project')).toMatchObject({ state: 'warning', fix: 'set it up: deepwork init' });
  expect(check('clients').fix).toContain('deepwork init');
  expect([...readdirSync(root), ...readdirSync(home)]).toEqual([]);
});

test('a damaged journal is a problem, and is left where it is', async () => {
  verifies('CLIENT-9');
  const home = newHome();
  const { project, stream } = await projectWithRun(home);
  const damaged = readFileSync(stream, 'utf8').replace('"goal":"G"', '"goal":"H"');
  writeFileSync(stream, damaged);
  const { check } = await examine(project.root, home);
  expect(check('journals')).toMatchObject({ state: 'problem' });
  expect(check('journals').detail).toMatch(/session\/[0-9a-f]{8}/);
  expect(check('journals').fix).toContain('deepwork repair');
  expect(readFileSync(stream, 'utf8')).toBe(damaged);
});

test('a journal of another user, or without its key, is a problem', async () => {
  verifies('CLIENT-9');
  const { project } = await projectWithRun(newHome());
  const home = tempFolder('.deepwork');
  const keyless = await examine(project.root, home);
  expect(keyless.check('journals')).toMatchObject({ state: 'problem' });
  expect(existsSync(path.join(home, '.deepwork/signing.key'))).toBe(false);
  writeFileSync(path.join(home, '.deepwork/signing.key'), Buffer.alloc(32, 7));
  const { check } = await examine(project.root, home);
  expect(check('journals')).toMatchObject({ state: 'problem' });
  expect(check('journals').fix).toContain('deepwork repair --journal');
});

test('a journal that was set aside is a warning', async () => {
  verifies('CLIENT-9');
  const home = newHome();
  const { project, stream } = await projectWithRun(home);
  writeFileSync(stream, readFileSync(stream, 'utf8').replace('"goal":"G"', '"goal":"H"'));
  const server = await connect(project.root, { env: { HOME: home } });
  await server.call('get_workflows');
  await server.close();
  const { check } = await examine(project.root, home);
  expect(check('journals')).toMatchObject({ state: 'warning' });
});

test('a folder that cannot be written to is a problem', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  project.write('.deepwork/tmp', 'in the way');
  const { check } = await examine(project.root, newHome());
  expect(check('writing')).toMatchObject({ state: 'problem' });
  expect(check('writing').detail).toContain('.deepwork/tmp');
});

test.runIf(noMounts === null)('a folder that is read-only is a problem', async () => {
  verifies('CLIENT-9');
  for (const folder of ['.deepwork/tmp', '.deepwork/journal', '.']) {
    const project = newProject();
    for (const each of ['.deepwork/tmp', '.deepwork/journal']) mkdirSync(project.path(each));
    const end = mountReadOnly(project.path(folder));
    const { check } = await examine(project.root, newHome());
    expect(check('writing'), folder).toMatchObject({ state: 'problem' });
    end();
  }
});

test('a link out of the project is a problem, and nothing is written through it', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const outside = tempFolder();
  symlinkSync(outside, project.path('.deepwork/tmp'));
  const { check } = await examine(project.root, newHome());
  expect(check('writing')).toMatchObject({ state: 'problem', fix: 'remove the link' });
  expect(readdirSync(outside)).toEqual([]);
});

test('mistakes in config.yml and GOAL.md are problems with their place', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const home = newHome();
  project.write('.deepwork/config.yml', 'git: {branch: sometimes}\n');
  project.write('GOAL.md', '---\nmodls: {}\n---\n');
  const wrong = (await examine(project.root, home)).check('settings');
  expect(wrong.state).toBe('problem');
  expect(wrong.detail).toMatch(/^\.deepwork\/config\.yml:1:15: git\.branch: .*create/);
  expect(wrong.detail).toContain('(2 problems in all)');
  expect(wrong.fix).toContain('deepwork lint');
  project.write('.deepwork/config.yml', '#'.repeat(2 * 1024 * 1024));
  const { check } = await examine(project.root, home);
  expect(check('settings')).toMatchObject({ state: 'problem' });
  expect(check('trust')).toMatchObject({ state: 'problem' });
});

test('a job that does not load is a problem', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  project.write('.deepwork/jobs/demo/job.yml', 'name: [\n');
  const { check } = await examine(project.root, newHome());
  expect(check('definitions')).toMatchObject({ state: 'problem' });
  expect(check('definitions').fix).toContain('deepwork lint');
});

test('commands that wait for a person are a warning', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const checks = [{ name: 'tests', run: 'npm test' }];
  writeJob(project, 'demo', { a: { checks } }, { main: ['a'] });
  const { check } = await examine(project.root, newHome(), { DEEPWORK_TRUST: '1' });
  expect(check('definitions')).toMatchObject({ state: 'ok' });
  expect(check('trust')).toEqual({
    name: 'trust',
    state: 'warning',
    detail: '1 command: not agreed to yet',
    fix: 'look at it and agree: deepwork trust',
  });
});

test("the project's server over HTTP answers, and is not missed when it is gone", async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const { home, url, child, ended } = await serveOverHttp(project.root);
  const running = (await examine(project.root, home)).check('server');
  expect(running).toMatchObject({ state: 'ok' });
  expect(running.detail).toContain(`answers at ${url}, writes in `);
  child.kill('SIGKILL');
  await ended;
  const gone = (await examine(project.root, home)).check('server');
  expect(gone).toMatchObject({ state: 'ok' });
  expect(gone.detail).toContain('none is running over HTTP');
});

test('a server that needs tokens is recognized by its proof, and a stranger in its place is not', async () => {
  verifies('CLIENT-9');
  const project = newProject({
    '.deepwork/config.yml': 'git: {branch: off}\nteam: {tokens: true}\n',
  });
  const { home, url, port, child, ended } = await serveOverHttp(project.root);
  const entry = { mcpServers: { deepwork: { type: 'http', url: `${url}/mcp` } } };
  project.write('.mcp.json', JSON.stringify(entry));
  const running = await examine(project.root, home);
  expect(running.check('server')).toMatchObject({
    state: 'ok',
    detail: `answers at ${url}; it needs a token`,
  });
  expect(running.check('claude server')).toMatchObject({
    state: 'ok',
    detail: `.mcp.json: ${url}/mcp answers; it needs a token`,
  });
  child.kill('SIGKILL');
  await ended;
  const stranger = createServer((_, res) => {
    res.writeHead(401).end('{"error": "A valid token is needed.", "proof": "mine"}');
  });
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  const gone = await examine(project.root, home);
  stranger.close();
  expect(gone.check('server').detail).toContain('another program uses its last address');
  expect(gone.check('claude server').detail).toContain('no deepwork answers');
});

test('entries and hooks that name a program that is not there are problems', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  setUpClaude(project, '/moved/away/deepwork');
  project.write('.codex/config.toml', '[mcp_servers.deepwork]\ncommand = "no-such-deepwork"\n');
  const { check } = await examine(project.root, newHome());
  for (const name of ['claude server', 'claude hooks']) {
    expect(check(name)).toMatchObject({ state: 'problem' });
    expect(check(name).detail).toContain('names /moved/away/deepwork, which does not exist');
    expect(check(name).fix).toContain('deepwork init');
  }
  expect(check('codex server')).toMatchObject({
    state: 'problem',
    detail: '.codex/config.toml names no-such-deepwork, which is not on the PATH',
  });
  expect(check('codex hooks')).toMatchObject({ state: 'warning' });
});

test('a hook that says nothing where it has to refuse, and a server that is none, are problems', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const programs = tempFolder();
  const silent = path.join(programs, 'deepwork');
  writeFileSync(silent, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  setUpClaude(project, 'deepwork');
  const env = { PATH: `${programs}:${process.env.PATH}` };
  const { check } = await examine(project.root, newHome(), env);
  expect(check('claude hooks').detail).toContain('lets an agent write the journal');
  expect(check('claude server').detail).toContain('did not answer (exit code 0)');
});

test('a program that does not end is ended', { timeout: 120_000 }, async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const programs = tempFolder();
  const stuck = path.join(programs, 'deepwork');
  const pids = path.join(programs, 'pids');
  writeFileSync(stuck, `#!/bin/sh\necho $$ >> ${pids}\nexec sleep 600\n`, { mode: 0o755 });
  setUpClaude(project, 'deepwork');
  const env = { PATH: `${programs}:${process.env.PATH}` };
  const { check } = await examine(project.root, newHome(), env);
  expect(check('claude hooks').detail).toMatch(/timed out after \d+ s/);
  expect(check('claude server').detail).toMatch(/timed out after \d+ s/);
  const started = readFileSync(pids, 'utf8').trim().split('\n');
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

test('nothing that a project brings is started', async () => {
  verifies('CLIENT-9');
  const home = newHome();
  const outside = tempFolder();
  const mark = path.join(outside, 'ran');
  const evil = `#!/bin/sh\ntouch ${mark}\n`;
  const commands: (readonly string[])[] = [
    ['./deepwork'],
    ['bin/deepwork'],
    ['sh', '-c', `touch ${mark}; deepwork`],
    ['node', './dist/main.cjs'],
    ['node', '-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`],
    ['npx', 'deepwork'],
  ];
  for (const words of commands) {
    const project = newProject({
      deepwork: evil,
      'bin/deepwork': evil,
      'package.json': '{"name": "deepwork"}',
      'dist/main.cjs': `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`,
    });
    for (const file of ['deepwork', 'bin/deepwork']) chmodSync(project.path(file), 0o755);
    const [command, ...args] = words;
    const server = { command, args: [...args, 'serve'] };
    project.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: server } }));
    const line = `${words.join(' ')} hook claude stop`;
    const Stop = [{ hooks: [{ type: 'command', command: line }] }];
    project.write('.claude/settings.json', JSON.stringify({ hooks: { Stop } }));
    const { check } = await examine(project.root, home, {
      PATH: `${project.path('bin')}:${process.env.PATH}`,
    });
    expect(check('claude server').state, line).not.toBe('ok');
    expect(check('claude hooks').state, line).not.toBe('ok');
    expect(existsSync(mark), line).toBe(false);
  }
});

test('the environment that an entry sets does not reach what is started', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const mark = path.join(tempFolder(), 'ran');
  project.write('evil.cjs', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`);
  const NODE_OPTIONS = `--require ${project.path('evil.cjs')}`;
  const server = { command: BINARY, args: ['serve'], env: { NODE_OPTIONS } };
  project.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: server } }));
  const { check } = await examine(project.root, newHome());
  expect(check('claude server')).toMatchObject({ state: 'ok' });
  expect(existsSync(mark)).toBe(false);
});

test('a client file that cannot be parsed is a problem', async () => {
  verifies('CLIENT-9');
  const project = newProject({ '.mcp.json': '{"mcpServers": ' });
  const { check } = await examine(project.root, newHome());
  expect(check('claude server')).toMatchObject({ state: 'problem' });
  expect(check('claude server').detail).toMatch(/^\.mcp\.json is not valid JSON/);
});

test('troubles in the log of hooks are a warning while they are recent', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  const home = newHome();
  const log = path.join(home, '.deepwork/hook.log');
  const line = (at: number) => `${new Date(at).toISOString()} claude stop: it broke\n`;
  writeFileSync(log, line(Date.now() - 60_000));
  const { code, check } = await examine(project.root, home);
  expect(code).toBe(0);
  expect(check('hook log')).toMatchObject({ state: 'warning' });
  expect(check('hook log').detail).toContain('claude stop: it broke');
  writeFileSync(log, line(Date.now() - 30 * 24 * 3_600_000));
  expect((await examine(project.root, home)).check('hook log')).toMatchObject({ state: 'ok' });
});

test('a project without a repository is warned of, one with a commit is well', async () => {
  verifies('CLIENT-9');
  const project = newProject({ '.deepwork/config.yml': 'git: {branch: create}\n' });
  const home = newHome();
  const without = (await examine(project.root, home)).check('git');
  expect(without).toMatchObject({ state: 'warning' });
  expect(without.fix).toContain('git.branch: off');
  const repository = newRepository(project.root);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  const { check } = await examine(project.root, home);
  expect(check('git').detail).toMatch(/^git \d[\d.]+.*; git\.branch: create$/);
  expect(check('git').state).toBe('ok');
  expect(repository.branches()).toEqual([]);
});

test('for people it is aligned, fits 80 columns and has no colour in a pipe', async () => {
  verifies('CLIENT-9');
  const project = newProject();
  setUpClaude(project, '/moved/away/deepwork');
  const options = { cwd: project.root, env: cleanEnv(newHome()) };
  const { code, stdout } = await command(['doctor'], options);
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^2 problems, \d warnings?\.$/);
  expect(lines[0]).toMatch(/^ok {7}node {11}Node \d+\.\d+\.\d+$/);
  expect(stdout).toMatch(/^problem {2}claude hooks {3}\.claude\/settings\.json names/m);
  expect(stdout).not.toContain('\u001b');
  // A path is not broken, so that it can be copied.
  const long = lines.filter((line) => line.length > 80 && line.trim().includes(' '));
  expect(long.filter((line) => !line.startsWith('ok       project'))).toEqual([]);
});

test.each([
  ['has colour', {}, true],
  ['has none with NO_COLOR', { NO_COLOR: '1' }, false],
])('a terminal %s', async (_what, more, coloured) => {
  verifies('CLIENT-9');
  const env = { ...cleanEnv(newHome()), TERM: 'xterm', ...more };
  const terminal = deepworkOnTerminal(['doctor'], { cwd: newProject().root, env });
  await terminal.ended;
  expect(terminal.screen()).toMatch(/node .* Node 2\d/);
  expect(terminal.screen().includes('\u001b[32mok')).toBe(coloured);
});

test('a path that is no folder is a wrong command line', async () => {
  verifies('CLIENT-9');
  const ran = await command(['doctor', '--path', 'ghost'], { cwd: tempFolder() });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
});
