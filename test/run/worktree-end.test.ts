// What becomes of a worktree at the end of its run: no accepted work is lost, and a person reads
// where it is.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { COMMIT, committed, git } from './repository.ts';
import { by, type EndedRun, newLanguageScene, newScene, runDemo, type Scene } from './support.ts';

type Files = Readonly<Record<string, string>>;

const newRepository = (files: Files = {}) => committed(newScene(), files);
const placeOf = ({ events }: EndedRun) => `.deepwork/worktrees/${events[0].id}`;
const branchOf = ({ events }: EndedRun) => `deepwork/demo-main-${events[0].id}`;

/** Runs it in a worktree until it is complete. */
async function runIn(scene: Scene, ...modes: readonly string[]) {
  const ran = await runDemo(scene, modes, ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const { worktree, worktree_kept: kept, branch } = ran.events.at(-1);
  const place = scene.project.path(placeOf(ran));
  expect(worktree !== null).toBe(existsSync(place));
  return { ran, place, kept, branch };
}

const OUT = { '.gitignore': 'out/\n' };
const TWO = { 'conf.json': '1\n', 'same.json': '1\n' };
/** What the agent does in each turn after it handed in; files that are named with why it is kept. */
const KEPT: readonly [string, Files, readonly string[], readonly string[]][] = [
  ['ignored, with nothing committed', OUT, ['out'], ['out/draft.md', 'out/publish.md']],
  ['ignored, with all else committed', OUT, ['out-commit'], ['out/draft.md', 'out/publish.md']],
  [
    'ignored, and committed as other bytes',
    OUT,
    ['out', `sh:echo other > out/draft.md && git add -A && ${COMMIT}`],
    ['out/draft.md'],
  ],
  [
    'ignored, and deleted since',
    OUT,
    ['out', `sh:rm out/draft.md && git add -A && ${COMMIT}`],
    ['out/draft.md'],
  ],
  ['on no branch', {}, [`sh:git checkout -q --detach && git add -A && ${COMMIT}`], ['HEAD']],
  [
    'overlooked by git, as it was told',
    { 'publish.md': 'Before\n' },
    ['commit', `sh:git update-index --skip-worktree publish.md && ${COMMIT} --allow-empty`],
    ['publish.md'],
  ],
];

test.for(KEPT)('accepted work that is %s keeps the worktree', async ([, files, modes, named]) => {
  verifies('RUN-5');
  const scene = newRepository(files);
  const { ran, kept } = await runIn(scene, ...modes);
  for (const each of named) expect(kept).toContain(each);
  const { runs } = JSON.parse((await by(scene, 'status', '--json')).stdout);
  expect(runs[0].worktree).toMatchObject({ path: scene.project.path(placeOf(ran)) });
});

test.for(['--assume-unchanged', '--skip-worktree'])(
  'a change that the index was told to overlook by %s keeps the worktree',
  async (option) => {
    verifies('RUN-5');
    const hides = `git update-index ${option} conf.json same.json && echo 2 > conf.json`;
    const { kept } = await runIn(newRepository(TWO), `sh:${hides} && git add *.md && ${COMMIT}`);
    expect(kept).toContain('conf.json');
    expect(kept).not.toContain('same.json');
  },
);

test('outputs of nested sessions keep the worktree, however many have ended since', async () => {
  verifies('RUN-5');
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const entries = names.map((name) => ({ run: { name, job: 'other', workflow: 'main' } }));
  const scene = newLanguageScene({ entries: [...entries, 'last'], steps: { last: 'The end.' } });
  writeJob(scene.project, 'other', { part: { outputs: { part: 'file' } } }, { main: ['part'] });
  committed(scene, OUT);
  const { kept } = await runIn(scene, 'out', `sh:git add -A && ${COMMIT} --allow-empty`);
  expect(kept).toContain('out/part.md');
});

test('a copy that was made for the run keeps the worktree only if the agent staged it', async () => {
  verifies('RUN-5');
  const scene = newRepository({ '.gitignore': 'node_modules/\n' });
  scene.project.write('.worktreeinclude', 'local.env\n');
  scene.project.write('local.env', 'SECRET=1\n');
  const { kept } = await runIn(scene, `sh:git add *.md local.env && ${COMMIT} -- *.md`);
  expect(kept).toContain('local.env');
  const again = { ...scene, notes: `${scene.notes}-2` };
  const installs = 'mkdir -p node_modules && echo x > node_modules/x';
  const { place } = await runIn(again, `sh:${installs} && git add *.md && ${COMMIT}`);
  expect(existsSync(place)).toBe(false);
});

/** The agent can check the submodule out and commit there; nothing else holds these commits. */
test('commits in a submodule keep the worktree, also beside copies that were made for it', async () => {
  verifies('RUN-5');
  const library = newRepository();
  const scene = newRepository();
  const file = ['-c', 'protocol.file.allow=always'];
  git(scene, ...file, 'submodule', 'add', '-q', library.project.root, 'lib');
  git(scene, 'commit', '-qm', 'Submodule');
  scene.project.write('.worktreeinclude', 'local.env\n');
  scene.project.write('local.env', 'SECRET=1\n');
  const fetches = `git ${file.join(' ')} submodule update -q --init`;
  const inLibrary = `cd lib && echo x > fix.txt && git add fix.txt && ${COMMIT} && cd ..`;
  const commits = `sh:${fetches} && ${inLibrary} && git add lib *.md && ${COMMIT}`;
  const { place, kept } = await runIn(scene, commits, `sh:git add *.md && ${COMMIT}`);
  for (const file of ['lib/fix.txt', 'local.env']) {
    expect(existsSync(`${place}/${file}`), file).toBe(true);
  }
  expect(kept).toContain('submodules');
});

test('a worktree whose work is on its branch is removed, also work that a later commit removed', async () => {
  verifies('RUN-5', 'BOARD-4');
  const scene = newRepository();
  const removes = `sh:git add -A && git rm -qf draft.md && ${COMMIT}`;
  const { ran, place, branch } = await runIn(scene, 'commit', removes);
  expect(existsSync(place)).toBe(false);
  expect(branch).toBe(branchOf(ran));
  expect(git(scene, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  const { runs } = JSON.parse((await by(scene, 'status', '--json')).stdout);
  expect(runs[0]).toMatchObject({ worktree: null, unattended: { stopped: { branch } } });
  git(scene, 'merge', '-q', branch);
  expect(existsSync(scene.project.path('publish.md'))).toBe(true);
  // It is not opened again: its agent would work elsewhere.
  const refused = await by(scene, 'redo', ran.events[0].id, 'publish', '--reason', 'Too short');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(branch);
});

test('a run without commits leaves neither worktree nor branch, and names none', async () => {
  verifies('RUN-5');
  const scene = newRepository({ 'draft.md': '# Done\n', 'publish.md': '# Done\n' });
  const { ran, place } = await runIn(scene, 'honest');
  expect(existsSync(place)).toBe(false);
  expect(git(scene, 'branch', '--list', 'deepwork/*')).toBe('');
  expect(ran.events.at(-1)).not.toHaveProperty('branch');
});

test('an aborted run keeps its worktree and its branch, and prune keeps the run', async () => {
  verifies('RUN-5');
  const scene = newRepository(OUT);
  const ran = await runDemo(scene, ['out'], ['--worktree', '--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  const { id } = ran.events[0];
  await by(scene, 'abort', id, '--reason', 'Not needed');
  const prune = async () =>
    JSON.parse((await by(scene, 'prune', '--older-than', '0m', '--json')).stdout);
  const place = placeOf(ran);
  const kept = [{ session_id: id, reason: expect.stringContaining(place) }];
  expect(await prune()).toMatchObject({ sessions: [], kept });
  expect(existsSync(scene.project.path(`${place}/out/draft.md`))).toBe(true);
  expect(git(scene, 'branch', '--list', branchOf(ran))).toContain(branchOf(ran));
  git(scene, 'worktree', 'remove', '--force', place);
  expect(await prune()).toMatchObject({ sessions: [{ session_id: id }] });
});

test('no file that a run writes has the password in the address of origin', async () => {
  verifies('RUN-5');
  const secret = 'hunter2';
  const config = 'team:\n  notify: cat\nworktree:\n  setup: echo ready\n';
  const scene = committed(newScene(['draft', 'publish'], config), OUT);
  git(scene, 'remote', 'add', 'origin', `https://ada:${secret}@example.org/team/book.git`);
  await by(scene, 'trust', '--yes');
  await runIn(scene, 'out', 'commit');
  const having = [scene.project.root, scene.home, scene.notes]
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name)),
    )
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .filter((file) => readFileSync(file, 'utf8').includes(secret));
  expect(having).toEqual([scene.project.path('.git/config')]);
});
