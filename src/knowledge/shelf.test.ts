// Whatever happens to the files, the next look sees it: random histories, each compared
// with a shelf that was opened just now, with and without a watch.

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
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { page, tempProject } from '../../test/support/knowledge.ts';
import { verifies } from '../../test/verifies.ts';
import { openShelf, type Shelf, type ShelfView } from './shelf.ts';
import { SKILLS } from './skills.ts';

const RUNS = Math.min(Number(process.env.DEEPWORK_CASES ?? 25), 500);
const ALWAYS = { watchFrom: 0 };
const NEVER = { watchFrom: Number.POSITIVE_INFINITY };

async function shown({ files, troubles }: ShelfView) {
  const rows = files.map(async ({ path, name, description, content }) => {
    return { path, name, description, content: await content() };
  });
  return { files: await Promise.all(rows), troubles };
}

const folder = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'd/e');
const root = fc.constantFrom('one', 'two');
const place = fc.tuple(root, folder).map(([top, below]) => `${top}/${below}`);
const word = fc.constantFrom('x', 'y', 'zz');

type Act = (base: string) => void;
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(place, word).map(([at, name]) => write(at, name)) },
  fc.tuple(place, word).map(
    ([at, more]): Act =>
      (base) => {
        appendFileSync(join(base, at, 'SKILL.md'), more);
      },
  ),
  place.map(
    (at): Act =>
      (base) =>
        rmSync(join(base, at), { recursive: true }),
  ),
  place.map(
    (at): Act =>
      (base) =>
        rmSync(join(base, at, 'SKILL.md')),
  ),
  root.map(
    (at): Act =>
      (base) =>
        rmSync(join(base, at), { recursive: true }),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Act =>
      (base) => {
        renameSync(join(base, from), join(base, to));
      },
  ),
  fc.tuple(root, root).map(
    ([from, to]): Act =>
      (base) => {
        renameSync(join(base, from), join(base, `${to}-gone`));
      },
  ),
  fc.tuple(place, place).map(
    ([from, to]): Act =>
      (base) => {
        symlinkSync(join(base, from), join(base, `${to}-link`));
      },
  ),
  fc.tuple(place, place).map(
    ([from, to]): Act =>
      (base) => {
        linkSync(join(base, from, 'SKILL.md'), join(base, to, 'SKILL.md'));
      },
  ),
  fc.tuple(place, word).map(
    ([at, name]): Act =>
      (base) => {
        // What an editor does, and with a time stamp of long ago.
        const file = join(base, at, 'SKILL.md');
        writeFileSync(`${file}~`, page({ name }));
        utimesSync(`${file}~`, 1, 1);
        renameSync(`${file}~`, file);
      },
  ),
);

function write(at: string, name: string): Act {
  return (base) => {
    mkdirSync(join(base, at), { recursive: true });
    writeFileSync(join(base, at, 'SKILL.md'), page({ name }));
  };
}

describe.each([
  ['watched', ALWAYS],
  ['looked at', NEVER],
])('a shelf that is %s', (_, options) => {
  it('shows at each look what is there', async () => {
    verifies('TEAM-39');
    const histories = fc.array(fc.tuple(act, fc.constantFrom(0, 0, 0, 0, 110)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const base = tempProject().root;
        const roots = ['one', 'two'].map((name) => join(base, name));
        const shelf = openShelf(roots, SKILLS, options);
        try {
          for (const [step, wait] of history) {
            try {
              step(base);
            } catch {
              // What cannot be done now is no part of the history.
            }
            await compare(shelf, roots);
            if (wait > 0) {
              await pause(wait);
              await compare(shelf, roots);
            }
          }
        } finally {
          shelf.close();
          rmSync(base, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});

async function compare(shelf: Shelf, roots: readonly string[]): Promise<void> {
  const fresh = openShelf(roots, SKILLS, NEVER);
  expect(await shown(await shelf.look())).toEqual(await shown(await fresh.look()));
}

async function settledShelf(files: Readonly<Record<string, string>>, options = ALWAYS) {
  const project = tempProject(files);
  const shelf = openShelf([join(project.root, 's')], SKILLS, options);
  onTestFinished(() => shelf.close());
  const watched = options === ALWAYS && process.platform === 'linux';
  const view = await (async function settle(): Promise<ShelfView> {
    const read = shelf.read;
    const seen = await shelf.look();
    if (shelf.read === read && shelf.watched === watched) return shelf.look();
    await pause(20);
    expect(seen.files.length).toBeGreaterThan(0);
    return settle();
  })();
  return { project, shelf, view };
}

describe.each([
  ['watched', ALWAYS],
  ['looked at', NEVER],
])('an unchanged shelf that is %s', (_, options) => {
  it('is read once and gives the same view', async () => {
    const { shelf, view } = await settledShelf(
      { 's/a/SKILL.md': 'a', 's/b/SKILL.md': 'b' },
      options,
    );
    const read = shelf.read;
    expect(await shelf.look()).toBe(view);
    expect(await shelf.look()).toBe(view);
    expect(shelf.read).toBe(read);
  });

  it('reads only what was edited, in the same second and size', async () => {
    const { project, shelf, view } = await settledShelf(
      { 's/a/SKILL.md': page({ name: 'old' }), 's/b/SKILL.md': 'b' },
      options,
    );
    const read = shelf.read;
    for (const name of ['new', 'now', 'old', 'end']) {
      project.write('s/a/SKILL.md', page({ name }));
      expect((await shelf.look()).files.map((file) => file.name)).toEqual([name, null]);
    }
    expect(shelf.read - read).toBeLessThanOrEqual(4);
    expect(await shelf.look()).not.toBe(view);
  });

  it('sees a root that was replaced, and a folder above it', async () => {
    const { project, shelf } = await settledShelf({ 's/a/SKILL.md': 'a' }, options);
    const at = (name: string) => join(project.root, name);
    project.write('t/b/SKILL.md', 'b');
    renameSync(at('s'), at('u'));
    renameSync(at('t'), at('s'));
    expect((await shelf.look()).files.map(({ path }) => path)).toEqual(['b/SKILL.md']);
    rmSync(at('s'), { recursive: true });
    expect((await shelf.look()).troubles).toEqual(['it does not exist']);
  });

  it('sees what changes behind a link and under another name', async () => {
    const { project, shelf } = await settledShelf({ 's/a/SKILL.md': 'a' }, options);
    const other = project.write('other', page({ name: 'first' }));
    linkSync(other, join(project.root, 's/SKILL.md'));
    expect((await shelf.look()).files[0]?.name).toBe('first');
    await pause(150);
    await shelf.look();
    await shelf.look();
    writeFileSync(other, page({ name: 'other' }));
    expect((await shelf.look()).files[0]?.name).toBe('other');
    expect(dirname(other)).toBe(project.root);
  });
});

it('looks once for calls that come together, and again for those that come later', async () => {
  const { project, shelf } = await settledShelf({ 's/a/SKILL.md': 'a' }, NEVER);
  const [first, second] = [shelf.look(), shelf.look()];
  expect(await first).toBe(await second);
  const under = shelf.look();
  await Promise.resolve();
  project.write('s/b/SKILL.md', 'b');
  expect((await shelf.look()).files).toHaveLength(2);
  await under;
});

it('reads a file again that was read too soon after its last change', async () => {
  const project = tempProject({ 's/a/SKILL.md': 'a' });
  const shelf = openShelf([join(project.root, 's')], SKILLS, NEVER);
  const { ctimeMs } = statSync(join(project.root, 's/a/SKILL.md'));
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(ctimeMs) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  for (let times = 1; times <= 3; times++) {
    await shelf.look();
    expect(shelf.read).toBe(times);
  }
});
