// Looking changes nothing, not a byte: no adoption, no rewritten view, no quarantine, no folder.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { newHome, strangersHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { streamFile, viewFile } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { expectSchema, newDemo, START, statusOf, treeOf } from './support.ts';

/** Every way to look that this project has. */
async function lookAtAll(project: Project, ids: readonly string[], env = {}): Promise<void> {
  const at = { cwd: project.root, env };
  const [status, all, text, bare, recent] = await Promise.all([
    command(['status', '--json'], at),
    command(['status', '--all', '--json'], at),
    command(['status'], at),
    command([], at),
    command(['history', '--since', '9d', '--json'], at),
  ]);
  expectSchema('recent.schema.json', JSON.parse(recent.stdout));
  for (const ran of [status, all, text, bare, recent])
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  for (const ran of [status, all]) expectSchema('status.schema.json', JSON.parse(ran.stdout));
  for (const id of ids) await command(['history', id], at);
}

/** Ended, nested, left behind, with a view that is out of date. */
async function worked(project: Project): Promise<string[]> {
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const start = async (workflow_name: string) =>
    (await agent.ok('start_workflow', { ...START, workflow_name })).begin_step.session_id as string;
  const done = await start('short');
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const outer = await start('main');
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const inner = await start('main');
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await statusOf(project)).runs[0]?.state === 'orphaned');
  rmSync(project.path(viewFile(outer)));
  return [done, outer, inner];
}

test('status and history leave every byte, name and time of a project as they are', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const ids = await worked(project);
  const before = treeOf(project.root);
  await lookAtAll(project, ids);
  expect(treeOf(project.root)).toEqual(before);
});

test('a damaged journal is shown as such and stays where it is; so does one that a server set aside', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const [done = '', outer = '', inner = ''] = await worked(project);
  const file = project.path(streamFile(outer));
  writeFileSync(file, readFileSync(file, 'utf8').replace('Get it done', 'Get it paid'));
  const before = treeOf(project.root);
  await lookAtAll(project, [done, outer, inner]);
  expect(treeOf(project.root)).toEqual(before);
  const board = await statusOf(project);
  expect(board.damaged).toEqual([
    { session_id: outer, why: expect.stringContaining('line 1'), set_aside: null },
  ]);
  expect(board.runs.map(({ session_id }) => session_id)).toEqual([inner, done]);
  const asked = await command(['history', outer], { cwd: project.root });
  expect(asked).toMatchObject({ code: 1, stdout: '' });
  expect(asked.stderr).toMatch(/journal is damaged: line 1.*\n.*deepwork repair.*sets.*aside/);

  // A server that meets it sets it aside; it is shown all the same.
  const agent = await connect(project.root);
  await agent.call('get_active_workflow', {});
  const aside = await statusOf(project);
  expect(aside.damaged).toEqual([
    {
      session_id: outer,
      why: expect.stringContaining('set aside as .deepwork/journal/damaged/'),
      set_aside: 'damaged',
    },
  ]);
});

test('a journal that another user wrote is shown as damaged and is not quarantined', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const ids = await worked(project);
  for (const home of [strangersHome(), newHome()]) {
    const before = treeOf(project.root);
    const homeBefore = treeOf(home);
    await lookAtAll(project, ids, { HOME: home });
    expect(treeOf(project.root)).toEqual(before);
    expect(treeOf(home)).toEqual(homeBefore);
  }
  const env = { HOME: strangersHome() };
  const { stdout } = await command(['status', '--json'], { cwd: project.root, env });
  const { runs, damaged } = JSON.parse(stdout);
  expect(runs).toEqual([]);
  expect(damaged).toHaveLength(3);
  expect(damaged[0].why).toContain('this user did not write it here');
  // It stays where it is until a server finds it.
  expect(damaged[0].set_aside).toBeNull();
});

test('the keys in a home do not make it a project', async () => {
  verifies('BOARD-2');
  const home = newProject();
  rmSync(home.path('.deepwork'), { recursive: true });
  home.write('.deepwork/journal.key', 'secret');
  const status = () => command(['status'], { cwd: home.root, env: { HOME: home.root } });
  expect((await status()).stdout).toMatch(/^No deepwork project here/);
  home.write('.deepwork/config.yml', 'git: {branch: off}\n');
  expect((await status()).stdout).not.toContain('No deepwork project');
});

test.each(['GOAL.md', '.sgai/state.json'])('a team with only %s is a project', async (file) => {
  const project = newProject();
  rmSync(project.path('.deepwork'), { recursive: true });
  project.write(file, file === 'GOAL.md' ? '# Goal\n' : '{}\n');
  const ran = await command(['messages'], { cwd: project.root });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('a folder without any run stays empty', async () => {
  verifies('BOARD-2');
  const project = newProject();
  rmSync(project.path('.deepwork'), { recursive: true });
  expect(await command(['status'], { cwd: project.root })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No deepwork project here or above .*\nNext: .*deepwork init/s),
  });
  const looks = ['history last', 'graph last', 'export last', 'verify', 'prune --dry-run'];
  const ofPerson = [
    'answer',
    'answer q-1 --dismiss',
    'messages',
    'repair',
    'trust',
    'trust --revoke',
  ];
  for (const look of [...looks, 'dashboard', 'lint', ...ofPerson]) {
    const ran = await command(look.split(' '), { cwd: project.root });
    expect(ran, look).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr, look).toMatch(
      /No deepwork project here or above .*\nNext: .*deepwork init/s,
    );
  }
  const there = await command(['verify', '--path', project.root], { cwd: '/' });
  expect(there.stderr).toContain(`No deepwork project in ${project.root}`);
  // Neither a drawing of a bundled guide nor data for a program needs one.
  const guide = ['graph', 'ai-task-implementation'];
  expect((await command(guide, { cwd: project.root })).code).toBe(0);
  expect(
    JSON.parse((await command(['status', '--json'], { cwd: project.root })).stdout),
  ).toMatchObject({
    runs: [],
  });
  expect(treeOf(project.root)).toEqual({});
});

test('where no run was started yet, the newest one is not sent in a circle', async () => {
  verifies('BOARD-2');
  const project = newProject();
  const { code, stderr } = await command(['history', 'last'], { cwd: project.root });
  expect(code).toBe(1);
  expect(stderr).toMatch(/There are no runs here yet\nNext: start one: `deepwork` shows how/);
});

test.each([[[]], [['status']]])(
  'deepwork %j before the first run says how to start one',
  async (args) => {
    verifies('BOARD-2');
    const project = newProject();
    const options = { cwd: project.root };
    const nothing = await command(args, options);
    expect(nothing.stdout).toContain('This project is set up. There is no run yet.\n');
    expect(nothing.stdout).toContain('Say to your agent: "Use deepwork\'s new_job workflow');
    writeJob(project, 'tidy', { a: { outputs: { a: 'file' } } }, { all: ['a'] });
    const { stdout } = await command(args, options);
    expect(stdout).not.toContain('deepwork init');
    expect(stdout).toContain('Say to your agent: "Run the tidy job with deepwork: …"');
    const [, call = ''] = /^ {2}deepwork (call .*) --goal "…"$/m.exec(stdout) ?? [];
    const { code } = await command([...call.split(' '), '--goal', 'g'], options);
    expect(code, call).toBe(0);
  },
);

test('what is there without a .deepwork folder is linted, trusted and repaired', async () => {
  verifies('BOARD-2');
  const project = newProject();
  rmSync(project.path('.deepwork'), { recursive: true });
  const run = (line: string) => command(line.split(' '), { cwd: project.root });
  project.write('workflows/own.json', '{');
  for (const line of ['lint', 'lint workflows', 'lint workflows/own.json']) {
    const { code, stdout } = await run(line);
    expect(code, line).toBe(1);
    expect(stdout, line).toContain('workflows/own.json');
  }
  project.write('GOAL.md', '---\ncompletionGateScript: ./gate.sh\n---\nDo it.\n');
  expect((await run('trust --yes')).stdout).toContain('./gate.sh');
  project.write('.sgai/state.json', '{');
  expect((await run('repair')).stdout).toContain('state.json could not be read');
});
