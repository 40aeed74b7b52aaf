// Each look shows all changes of files: random sequences of changes, each compared with a newly
// opened collection, with and without a watch.

import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { page, tempProject } from '../../test/support/knowledge.ts';
import { verifies } from '../../test/verifies.ts';
import { type KnowledgeFiles, type KnowledgeView, openKnowledgeFiles } from './knowledge-files.ts';
import { SKILLS } from './skills.ts';

const RUNS = Math.min(Number(process.env.DEEPWORK_CASES ?? 25), 500);
const ALWAYS = { watchFrom: 0 };
const NEVER = { watchFrom: Number.POSITIVE_INFINITY };

async function shown({ files, troubles }: KnowledgeView) {
  const rows = files.map(async ({ path, name, description, content }) => {
    return { path, name, description, content: await content() };
  });
  return { files: await Promise.all(rows), troubles };
}

/** What is done to a folder of a skill; `other` is another one, and `word` is new. */
type Act = (folder: string, other: string, word: string) => void;
const file = (folder: string) => join(folder, 'SKILL.md');
const write: Act = (folder, _, word) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file(folder), page({ name: word }));
};
/** As an editor saves, and with an old time stamp. */
const replace: Act = (folder, _, word) => {
  writeFileSync(`${folder}~`, page({ name: word }));
  utimesSync(`${folder}~`, 1, 1);
  renameSync(`${folder}~`, file(folder));
};
const ACTS: readonly Act[] = [
  ...[write, write, write, write, replace],
  (folder, _, word) => appendFileSync(file(folder), word),
  (folder) => rmSync(folder, { recursive: true }),
  (folder) => rmSync(file(folder)),
  (folder) => rmSync(join(folder, '..'), { recursive: true }),
  (folder, other) => renameSync(folder, other),
  (folder) => renameSync(join(folder, '..'), `${join(folder, '..')}-gone`),
  (folder, other) => symlinkSync(folder, `${other}-link`),
  (folder, other) => linkSync(file(folder), file(other)),
];

const place = fc
  .tuple(fc.constantFrom('one', 'two'), fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'd/e'))
  .map(([top, below]) => `${top}/${below}`);
const change = fc.record({
  act: fc.constantFrom(...ACTS),
  at: place,
  to: place,
  word: fc.constantFrom('x', 'y', 'zz'),
  wait: fc.constantFrom(0, 0, 0, 0, 110),
});

async function compare(known: KnowledgeFiles, roots: readonly string[]): Promise<void> {
  const fresh = openKnowledgeFiles(roots, SKILLS, NEVER);
  expect(await shown(await known.look())).toEqual(await shown(await fresh.look()));
}

async function conclusiveFiles(files: Readonly<Record<string, string>>, options = ALWAYS) {
  const project = tempProject(files);
  const known = openKnowledgeFiles([join(project.root, 's')], SKILLS, options);
  onTestFinished(() => known.close());
  const watched = options === ALWAYS && process.platform === 'linux';
  for (;;) {
    const read = known.read;
    await known.look();
    if (known.read === read && known.watched === watched) break;
    await pause(20);
  }
  return { project, known, view: await known.look() };
}

describe.each([
  ['watched', ALWAYS],
  ['looked at', NEVER],
])('a collection that is %s', (_, options) => {
  it('shows the current files at each look', { timeout: 120_000 }, async () => {
    verifies('TEAM-39');
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (history) => {
        const base = tempProject().root;
        const roots = ['one', 'two'].map((name) => join(base, name));
        const known = openKnowledgeFiles(roots, SKILLS, options);
        try {
          for (const { act, at, to, word, wait } of history) {
            try {
              act(join(base, at), join(base, to), word);
            } catch {
              // Moves that are impossible now are skipped.
            }
            await compare(known, roots);
            if (wait === 0) continue;
            await pause(wait);
            await compare(known, roots);
          }
        } finally {
          known.close();
          rmSync(base, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is read once, and then only what was edited, even with the same second and size', async () => {
    const { project, known, view } = await conclusiveFiles(
      { 's/a/SKILL.md': page({ name: 'old' }), 's/b/SKILL.md': 'b' },
      options,
    );
    const read = known.read;
    expect([await known.look(), await known.look()]).toEqual([view, view]);
    expect(known.read).toBe(read);
    for (const name of ['new', 'now', 'old', 'end']) {
      project.write('s/a/SKILL.md', page({ name }));
      expect((await known.look()).files.map((each) => each.name)).toEqual([name, null]);
    }
    expect(known.read - read).toBeLessThanOrEqual(4);
  });

  it('notices that a root was replaced, and changes under another name', async () => {
    const { project, known } = await conclusiveFiles({ 's/a/SKILL.md': 'a' }, options);
    const at = (name: string) => join(project.root, name);
    const other = project.write('other', page({ name: 'first' }));
    linkSync(other, at('s/SKILL.md'));
    expect((await known.look()).files[0]?.name).toBe('first');
    await pause(150);
    await known.look();
    await known.look();
    writeFileSync(other, page({ name: 'other' }));
    expect((await known.look()).files[0]?.name).toBe('other');
    project.write('t/b/SKILL.md', 'b');
    renameSync(at('s'), at('u'));
    renameSync(at('t'), at('s'));
    expect((await known.look()).files.map(({ path }) => path)).toEqual(['b/SKILL.md']);
    rmSync(at('s'), { recursive: true });
    expect((await known.look()).troubles).toHaveLength(1);
  });
});

it('looks once for simultaneous calls, and again for later ones', async () => {
  const { project, known } = await conclusiveFiles({ 's/a/SKILL.md': 'a' }, NEVER);
  const [first, second] = [known.look(), known.look()];
  expect(await first).toBe(await second);
  const under = known.look();
  await Promise.resolve();
  project.write('s/b/SKILL.md', 'b');
  expect((await known.look()).files).toHaveLength(2);
  await under;
});

it('reads a file again if it was read too soon after its last change', async () => {
  const project = tempProject({ 's/a/SKILL.md': 'a' });
  const known = openKnowledgeFiles([join(project.root, 's')], SKILLS, NEVER);
  const { ctimeMs } = statSync(join(project.root, 's/a/SKILL.md'));
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(ctimeMs) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  for (let times = 1; times <= 3; times++) {
    await known.look();
    expect(known.read).toBe(times);
  }
});

it('reads a file by its current path, after its root was moved behind a link', async () => {
  const project = tempProject({ 'one/a/SKILL.md': 'text' });
  const at = (name: string) => join(project.root, name);
  symlinkSync(at('one'), at('s'));
  const known = openKnowledgeFiles([at('s')], SKILLS, NEVER);
  await pause(150);
  expect(await shown(await known.look())).toMatchObject({ files: [{ content: 'text' }] });
  renameSync(at('one'), at('two'));
  rmSync(at('s'));
  symlinkSync(at('two'), at('s'));
  expect(await shown(await known.look())).toMatchObject({ files: [{ content: 'text' }] });
});
