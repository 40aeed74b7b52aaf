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
import { expectSchema, newDemo, REPORT, SHORT, start, statusOf, treeOf } from './support.ts';

/** Every way to look that this project has; not a byte of it or of the home changes. */
async function lookAtAll(project: Project, ids: readonly string[], HOME?: string): Promise<void> {
  const before = [project.root, HOME ?? project.root].map(treeOf);
  const at = { cwd: project.root, env: { ...(HOME !== undefined && { HOME }) } };
  for (const look of ['status --json', 'status --all --json', 'status', '', 'history --json']) {
    const ran = await command(look.split(' ').filter(Boolean), at);
    expect(ran, look).toMatchObject({ code: 0, stderr: '' });
    if (!look.endsWith('--json')) continue;
    const schema = look.startsWith('status') ? 'status' : 'recent';
    expectSchema(`${schema}.schema.json`, JSON.parse(ran.stdout));
  }
  for (const id of ids) {
    for (const name of ['history', 'graph']) await command([name, id], at);
  }
  expect([project.root, HOME ?? project.root].map(treeOf)).toEqual(before);
}

/** Ended, nested, left behind, with a view that is out of date. */
async function worked(project: Project): Promise<[done: string, outer: string, inner: string]> {
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const done = await start(agent, SHORT);
  await agent.ok('finished_step', REPORT);
  const outer = await start(agent);
  await agent.ok('finished_step', REPORT);
  const inner = await start(agent);
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await statusOf(project)).runs[0]?.state === 'orphaned');
  rmSync(project.path(viewFile(outer)));
  return [done, outer, inner];
}

test('looking leaves every byte, name and time of a project as they are', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  await lookAtAll(project, await worked(project));
});

test('a damaged journal is shown as such and stays where it is; so does one that a server set aside', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const [done, outer, inner] = await worked(project);
  const file = project.path(streamFile(outer));
  writeFileSync(file, readFileSync(file, 'utf8').replace('Get it done', 'Get it paid'));
  await lookAtAll(project, [done, outer, inner]);
  const board = await statusOf(project);
  const damaged = (set_aside: string | null, why: string) => [
    { session_id: outer, why: expect.stringContaining(why), set_aside },
  ];
  expect(board.damaged).toEqual(damaged(null, 'line 1'));
  expect(board.runs.map(({ session_id }) => session_id)).toEqual([inner, done]);
  const asked = await command(['history', outer], { cwd: project.root });
  expect(asked).toMatchObject({ code: 1, stdout: '' });
  // A server that meets it sets it aside; it is shown all the same.
  const agent = await connect(project.root);
  await agent.call('get_active_workflow', {});
  const aside = damaged('damaged', '.deepwork/journal/damaged/');
  expect((await statusOf(project)).damaged).toEqual(aside);
});

test('a journal that another user wrote is shown as damaged and is not quarantined', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const ids = await worked(project);
  for (const home of [strangersHome(), newHome()]) await lookAtAll(project, ids, home);
  const env = { HOME: strangersHome() };
  const { stdout } = await command(['status', '--json'], { cwd: project.root, env });
  const { runs, damaged } = JSON.parse(stdout);
  expect(runs).toEqual([]);
  // It stays where it is until a server finds it.
  expect(damaged.map((each: { set_aside: null }) => each.set_aside)).toEqual([null, null, null]);
});

function withoutFolder(files: Record<string, string> = {}): Project {
  const project = newProject();
  rmSync(project.path('.deepwork'), { recursive: true });
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  return project;
}

test('a folder is a project by its settings, its team or its guides, and not by the keys in a home', async () => {
  verifies('BOARD-2');
  const look = async (files: Record<string, string>, typed: string) => {
    const project = withoutFolder(files);
    const at = { cwd: project.root, env: { HOME: project.root } };
    return await command(typed.split(' '), at);
  };
  expect(await look({ '.deepwork/journal.key': 'secret' }, 'messages')).toMatchObject({ code: 1 });
  expect(await look({ '.deepwork/config.yml': 'git: {branch: off}\n' }, 'messages')).toMatchObject({
    code: 0,
  });
  expect(await look({ 'GOAL.md': '# Goal\n' }, 'messages')).toMatchObject({ code: 0 });
  expect(await look({ '.sgai/state.json': '{}\n' }, 'messages')).toMatchObject({ code: 0 });
  const gate = '---\ncompletionGateScript: ./gate.sh\n---\nDo it.\n';
  expect(await look({ 'GOAL.md': gate }, 'trust --yes')).toMatchObject({ code: 0 });
  expect(await look({ '.sgai/state.json': '{' }, 'repair')).toMatchObject({ code: 0 });
  const { stdout } = await look({ 'workflows/own.json': '{"id": "own"' }, 'lint');
  expect(stdout).toContain('workflows/own.json');
});

test('a folder without any run stays empty', async () => {
  verifies('BOARD-2');
  const project = withoutFolder();
  const at = { cwd: project.root };
  const looks = ['history last', 'graph last', 'export last', 'verify', 'prune --dry-run'];
  const ofPerson = ['answer', 'messages', 'repair', 'trust', 'trust --revoke'];
  for (const look of [...looks, 'dashboard', 'lint', ...ofPerson]) {
    const ran = await command(look.split(' '), at);
    expect(ran, look).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr, look).toContain('deepwork init');
  }
  // Neither a drawing of a bundled guide nor data for a program needs a project.
  for (const look of ['status', 'status --json', 'graph ai-task-implementation']) {
    expect(await command(look.split(' '), at), look).toMatchObject({ code: 0 });
  }
  expect(treeOf(project.root)).toEqual({});
});

test.each([[[]], [['status']]])(
  'deepwork %j before the first run says how to start one',
  async (args) => {
    verifies('BOARD-2');
    const project = newProject();
    const options = { cwd: project.root };
    expect((await command(['history', 'last'], options)).code).toBe(1);
    expect((await command(args, options)).stdout).toContain('new_job');
    writeJob(project, 'tidy', { a: { outputs: { a: 'file' } } }, { all: ['a'] });
    const { stdout } = await command(args, options);
    const [, call = ''] = /^ {2}deepwork (call .*) --goal "…"$/m.exec(stdout) ?? [];
    const { code } = await command([...call.split(' '), '--goal', 'g'], options);
    expect(code, call).toBe(0);
  },
);
