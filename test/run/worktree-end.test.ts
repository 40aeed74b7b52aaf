// What becomes of a worktree at the end of its run: no accepted work is lost, and a person reads
// where it is.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { COMMIT, committed, git } from './repository.ts';
import {
  begin,
  type EndedRun,
  finish,
  newLanguageScene,
  newScene,
  runDemo,
  type Scene,
  scripted,
} from './support.ts';

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 60_000 });

function newRepository(files: Readonly<Record<string, string>> = {}): Scene {
  return committed(newScene(['draft', 'publish']), files);
}

const placeOf = ({ events }: EndedRun) => `.deepwork/worktrees/${events[0].id}`;
const branchOf = ({ events }: EndedRun) => `deepwork/demo-main-${events[0].id}`;

/** The same run as a person sees it, without `--json`. */
async function shown(scene: Scene, args: readonly string[]): Promise<string> {
  const env = { HOME: scene.home };
  const { stdout } = await command(args, { cwd: scene.project.root, env });
  return stdout.replace(/\s+/g, ' ');
}

test.for([
  ['nothing is committed', 'out'],
  ['everything else is committed', 'out-commit'],
] as const)('accepted files that git ignores keep the worktree: %s', async ([, mode]) => {
  verifies('RUN-5');
  const scene = newRepository({ '.gitignore': 'out/\n' });
  const ran = await runDemo(scene, [mode], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const place = placeOf(ran);
  expect(readFileSync(scene.project.path(`${place}/out/publish.md`), 'utf8')).toBe('# Done\n');
  const kept = 'out/draft.md and out/publish.md are not committed (git ignores them)';
  expect(ran.events.at(-1)).toMatchObject({
    worktree_kept: kept,
    worktree: { branch: branchOf(ran) },
  });
  expect(await shown(scene, ['history', ran.events[0].id])).toContain(
    `The worktree is kept: ${kept}`,
  );
});

test('a complete run whose worktree is gone is not opened again: its agent would work elsewhere', async () => {
  verifies('RUN-5', 'BOARD-4');
  const scene = newRepository();
  const ran = await runDemo(scene, ['commit'], ['--worktree']);
  expect(existsSync(scene.project.path(placeOf(ran)))).toBe(false);
  const redo = ['redo', ran.events[0].id, 'publish', '--reason', 'Too short'];
  const refused = await command(redo, { cwd: scene.project.root, env: { HOME: scene.home } });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`Its work is on the branch ${branchOf(ran)}.`);
});

test('what was accepted is kept where the worktree has left its branch', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const detached = `sh:git checkout -q --detach && git add -A && ${COMMIT}`;
  const ran = await runDemo(scene, [detached], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(scene.project.path(placeOf(ran)))).toBe(true);
  expect(ran.events.at(-1).worktree_kept).toContain('HEAD is detached');
});

test.for([
  ['changed', 'echo other > out/draft.md', 'out/draft.md is not committed as it was accepted'],
  ['deleted', 'rm out/draft.md', 'out/draft.md is gone, and was not committed'],
] as const)(
  'an ignored output that was %s after it was accepted is named',
  async ([, act, why]) => {
    verifies('RUN-5');
    const scene = newRepository({ '.gitignore': 'out/\n' });
    const later = `sh:${act} && git add -A && ${COMMIT}`;
    const ran = await runDemo(scene, ['out', later], ['--worktree']);
    expect(ran.code, ran.err).toBe(0);
    expect(existsSync(scene.project.path(placeOf(ran)))).toBe(true);
    expect(ran.events.at(-1).worktree_kept).toBe(why);
  },
);

test('outputs of nested sessions keep the worktree, however many have ended since', async () => {
  verifies('RUN-5');
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const entries = names.map((name) => ({ run: { name, job: 'other', workflow: 'main' } }));
  const scene = newLanguageScene({ entries: [...entries, 'last'], steps: { last: 'The end.' } });
  writeJob(scene.project, 'other', { part: { outputs: { part: 'file' } } }, { main: ['part'] });
  committed(scene, { '.gitignore': 'out/\n' });
  const commits = `sh:git add -A && ${COMMIT} --allow-empty`;
  const ran = await runDemo(scene, ['out', commits], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.events.at(-1).worktree_kept).toBe('out/part.md is not committed (git ignores it)');
});

test('an output that git was told to overlook counts as uncommitted', async () => {
  verifies('RUN-5');
  const scene = newRepository({ 'publish.md': 'Before\n' });
  const hides = `sh:git update-index --skip-worktree publish.md && git add -A && ${COMMIT} --allow-empty`;
  const ran = await runDemo(scene, ['commit', hides], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.events.at(-1).worktree_kept).toBe('publish.md is not committed');
});

test.for(['--assume-unchanged', '--skip-worktree'])(
  'a change that the index was told to overlook by %s keeps the worktree',
  async (option) => {
    verifies('RUN-5');
    const scene = newRepository({ 'conf.json': '1\n', 'same.json': '1\n' });
    const hides = `git update-index ${option} conf.json same.json && echo 2 > conf.json`;
    const ran = await runDemo(scene, [`sh:${hides} && git add *.md && ${COMMIT}`], ['--worktree']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.events.at(-1).worktree_kept).toBe(
      'conf.json is not committed (git was told to overlook it)',
    );
  },
);

test('an accepted output that a later commit removed is on the branch', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const removes = `sh:git add -A && git rm -qf draft.md && ${COMMIT}`;
  const ran = await runDemo(scene, ['commit', removes], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(scene.project.path(placeOf(ran)))).toBe(false);
});

test('files that are neither outputs nor the work do not keep a worktree', async () => {
  verifies('RUN-5');
  const scene = newRepository({ '.gitignore': 'node_modules/\n' });
  scene.project.write('.worktreeinclude', 'local.env\n');
  scene.project.write('local.env', 'SECRET=1\n');
  const commits = `sh:mkdir -p node_modules && echo x > node_modules/x && git add *.md && ${COMMIT}`;
  const ran = await runDemo(scene, [commits], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(scene.project.path(placeOf(ran)))).toBe(false);
});

/** The agent can check the submodule out and commit there; nothing else holds these commits. */
test('commits in a submodule keep the worktree, also beside copies that were made for it', async () => {
  verifies('RUN-5');
  const library = newRepository();
  const scene = newRepository();
  git(
    scene,
    '-c',
    'protocol.file.allow=always',
    'submodule',
    'add',
    '-q',
    library.project.root,
    'lib',
  );
  git(scene, 'commit', '-qm', 'Submodule');
  scene.project.write('.worktreeinclude', 'local.env\n');
  scene.project.write('local.env', 'SECRET=1\n');
  const inLibrary = `cd lib && echo x > fix.txt && git add fix.txt && ${COMMIT} && cd ..`;
  const fetches = 'git -c protocol.file.allow=always submodule update -q --init';
  const commits = `sh:${fetches} && ${inLibrary} && git add lib *.md && ${COMMIT}`;
  const ran = await runDemo(scene, [commits, `sh:git add *.md && ${COMMIT}`], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(scene.project.path(`${placeOf(ran)}/lib/fix.txt`))).toBe(true);
  expect(ran.events.at(-1).worktree_kept).toBe(
    'it has submodules, and what is committed in them is stored with the worktree',
  );
});

test('a copy that was made for the run, and that the agent staged, keeps the worktree', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  scene.project.write('.worktreeinclude', 'local.env\n');
  scene.project.write('local.env', 'SECRET=1\n');
  const stages = `sh:git add *.md local.env && ${COMMIT} -- *.md`;
  const ran = await runDemo(scene, [stages], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.events.at(-1).worktree_kept).toBe('local.env is not committed');
});

test('prune keeps a run whose worktree is still there, so that status lists it', async () => {
  verifies('RUN-5');
  const scene = newRepository({ '.gitignore': 'out/\n' });
  const ran = await runDemo(scene, ['out'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const place = placeOf(ran);
  const kept = await shown(scene, ['prune', '--older-than', '0m']);
  expect(kept).toContain(`kept: its worktree ${place} is still there`);
  expect(existsSync(scene.project.path(`${place}/out/publish.md`))).toBe(true);
  git(scene, 'worktree', 'remove', '--force', place);
  expect(await shown(scene, ['prune', '--older-than', '0m'])).toContain('Moved 1 run');
});

test('an aborted run keeps its worktree and its branch', async () => {
  verifies('RUN-5');
  const scene = newRepository({ '.gitignore': 'out/\n' });
  const ran = await runDemo(scene, ['out'], ['--worktree', '--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  await shown(scene, ['abort', ran.events[0].id, '--reason', 'Not needed']);
  const place = placeOf(ran);
  expect(existsSync(scene.project.path(`${place}/out/draft.md`))).toBe(true);
  expect(git(scene, 'branch', '--list', branchOf(ran))).toContain(branchOf(ran));
  expect((await shown(scene, ['status'])).replaceAll(' ', '')).toContain(place);
});

test('a run whose worktree was removed says on which branch the work is', async () => {
  verifies('RUN-5');
  const scene = newRepository();
  const command = ['demo/main', '--goal', 'Try it', '--command', scripted('commit')];
  const ran = await finish(begin(scene, [...command, '--worktree']));
  expect(ran.code, ran.err).toBe(0);
  const [, id = ''] = /\(run ([0-9a-f]{8})\)/.exec(ran.out) ?? [];
  const branch = `deepwork/demo-main-${id}`;
  const merge = `The work is on branch ${branch}: git merge ${branch}`;
  expect(ran.out).toContain(merge);
  expect(await shown(scene, ['history', id])).toContain(merge);
  expect((await shown(scene, ['status'])).replaceAll(' ', '')).toContain(`branch${branch}`);
  const { runs } = JSON.parse(await shown(scene, ['status', '--json']));
  expect(runs[0]).toMatchObject({ worktree: null, unattended: { stopped: { branch } } });
  git(scene, 'merge', '-q', branch);
  expect(existsSync(scene.project.path('publish.md'))).toBe(true);
});

test('a run without commits leaves neither worktree nor branch, and names none', async () => {
  verifies('RUN-5');
  const scene = newRepository({ 'draft.md': '# Done\n', 'publish.md': '# Done\n' });
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(scene.project.path(placeOf(ran)))).toBe(false);
  expect(git(scene, 'branch', '--list', 'deepwork/*')).toBe('');
  expect(ran.events.at(-1)).not.toHaveProperty('branch');
});

test('no file that a run writes has the password in the address of origin', async () => {
  verifies('RUN-5');
  const secret = 'hunter2';
  const config = 'team:\n  notify: cat\nworktree:\n  setup: echo ready\n';
  const scene = committed(newScene(['draft', 'publish'], config), { '.gitignore': 'out/\n' });
  git(scene, 'remote', 'add', 'origin', `https://ada:${secret}@example.org/team/book.git`);
  await shown(scene, ['trust', '--yes']);
  const ran = await runDemo(scene, ['out', 'commit'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const having = [scene.project.root, scene.home, scene.notes]
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name)),
    )
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .filter((file) => readFileSync(file, 'utf8').includes(secret));
  expect(having).toEqual([scene.project.path('.git/config')]);
});
