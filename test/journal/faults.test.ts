// Every file operation of the journal fails in turn, and is the last thing before a crash in turn.
// In every case earlier events stay unchanged, acknowledged events exist, nothing exists twice,
// and work continues without a gap.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Journal, StreamDamaged } from '../../src/journal/journal.ts';
import { keptOf, openTestJournal } from '../support/journal.ts';
import { readAll, someEvent } from '../support/journal-conformance.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { everyFault, type Fault, faultyLayer, isInjected, nameFault } from './fault-layer.ts';
import { unsureDisk } from './unsure-disk.ts';

const STREAM = 'session/a';
const fileIn = (folder: string) => join(folder, 'session', 'a.jsonl');

async function ids(journal: Journal): Promise<unknown[]> {
  return (await readAll(journal, STREAM)).map((event) => event.data.id);
}

/** Two appends, each after a fresh read; returns which were acknowledged. */
async function appendTwo(journal: Journal): Promise<{ acknowledged: string[]; errors: unknown[] }> {
  const acknowledged: string[] = [];
  const errors: unknown[] = [];
  for (const id of ['first', 'second']) {
    try {
      const seq = (await readAll(journal, STREAM)).length;
      const result = await journal.append(STREAM, seq, someEvent({ id }));
      if (result.kind === 'appended') acknowledged.push(id);
      else errors.push(new Error('conflict without another writer'));
    } catch (error) {
      errors.push(error);
    }
  }
  return { acknowledged, errors };
}

const settings: [string, (folder: string) => Promise<string[]>][] = [
  ['in a new journal', async () => []],
  [
    'behind other events',
    async (folder) => {
      const journal = openTestJournal(folder);
      await journal.append(STREAM, 0, someEvent({ id: 'old 1' }));
      await journal.append(STREAM, 1, someEvent({ id: 'old 2' }));
      return ['old 1', 'old 2'];
    },
  ],
  [
    'behind a torn line',
    async (folder) => {
      const journal = openTestJournal(folder);
      await journal.append(STREAM, 0, someEvent({ id: 'old 1' }));
      fs.appendFileSync(fileIn(folder), fs.readFileSync(fileIn(folder)).subarray(0, 100));
      return ['old 1'];
    },
  ],
];

async function checkAppends(
  prepare: (folder: string) => Promise<string[]>,
  fault: Fault,
): Promise<void> {
  const folder = join(tempFolder(), 'journal');
  const before = await prepare(folder);
  const bytes = fs.existsSync(fileIn(folder)) ? fs.readFileSync(fileIn(folder)) : Buffer.alloc(0);
  const layer = faultyLayer(fault);
  const { acknowledged, errors } = await appendTwo(openTestJournal(folder, layer));
  await layer.dispose();

  expect(errors.filter((error) => !isInjected(error))).toEqual([]);
  // One fault costs at most one call; a dead process makes no more calls.
  if (!layer.stopped()) expect(acknowledged.length).toBeGreaterThanOrEqual(1);

  const now = fs.existsSync(fileIn(folder)) ? fs.readFileSync(fileIn(folder)) : Buffer.alloc(0);
  expect(now.subarray(0, bytes.length).equals(bytes)).toBe(true);

  const reader = openTestJournal(folder);
  const found = await ids(reader);
  expect(found.slice(0, before.length)).toEqual(before);
  const added = found.slice(before.length);
  const possible = ['first', 'second'].filter(
    (id) => acknowledged.includes(id) || layer.written.some((text) => text.includes(`"${id}"`)),
  );
  expect(possible.filter((id) => added.includes(id))).toEqual(added);
  expect(acknowledged.filter((id) => !added.includes(id))).toEqual([]);

  const after = await appendTwo(reader);
  expect(after.errors).toEqual([]);
  const events = await readAll(openTestJournal(folder), STREAM);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.map((event) => event.data.id)).toEqual([...found, 'first', 'second']);
  expect(await keptOf(reader, STREAM, 'damaged')).toEqual([]);
}

describe.each(settings)('appending %s', (_, prepare) => {
  it('survives every fault of every operation', async () => {
    verifies('JOBS-X.18', 'JOBS-X.20');
    const folder = join(tempFolder(), 'journal');
    await prepare(folder);
    const clean = faultyLayer(null);
    const { acknowledged } = await appendTwo(openTestJournal(folder, clean));
    expect(acknowledged).toHaveLength(2);
    expect(clean.log).toEqual(expect.arrayContaining(['write', 'sync', 'read', 'facts', 'close']));
    for (const fault of everyFault(clean.log)) {
      await checkAppends(prepare, fault).catch((error: unknown) => {
        throw new Error(nameFault(clean.log, fault), { cause: error });
      });
    }
  });
});

it('reports a write that was cut short as a full disk', async () => {
  const folder = tempFolder();
  await openTestJournal(folder).append(STREAM, 0, someEvent({ id: 'old' }));
  const clean = faultyLayer(null);
  await openTestJournal(folder, clean).append(STREAM, 1, someEvent({ id: 'new' }));
  const at = clean.log.indexOf('write');
  const journal = openTestJournal(folder, faultyLayer({ at, kind: 'short', cut: 50 }));
  await expect(journal.append(STREAM, 2, someEvent({ id: 'lost' }))).rejects.toMatchObject({
    code: 'ENOSPC',
    message: expect.stringMatching(/only \d+ of \d+ bytes/),
  });
  expect(await ids(journal)).toEqual(['old', 'new']);
});

it('reading returns everything or an error, never less', async () => {
  const folder = tempFolder();
  const writer = openTestJournal(folder);
  // Long enough for several chunks.
  for (let n = 0; n < 6; n += 1) {
    await writer.append(STREAM, n, someEvent({ id: n, text: 'x'.repeat(100_000) }));
  }
  const clean = faultyLayer(null);
  expect(await ids(openTestJournal(folder, clean))).toHaveLength(6);
  for (const fault of everyFault(clean.log)) {
    const layer = faultyLayer(fault);
    const result = await ids(openTestJournal(folder, layer)).catch((error: unknown) => error);
    await layer.dispose();
    if (Array.isArray(result)) expect(result).toEqual([0, 1, 2, 3, 4, 5]);
    else expect(isInjected(result)).toBe(true);
  }
  expect(await keptOf(writer, STREAM, 'damaged')).toEqual([]);
});

/** After a sync that failed, what is acknowledged survives a crash, also that of other processes. */
it.each([
  ['the first event', 0],
  ['a later event', 3],
])('nothing rests on a line whose sync failed: %s', async (_, before) => {
  const folder = tempFolder();
  const disk = unsureDisk();
  const [journal, other] = [1, 2].map(() => openTestJournal(folder, disk.layer)) as [
    Journal,
    Journal,
  ];
  const append = async (to: Journal, id: string) => {
    const { seq = 0, hash = '' } = (await readAll(to, STREAM)).at(-1) ?? {};
    return (await to.append(STREAM, { seq, hash }, someEvent({ id }))).kind;
  };
  for (let n = 0; n < before; n += 1) await append(journal, `${n}`);
  disk.failNextSync();
  await expect(append(journal, 'unsure')).rejects.toMatchObject({ code: 'EIO' });
  expect(await append(other, 'other')).toBe('appended');
  expect(await append(journal, 'last')).toBe('appended');
  disk.crash(folder);
  const found = await ids(openTestJournal(folder));
  const old = Array.from({ length: before }, (__, n) => `${n}`);
  expect(found.filter((id) => id !== 'unsure')).toEqual([...old, 'other', 'last']);
});

it('a damaged stream that is set aside keeps its bytes through every fault', async () => {
  verifies('JOBS-X.20');
  const damage = async (folder: string): Promise<Buffer> => {
    const journal = openTestJournal(folder);
    for (let n = 0; n < 3; n += 1) await journal.append(STREAM, n, someEvent({ id: `id ${n}` }));
    const text = fs.readFileSync(fileIn(folder), 'utf8').replace('id 1', 'id 7');
    fs.writeFileSync(fileIn(folder), text);
    return fs.readFileSync(fileIn(folder));
  };
  const copies = (folder: string, bytes: Buffer): string[] => {
    const kept = join(folder, 'damaged');
    const names = fs.existsSync(kept) ? fs.readdirSync(kept).map((name) => join(kept, name)) : [];
    return [fileIn(folder), ...names].filter(
      (path) => fs.existsSync(path) && fs.readFileSync(path).equals(bytes),
    );
  };
  const clean = faultyLayer(null);
  const folder = tempFolder();
  await damage(folder);
  await expect(ids(openTestJournal(folder, clean))).rejects.toThrow(StreamDamaged);
  expect(clean.log).toContain('move');
  for (const fault of everyFault(clean.log)) {
    const place = tempFolder();
    const bytes = await damage(place);
    const layer = faultyLayer(fault);
    const error = await ids(openTestJournal(place, layer)).catch((reason: unknown) => reason);
    await layer.dispose();
    const what = nameFault(clean.log, fault);
    expect(error instanceof StreamDamaged || isInjected(error), what).toBe(true);
    expect(copies(place, bytes), what).toHaveLength(1);
    if (error instanceof StreamDamaged && !layer.stopped()) {
      expect(copies(place, bytes), what).toEqual([join(place, error.kept)]);
    }
    const later = openTestJournal(place);
    const again = await ids(later).catch((reason: unknown) => reason);
    if (!(again instanceof StreamDamaged)) expect(again, what).toEqual([]);
    expect(await keptOf(later, STREAM, 'damaged'), what).toHaveLength(1);
    expect(copies(place, bytes), what).toHaveLength(1);
  }
});
