// Runs in git worktrees of their own.

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { besides, committed, git } from './repository.ts';
import {
  acceptedSteps,
  answersOf,
  begin,
  beginProcess,
  demoArguments,
  finish,
  journalOf,
  newLanguageScene,
  newScene,
  runDemo,
  type Scene,
  turnsOf,
} from './support.ts';

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 60_000 });

function newRepository(config = ''): Scene {
  return committed(newScene(), { '.deepwork/config.yml': config });
}

test('two runs of one workflow work beside each other', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const args = demoArguments(['honest'], ['--worktree']);
  const runs = [beginProcess(scene, args), beginProcess(besides(scene), args)];
  const [one, two] = await Promise.all(runs.map(finish));
  expect([one?.code, two?.code], `${one?.err}${two?.err}`).toEqual([0, 0]);
  expect(acceptedSteps(scene)).toEqual({ draft: 2, publish: 2 });
  for (const [ran, notes] of [
    [one, scene],
    [two, besides(scene)],
  ] as const) {
    const { id } = ran?.events[0] ?? {};
    const place = scene.project.path(`.deepwork/worktrees/${id}`);
    // What was not committed stays, on a branch that is named by the session.
    expect(readdirSync(place)).toContain('publish.md');
    expect(turnsOf(notes)[0].cwd).toBe(place);
    expect(git(scene, 'branch', '--list', `deepwork/demo-main-${id}`)).toContain(id);
  }
  expect(existsSync(scene.project.path('draft.md'))).toBe(false);
  expect(git(scene, 'status', '--porcelain')).toBe('');
  const env = { HOME: scene.home };
  const { stdout } = await command(['status', '--json'], {
    cwd: scene.project.root,
    env,
  });
  const listed = JSON.parse(stdout).runs.map(({ worktree }: { worktree: object }) => worktree);
  expect(listed).toMatchObject([
    { path: expect.stringContaining('.deepwork/worktrees/') },
    { path: expect.stringContaining('.deepwork/worktrees/') },
  ]);
});

test('a repository that borrows objects from elsewhere is refused, with the way out', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const lender = tempFolder();
  const file = scene.project.path('.git/objects/info/alternates');
  // As after `git clone --shared`: the objects are only there.
  git(scene, 'clone', '-q', '--bare', '.', lender);
  writeFileSync(file, `${lender}/objects\n`);
  git(scene, 'repack', '-a', '-d', '-l', '-q');
  git(scene, 'prune-packed', '-q');
  const refused = await runDemo(scene, ['honest'], ['--worktree']);
  expect(refused.code, refused.out).toBe(2);
  expect(refused.err).toContain(`${file} names other repositories`);
  expect(refused.err).toContain('git repack -a -d');
  expect(existsSync(scene.notes)).toBe(false);
  expect(git(scene, 'branch', '--list', 'deepwork/*')).toBe('');
  git(scene, 'repack', '-a', '-d', '-q');
  rmSync(file);
  rmSync(lender, { recursive: true });
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
});

test('a repository with links among its objects is refused: they lead to another one', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const lender = tempFolder();
  git(scene, 'clone', '-q', '--bare', '.', lender);
  const [name = ''] = readdirSync(path.join(lender, 'objects')).filter((each) => each.length === 2);
  const link = scene.project.path(`.git/objects/${name}`);
  rmSync(link, { recursive: true, force: true });
  symlinkSync(path.join(lender, 'objects', name), link);
  const refused = await runDemo(scene, ['honest'], ['--worktree']);
  expect(refused.code, refused.out).toBe(2);
  expect(refused.err).toContain(`${link} is a link`);
});

test.for([false, true])(
  'the page shows the files to approve as they are in the worktree (nested: %s)',
  async (nested) => {
    verifies('RUN-5', 'LANG-5', 'BOARD-4');
    const approve = { name: 'go_ahead', question: 'Good enough?', show: ['plan.plan'] };
    const entries = ['plan', { approve }];
    const inner = { entries, steps: { plan: 'Plan it.' } };
    const scene = newLanguageScene(
      nested
        ? {
            entries: [{ run: { name: 'sub', job: 'other', workflow: 'main' } }, 'last'],
            steps: { last: 'The end.' },
          }
        : inner,
    );
    const { project, home } = scene;
    const workflow = { name: 'main', summary: 'All of it', steps: entries };
    const steps = { plan: { outputs: { plan: 'file' } } };
    if (nested) writeJob(project, 'other', steps, {}, { workflows: [workflow] });
    project.write('plan.md', 'The plan of the main checkout.\n');
    committed(scene);
    const running = begin(scene, demoArguments(['honest'], ['--worktree']));
    await until(() => running.out().includes('waiting_for_person'));
    const { url } = await serveHttpInProcess(project.root, { home });
    const response = await fetch(new URL('/api/questions', url));
    const [question] = (await response.json()) as { session_id: string; show: Shown[] }[];
    const [shown] = question?.show ?? [];
    expect(shown).toMatchObject({ path: 'plan.md', text: expect.stringContaining('Done') });
    const file = `/api/runs/${question?.session_id}/files/${shown?.sha256}`;
    expect(await (await fetch(new URL(file, url))).text()).toBe(shown?.text);
    await command(['stop'], { cwd: project.root, env: { HOME: home } });
    await running.ended;
  },
);

interface Shown {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

test('a worktree that a person has removed is not listed any more', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const place = `.deepwork/worktrees/${ran.events[0].id}`;
  expect((await command(['status'], options)).stdout.replace(/\s+/g, '')).toContain(place);
  git(scene, 'worktree', 'remove', '--force', place);
  expect((await command(['status'], options)).stdout.replace(/\s+/g, '')).not.toContain(place);
});

test('a worktree that is clean at the end is removed, and its commits stay', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const ran = await runDemo(scene, ['commit'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const { id } = ran.events[0];
  expect(existsSync(scene.project.path(`.deepwork/worktrees/${id}`))).toBe(false);
  expect(git(scene, 'log', '--format=%s', `deepwork/demo-main-${id}`).split('\n')).toContain(
    'Work',
  );
  expect(git(scene, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
});

test('edits in the main checkout are named', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  scene.project.write('mine.txt', 'of the person, before the run');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ran = await runDemo(scene, ['stray'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const { warnings } = journalOf(scene, 'run').at(-1)?.data ?? {};
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^main checkout: .*stray\.txt/);
  expect(warnings[0]).not.toContain('mine.txt');
  // The agent has learned it with the answer to the same call.
  expect(answersOf(scene)[0].structuredContent.warnings).toEqual(warnings);
});

test('a run that stopped goes on in its worktree', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const ran = await runDemo(scene, ['honest'], ['--worktree', '--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  const resumed = await finish(begin(scene, ['--resume', '--max-turns', '9', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  const [one, two] = turnsOf(scene);
  expect(two.cwd).toBe(one.cwd);
});

test('a run whose worktree is gone is not resumed, and the command that ends it works', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const ran = await runDemo(scene, ['honest'], ['--worktree', '--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  const [turn] = turnsOf(scene);
  rmSync(turn.cwd, { recursive: true });
  const resumed = await finish(begin(scene, ['--resume', '--max-turns', '9']));
  expect(resumed.code).toBe(2);
  expect(resumed.err).toContain('The worktree of this run is gone');
  const [, id = ''] = /deepwork abort (\w+) --reason/.exec(resumed.err) ?? [];
  const args = ['abort', id, '--reason', 'its worktree is gone'];
  const aborted = await command(args, { cwd: scene.project.root });
  expect(aborted).toMatchObject({ code: 0 });
});

test('what git ignores and the work needs is copied, and a trusted command prepares it', async () => {
  verifies('RUN-5');
  const setup = "worktree:\n  setup: 'cp .env prepared.txt'\n";
  const scene = newRepository(setup);
  scene.project.write('.gitignore', '.env\n');
  scene.project.write('.worktreeinclude', '# what the tests need\n.env\n../outside\n');
  scene.project.write('.env', 'SECRET=1\n');
  const args = demoArguments(['honest'], ['--worktree']);
  const refused = await finish(begin(scene, args));
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('worktree.setup');
  expect(existsSync(scene.project.path('.deepwork/worktrees'))).toBe(false);
  const env = { HOME: scene.home };
  await command(['trust', '--yes'], { cwd: scene.project.root, env });
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
  const place = scene.project.path(`.deepwork/worktrees/${ran.events[0].id}`);
  expect(readFileSync(`${place}/prepared.txt`, 'utf8')).toBe('SECRET=1\n');
});

test('without a repository there is no worktree, and nothing is started', async () => {
  verifies('RUN-5');
  const scene = newScene();
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('A worktree cannot be made');
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('uncommitted files of the main checkout, which are not in the worktree, are named', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) scene.project.write(`${name}.txt`, name);
  // Jobs and settings are read from the main checkout, and this is copied.
  scene.project.write('.deepwork/jobs/other/notes.md', 'Of a job');
  scene.project.write('.worktreeinclude', 'a.txt\n');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.events[0].warnings).toEqual([
    'not committed, so not in the worktree: b.txt, c.txt, d.txt, e.txt, f.txt and 1 more file',
  ]);
  git(scene, 'add', '-A');
  git(scene, 'commit', '-qm', 'All');
  const clean = await runDemo(besides(scene), ['honest'], ['--worktree']);
  expect(clean.events[0].warnings).toEqual([]);
});

test('of a folder in .worktreeinclude everything is copied that is not committed', async () => {
  verifies('RUN-5');
  const scene = newScene(['draft', 'publish']);
  const { project } = scene;
  project.write('.worktreeinclude', 'cfg\n');
  project.write('cfg/shared.env', 'committed\n');
  symlinkSync('..', project.path('cfg/up'));
  committed(scene);
  project.write('cfg/shared.env', 'changed since\n');
  project.write('cfg/local.env', 'mine\n');
  project.write('cfg/deep/more.env', 'more\n');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const place = project.path(`.deepwork/worktrees/${ran.events[0].id}/cfg`);
  const read = (name: string) => readFileSync(`${place}/${name}`, 'utf8');
  expect(['local.env', 'deep/more.env', 'shared.env'].map(read)).toEqual([
    ...['mine\n', 'more\n', 'committed\n'],
  ]);
});

test('a line of .worktreeinclude that names nothing to copy is reported', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  scene.project.write('.worktreeinclude', '.env\n*.local\n../outside\nhere.txt\n');
  scene.project.write('here.txt', 'Here');
  git(scene, 'add', '-A');
  git(scene, 'commit', '-qm', 'All');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.events[0].warnings).toEqual([
    ".worktreeinclude: there is no '.env'",
    ".worktreeinclude: there is no '*.local' (name each path; patterns are not supported)",
    ".worktreeinclude: '../outside' is not copied: it has to be inside the project, and not in .git or .deepwork",
  ]);
});
