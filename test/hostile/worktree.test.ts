// deepwork run --worktree in a repository that is hostile, or with an agent that is: git runs no
// filter that no person has agreed to, and a script counts as it is where it runs.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newLanguageScene, newScene, runDemo, type Scene } from '../run/support.ts';
import { REVIEW } from '../support/project.ts';
import { newRepository, type Repository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { trust } from '../support/trust.ts';
import { verifies } from '../verifies.ts';

function newWork(config = ''): Scene & { readonly repository: Repository } {
  const scene = newScene(['draft'], config);
  return { ...scene, repository: newRepository(scene.project.root) };
}

function commit({ repository }: { readonly repository: Repository }): void {
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'All');
}

test("filters of a repository's config do not run before a person has trusted them", async () => {
  verifies('RUN-5');
  const scene = newWork();
  const mark = path.join(tempFolder(), 'ran');
  scene.project.write('.gitattributes', 'readme.txt filter=evil\n');
  scene.project.write('readme.txt', 'hi\n');
  commit(scene);
  for (const kind of ['clean', 'smudge']) {
    scene.repository.git('config', `filter.evil.${kind}`, `sh -c 'echo ${kind} >> ${mark}; cat'`);
  }
  const refused = await runDemo(scene, ['honest'], ['--worktree']);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('evil');
  expect(existsSync(mark)).toBe(false);
  expect(existsSync(scene.project.path('.deepwork/worktrees'))).toBe(false);
  await trust(scene.project.root, scene.home, '--yes');
  scene.project.write('readme.txt', 'ho\n');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  // When the files were checked out, and never to look at them.
  expect(readFileSync(mark, 'utf8')).toBe('smudge\n');
});

test('a .git that an agent puts into its worktree is not used', async () => {
  verifies('RUN-5');
  const scene = newWork();
  scene.project.write('readme.txt', 'hi\n');
  commit(scene);
  const mark = path.join(tempFolder(), 'ran');
  const ran = await runDemo(scene, [`plants:${mark}`], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(mark)).toBe(false);
  const place = scene.project.path(`.deepwork/worktrees/${ran.events[0].id}`);
  // It stays, for a person to look at.
  expect(readFileSync(path.join(place, '.git'), 'utf8')).toBe('gitdir: fake\n');
});

test('a filter that an agent adds to the config of the repository does not run', async () => {
  verifies('RUN-5');
  const scene = newWork();
  scene.project.write('readme.txt', 'hi\n');
  commit(scene);
  const mark = path.join(tempFolder(), 'ran');
  const ran = await runDemo(scene, [`filters:${mark}`], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test('a script that prepares worktrees counts as it is in the worktree', async () => {
  verifies('RUN-5');
  const mark = path.join(tempFolder(), 'ran');
  const scene = newWork('worktree:\n  setup: sh setup.sh\n');
  scene.project.write('setup.sh', `echo committed >> ${mark}\n`);
  commit(scene);
  // Trusted as it is here, which is not what is committed.
  scene.project.write('setup.sh', 'true\n');
  await trust(scene.project.root, scene.home, '--yes');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('setup.sh');
  expect(existsSync(mark)).toBe(false);
});

const REVIEWED = { a: { reviews: [REVIEW] } };
const CHECK = { name: 'c', run: 'sh script.sh' };
const LOOP = { loop: { name: 'again', steps: ['a'], until: { check: CHECK }, max: 2 } };

test.each([
  ['a check', ['a'], { a: { checks: [CHECK] } }, ''],
  ['the check of a loop', [LOOP], {}, ''],
  ['a reviewer', ['a'], REVIEWED, 'quality_gate:\n  agent_review_command: sh script.sh\n'],
] as const)('%s counts as it is in the worktree', async (_what, entries, more, config) => {
  verifies('RUN-5');
  const mark = path.join(tempFolder(), 'ran');
  const scene = newLanguageScene({ entries, steps: { a: 'Do it.' }, more, config });
  const repository = newRepository(scene.project.root);
  scene.project.write('script.sh', `touch ${mark}\n`);
  commit({ repository });
  scene.project.write('script.sh', 'true\n');
  await trust(scene.project.root, scene.home, '--yes');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('script.sh');
  expect(existsSync(mark)).toBe(false);
});

test('.worktreeinclude does not lead into .git or .deepwork by a detour', async () => {
  verifies('RUN-5');
  const scene = newWork();
  scene.project.write('x/keep.txt', 'x');
  scene.project.write('.gitignore', '.env\n');
  scene.project.write('.env', 'A=1\n');
  scene.project.write(
    '.worktreeinclude',
    'x/../.deepwork/planted\n./.git/planted\n.env\n.DEEPWORK/planted\n',
  );
  commit(scene);
  scene.project.write('.deepwork/planted', 'p');
  scene.project.write('.git/planted', 'p');
  const ran = await runDemo(scene, ['honest'], ['--worktree']);
  expect(ran.code, ran.err).toBe(0);
  const place = scene.project.path(`.deepwork/worktrees/${ran.events[0].id}`);
  expect(existsSync(path.join(place, '.env'))).toBe(true);
  expect(existsSync(path.join(place, '.deepwork/planted'))).toBe(false);
});
