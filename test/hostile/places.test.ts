// For every path that deepwork opens in a project, and everything that a hostile repository can
// put there: no call hangs, nothing outside the project is changed or shown, no program is
// started, and the problem is named.

import {
  appendFileSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  renameSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { mapConcurrent } from '../../src/async/map-concurrent.ts';
import { type Canary, newCanary } from './canary.ts';
import { asListed, unlisted } from './listed.ts';
import { PLACES, type Place } from './places.ts';
import { type Heard, type Note, type Runner, startRunner } from './runners.ts';
import { newSample, type Sample } from './sample.ts';
import { putInPlace, SPOILINGS, type Spoiling, UNREADABLE } from './spoil.ts';

/** The user that owns nothing, on every system with users. */
const NOBODY = 65_534;
const AT_ONCE = 3;
const isRoot = process.getuid?.() === 0;
/** No call takes this long, in a hostile project or not; one that waits for a pipe does. */
const SLOW_MS = 30_000;

/** Null: the tests run as root, in a place that others cannot read. */
const asNobody = isRoot ? await startRunner(NOBODY).catch(() => null) : null;
const canBeOrdinary = !isRoot || asNobody !== null;

/** A process and a folder outside of all projects, for one project after the other. */
interface Stand {
  readonly runner: Runner;
  readonly canary: Canary;
  /** What is in the canary. */
  readonly untouched: string;
}

function newStand(runner: Runner): Stand {
  const canary = newCanary();
  return { runner, canary, untouched: JSON.stringify(canary.snapshot()) };
}

function remove({ runner, canary }: Stand): void {
  runner.end();
  canary.remove();
}

const idle = new Map<boolean, Stand[]>([
  [true, asNobody === null ? [] : [newStand(asNobody)]],
  [false, []],
]);
afterAll(() => {
  for (const stand of [...idle.values()].flat()) remove(stand);
});

/** Only a stand that was not harmed is used again. */
async function withStand(
  ordinary: boolean,
  attack: (stand: Stand) => Promise<string[]>,
): Promise<string[]> {
  const otherUser = ordinary && isRoot;
  const waiting = idle.get(otherUser) as Stand[];
  const stand = waiting.pop() ?? newStand(await startRunner(otherUser ? NOBODY : null));
  let faults: string[] | null = null;
  try {
    faults = await attack(stand);
    return faults;
  } finally {
    if (faults?.length === 0) waiting.push(stand);
    else remove(stand);
  }
}

/** Everything that is wrong with the server's reaction; empty if nothing is. */
async function faultsOf(place: Place, spoiling: Spoiling): Promise<string[]> {
  const sample = newSample();
  try {
    return await withStand(spoiling.asOrdinaryUser === true, async (stand) => {
      const { runner, canary } = stand;
      if (spoiling.asOrdinaryUser && isRoot) giveAway(sample.root);
      const begun = await runner.begin(sample.root, place.area);
      const needsId = place.path.includes('<id>') || place.stir?.endsWith('journal');
      const id = needsId ? sessionOf(begun) : '';
      const at = sample.path(place.path.replace('<id>', id));
      if (place.stir !== undefined) stir(place.stir, sample, id);
      putInPlace(spoiling, at, place, canary);
      if (spoiling.asOrdinaryUser && isRoot) giveAway(sample.root);
      const answered = await runner.attack(place.area);
      const faults = judge(answered, canary.secret, canary.folder);
      if (JSON.stringify(canary.snapshot()) !== stand.untouched) {
        faults.push('something outside the project has changed');
      }
      const said = `${answered.answers.map(({ text }) => text).join('\n')}\n${answered.stderr}`;
      const name = place.path.replace('<id>', id);
      if (!place.silent && !isNamed(said, name, place.called)) faults.push(`nothing names ${name}`);
      return faults.map((fault) => `${spoiling.name}: ${fault}`);
    });
  } catch (error) {
    return [`${spoiling.name}: ${(error as Error).message}`];
  } finally {
    sample.remove();
  }
}

function judge({ answers, stderr, notes }: Heard, secret: string, outside: string): string[] {
  const faults: string[] = [];
  for (const { tool, text, ms } of answers) {
    if (text.includes(secret)) faults.push(`${tool} shows what is outside: ${text.slice(0, 300)}`);
    if (text.includes(outside)) faults.push(`${tool} tells where the link leads`);
    if (ms > SLOW_MS) faults.push(`${tool} took ${ms} ms`);
  }
  if (stderr.includes(secret)) faults.push('stderr shows what is outside');
  const seen = (kind: Note['kind']) => notes.filter((note) => note.kind === kind);
  for (const { call, path: file } of seen('outside')) faults.push(`${call} outside: ${file}`);
  for (const { path: file } of seen('started')) faults.push(`started ${file}`);
  return [...new Set(faults)];
}

/** By its path, or as tools name it: a job, a guide, a session. */
function isNamed(said: string, name: string, called = name): boolean {
  const stem = path.basename(name).replace(/\.(jsonl?|yml)$/, '');
  const names = [name, called, path.basename(name), `'${stem}'`, `"${stem}"`];
  return names.some((each) => said.includes(each));
}

function sessionOf({ answers }: Heard): string {
  const id = /"session_id":"([0-9a-f]{8})"/.exec(answers[0]?.text ?? '')?.[1];
  if (id === undefined) throw new Error(`nothing could be started: ${answers[0]?.text}`);
  return id;
}

function stir(what: NonNullable<Place['stir']>, sample: Sample, id: string): void {
  const stream = `.deepwork/journal/session/${id}.jsonl`;
  if (what === 'foreign state') sample.write('.sgai/state.json', '{"status":"mine"}');
  else if (what === 'damaged journal') appendFileSync(sample.path(stream), '{"seq":9}\n');
  else {
    // Another file: in one that it knows, a server reports this as damage.
    sample.write(`${stream}.new`, '\t{"seq":1}\n');
    renameSync(sample.path(`${stream}.new`), sample.path(stream));
  }
}

function giveAway(root: string): void {
  chownSync(root, NOBODY, NOBODY);
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (existsSync(path.join(root, name)) || lstatSync(path.join(root, name)).isSymbolicLink()) {
      lchownSync(path.join(root, name), NOBODY, NOBODY);
    }
  }
}

describe('a hostile repository gains nothing by what it puts in the place of', () => {
  test.each(PLACES.map((place) => [place.path, place] as const))('%s', async (_, place) => {
    const all = canBeOrdinary ? [...SPOILINGS, UNREADABLE] : SPOILINGS;
    const ways = all.filter(({ only }) => !only || only === place.kind);
    const faults = await mapConcurrent(ways, AT_ONCE, (way) => faultsOf(place, way));
    expect(faults.flat()).toEqual([]);
  });
});

// What is attacked is a list, so the list must be complete.
test('a run opens and changes nothing in its project that is not on the list', async () => {
  const sample = newSample();
  onTestFinished(sample.remove);
  const runner = await startRunner();
  onTestFinished(runner.end);
  const begun = await runner.begin(sample.root);
  expect(begun.answers.filter(({ isError }) => isError)).toEqual([]);
  sample.write('.sgai/state.json', '{"status":"mine"}');
  const { notes } = await runner.attack();
  const all = [...begun.notes, ...notes];
  expect(
    unlisted(
      sample.root,
      all.map((note) => note.path),
      PLACES,
    ),
  ).toEqual([]);
  // And every place on the list is really used; otherwise the suite would attack unused ones.
  const used = all.map((note) => `${asListed(sample.root, note.path)}/`);
  const never = PLACES.filter((place) => !used.some((way) => way.startsWith(`${place.path}/`)));
  expect(never).toEqual([]);
});
