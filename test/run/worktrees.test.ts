// Runs in git worktrees of their own.

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { besides, committed, git } from './repository.ts';
import {
  acceptedSteps,
  answersOf,
  begin,
  beginProcess,
  by,
  demoArguments,
  finish,
  journalOf,
  newLanguageScene,
  newScene,
  runDemo,
  type Scene,
  turnsOf,
} from './support.ts';

const newRepository = (config = ''): Scene =>
  committed(newScene(), { '.deepwork/config.yml': config });

/** Where each run of the project has its worktree. */
async function listed(scene: Scene): Promise<(string | undefined)[]> {
  const { stdout } = await by(scene, 'status', '--json');
  return JSON.parse(stdout).runs.map(
    (run: { worktree: { path: string } | null }) => run.worktree?.path,
  );
}

test('two runs of one workflow work beside each other', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const args = demoArguments(['honest'], ['--worktree']);
  const runs = [beginProcess(scene, args), beginProcess(besides(scene), args)];
  const [one, two] = await Promise.all(runs.map(finish));
  expect([one?.code, two?.code], `${one?.err}${two?.err}`).toEqual([0, 0]);
  expect(acceptedSteps(scene)).toEqual({ draft: 2, publish: 2 });
  const ids = [one, two].map((ran) => ran?.events[0].id);
  const places = ids.map((id) => scene.project.path(`.deepwork/worktrees/${id}`));
  const cwds = [scene, besides(scene)].map((each) => turnsOf(each)[0].cwd);
  expect(cwds).toEqual(places);
  // What was not committed stays, on a branch that is named by the session.
  for (const place of places) expect(readdirSync(place)).toContain('publish.md');
  for (const id of ids) {
    expect(git(scene, 'branch', '--list', `deepwork/demo-main-${id}`)).toContain(id);
  }
  expect(git(scene, 'status', '--porcelain')).toBe('');
  expect((await listed(scene)).sort()).toEqual(places.sort());
  // What a person has removed is not listed any more.
  git(scene, 'worktree', 'remove', '--force', places[0] ?? '');
  expect((await listed(scene)).filter((place) => place !== undefined)).toEqual([places[1]]);
});

test('the page shows the files to approve as they are in the worktree', async () => {
  verifies('RUN-5', 'LANG-5', 'BOARD-4');
  const approve = { name: 'go_ahead', question: 'Good enough?', show: ['plan.plan'] };
  const sub = { run: { name: 'sub', job: 'other', workflow: 'main' } };
  const scene = newLanguageScene({ entries: [sub, 'last'], steps: { last: 'The end.' } });
  const { project, home } = scene;
  const workflows = [{ name: 'main', summary: 'All of it', steps: ['plan', { approve }] }];
  writeJob(project, 'other', { plan: { outputs: { plan: 'file' } } }, {}, { workflows });
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
  await by(scene, 'answer', 'q-1', '--choose', 'Approve');
  expect((await finish(running)).code).toBe(0);
});

interface Shown {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

test('edits in the main checkout are named, to the agent with its answer, too', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  scene.project.write('mine.txt', 'of the person, before the run');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ran = await runDemo(scene, ['stray'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const { warnings } = journalOf(scene, 'run').at(-1)?.data ?? {};
  expect(warnings).toEqual([expect.stringMatching(/^main checkout: .*stray\.txt/)]);
  expect(warnings[0]).not.toContain('mine.txt');
  expect(answersOf(scene)[0].structuredContent.warnings).toEqual(warnings);
});

test('a run that stopped goes on in its worktree, and not without it', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const ran = await runDemo(scene, ['honest'], ['--worktree', '--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  const resumed = await finish(begin(scene, ['--resume', '--max-turns', '2', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  const [one, two] = turnsOf(scene);
  expect(two.cwd).toBe(one.cwd);

  const other = besides(scene);
  const left = await runDemo(other, ['honest'], ['--worktree', '--max-turns', '1']);
  rmSync(turnsOf(other)[0].cwd, { recursive: true });
  const refused = await finish(begin(other, ['--resume', '--max-turns', '9']));
  expect(refused.code, refused.out).toBe(2);
  const abort = ['abort', left.events[0].id, '--reason'];
  expect(refused.err).toContain(`deepwork ${abort.join(' ')}`);
  expect(await by(scene, ...abort, 'gone')).toMatchObject({ code: 0 });
});

test('what git ignores and the work needs is copied, and a trusted command prepares it', async () => {
  verifies('RUN-5');
  const scene = newRepository("worktree:\n  setup: 'cp .env prepared.txt'\n");
  const { project } = scene;
  project.write('.gitignore', '.env\n');
  project.write('cfg/shared.env', 'committed\n');
  symlinkSync('..', project.path('cfg/up'));
  git(scene, 'add', '-A');
  git(scene, 'commit', '-qm', 'Folder');
  // Of a folder, everything is copied that is not committed.
  project.write('.worktreeinclude', '# what the tests need\n.env\ncfg\n../outside\n*.local\n');
  project.write('.env', 'SECRET=1\n');
  project.write('cfg/shared.env', 'changed since\n');
  project.write('cfg/deep/more.env', 'more\n');
  const args = demoArguments(['honest'], ['--worktree']);
  const refused = await finish(begin(scene, args));
  expect(refused.code, refused.out).toBe(2);
  expect(existsSync(project.path('.deepwork/worktrees'))).toBe(false);
  await by(scene, 'trust', '--yes');
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
  const read = (name: string) =>
    readFileSync(project.path(`.deepwork/worktrees/${ran.events[0].id}/${name}`), 'utf8');
  expect(read('prepared.txt')).toBe('SECRET=1\n');
  expect(read('cfg/deep/more.env')).toBe('more\n');
  expect(read('cfg/shared.env')).toBe('committed\n');
  const { warnings } = ran.events[0];
  for (const line of ["'../outside'", "'*.local'"]) expect(warnings.join()).toContain(line);
});

test('without a repository there is no worktree, and nothing is started', async () => {
  verifies('RUN-5');
  const scene = newScene();
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.out).toBe(2);
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('uncommitted files of the main checkout, which are not in the worktree, are named', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  for (const name of ['a', 'b', 'c']) scene.project.write(`${name}.txt`, name);
  // Jobs and settings are read from the main checkout, and this is copied.
  scene.project.write('.deepwork/jobs/other/notes.md', 'Of a job');
  scene.project.write('.worktreeinclude', 'a.txt\n');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const [warning] = ran.events[0].warnings;
  expect(warning).toMatch(/b\.txt.*c\.txt/);
  expect(warning).not.toMatch(/a\.txt|notes/);
  git(scene, 'add', '-A');
  git(scene, 'commit', '-qm', 'All');
  const clean = await runDemo(besides(scene), ['honest'], ['--worktree']);
  expect(clean.events[0].warnings).toEqual([]);
});
