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
import { dirname, join } from 'node:path';
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
        // As an editor saves, and with an old time stamp.
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
])('a collection that is %s', (_, options) => {
  it('shows the current files at each look', async () => {
    verifies('TEAM-39');
    const histories = fc.array(fc.tuple(act, fc.constantFrom(0, 0, 0, 0, 110)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const base = tempProject().root;
        const roots = ['one', 'two'].map((name) => join(base, name));
        const known = openKnowledgeFiles(roots, SKILLS, options);
        try {
          for (const [step, wait] of history) {
            try {
              step(base);
            } catch {
              // Moves that are impossible now are skipped.
            }
            await compare(known, roots);
            if (wait > 0) {
              await pause(wait);
              await compare(known, roots);
            }
          }
        } finally {
          known.close();
          rmSync(base, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
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
  const view = await (async function untilConclusive(): Promise<KnowledgeView> {
    const read = known.read;
    const seen = await known.look();
    if (known.read === read && known.watched === watched) return known.look();
    await pause(20);
    expect(seen.files.length).toBeGreaterThan(0);
    return untilConclusive();
  })();
  return { project, known, view };
}

describe.each([
  ['watched', ALWAYS],
  ['looked at', NEVER],
])('an unchanged collection that is %s', (_, options) => {
  it('is read once and returns the same view', async () => {
    const { known, view } = await conclusiveFiles(
      { 's/a/SKILL.md': 'a', 's/b/SKILL.md': 'b' },
      options,
    );
    const read = known.read;
    expect(await known.look()).toBe(view);
    expect(await known.look()).toBe(view);
    expect(known.read).toBe(read);
  });

  it('reads only edited files, even with the same second and size', async () => {
    const { project, known, view } = await conclusiveFiles(
      { 's/a/SKILL.md': page({ name: 'old' }), 's/b/SKILL.md': 'b' },
      options,
    );
    const read = known.read;
    for (const name of ['new', 'now', 'old', 'end']) {
      project.write('s/a/SKILL.md', page({ name }));
      expect((await known.look()).files.map((file) => file.name)).toEqual([name, null]);
    }
    expect(known.read - read).toBeLessThanOrEqual(4);
    expect(await known.look()).not.toBe(view);
  });

  it('notices that a root, or a folder above it, was replaced', async () => {
    const { project, known } = await conclusiveFiles({ 's/a/SKILL.md': 'a' }, options);
    const at = (name: string) => join(project.root, name);
    project.write('t/b/SKILL.md', 'b');
    renameSync(at('s'), at('u'));
    renameSync(at('t'), at('s'));
    expect((await known.look()).files.map(({ path }) => path)).toEqual(['b/SKILL.md']);
    rmSync(at('s'), { recursive: true });
    expect((await known.look()).troubles).toEqual(['it does not exist']);
  });

  it('notices changes behind a link and under another name', async () => {
    const { project, known } = await conclusiveFiles({ 's/a/SKILL.md': 'a' }, options);
    const other = project.write('other', page({ name: 'first' }));
    linkSync(other, join(project.root, 's/SKILL.md'));
    expect((await known.look()).files[0]?.name).toBe('first');
    await pause(150);
    await known.look();
    await known.look();
    writeFileSync(other, page({ name: 'other' }));
    expect((await known.look()).files[0]?.name).toBe('other');
    expect(dirname(other)).toBe(project.root);
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
