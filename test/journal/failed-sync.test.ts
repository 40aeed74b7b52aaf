// A sync that fails once and then succeeds. Its line may be lost, although every reader sees it;
// nothing acknowledged later may depend on it.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { verifyStream } from '../../src/journal/verify.ts';
import { openTestJournal, TEST_KEY } from '../support/journal.ts';
import { readAll, someEvent } from '../support/journal-conformance.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { everyFault, type Fault, faultyLayer, isInjected, nameFault } from './fault-layer.ts';
import { unsureDisk } from './unsure-disk.ts';

const STREAM = 'session/a';
const fileIn = (folder: string) => join(folder, 'session', 'a.jsonl');

async function append(journal: Journal, id: string): Promise<string> {
  const events = await readAll(journal, STREAM);
  const { seq = 0, hash = '' } = events.at(-1) ?? {};
  return (await journal.append(STREAM, { seq, hash }, someEvent({ id }))).kind;
}

async function ids(folder: string): Promise<unknown[]> {
  return (await readAll(openTestJournal(folder), STREAM)).map(({ data }) => data.id);
}

describe('after a sync that failed', () => {
  it.each([
    ['the first event', 0],
    ['a later event', 3],
  ])('of %s, what is acknowledged survives a crash', async (_, before) => {
    const folder = tempFolder();
    const disk = unsureDisk();
    const journal = openTestJournal(folder, disk.layer);
    for (let n = 0; n < before; n += 1) await append(journal, `${n}`);
    disk.failNextSync();
    await expect(append(journal, 'unsure')).rejects.toMatchObject({ code: 'EIO' });
    expect(await append(journal, 'after')).toBe('appended');
    expect(await append(journal, 'last')).toBe('appended');
    disk.crash(folder);
    const found = await ids(folder);
    expect(found.filter((id) => id !== 'unsure')).toEqual([
      ...Array.from({ length: before }, (_, n) => `${n}`),
      'after',
      'last',
    ]);
    expect(await verifyStream(folder, STREAM, TEST_KEY)).toMatchObject({ damage: null });
    expect(fs.readdirSync(join(folder, 'session'))).toEqual(['a.jsonl']);
  });

  it('other processes do not build on the file either', async () => {
    const folder = tempFolder();
    const disk = unsureDisk();
    const [one, other] = [1, 2].map(() => openTestJournal(folder, disk.layer)) as [
      Journal,
      Journal,
    ];
    await append(one, 'first');
    await append(other, 'second');
    disk.failNextSync();
    await expect(append(one, 'unsure')).rejects.toMatchObject({ code: 'EIO' });
    expect(await append(other, 'third')).toBe('appended');
    disk.crash(folder);
    const found = await ids(folder);
    expect(found.filter((id) => id !== 'unsure')).toEqual(['first', 'second', 'third']);
  });

  it('many processes that renew the file at once lose nothing of each other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = tempFolder();
      const disk = unsureDisk();
      const first = openTestJournal(folder, disk.layer);
      await append(first, 'first');
      disk.failNextSync();
      await expect(append(first, 'unsure')).rejects.toMatchObject({ code: 'EIO' });
      const acknowledged = new Set<string>();
      const write = async (name: string): Promise<void> => {
        const journal = openTestJournal(folder, disk.layer);
        for (let n = 0; n < 3; ) {
          const id = `${name}${n}`;
          if ((await append(journal, id)) !== 'appended') continue;
          acknowledged.add(id);
          n += 1;
        }
      };
      await Promise.all(['a', 'b', 'c', 'd'].map(write));
      disk.crash(folder);
      const found = await ids(folder);
      expect(new Set(found).size).toBe(found.length);
      expect([...acknowledged].filter((id) => !found.includes(id))).toEqual([]);
      expect(acknowledged.size).toBe(12);
    }
  });

  it('no fault while the file is renewed loses an event', async () => {
    async function failed(folder: string): Promise<void> {
      const disk = unsureDisk();
      const journal = openTestJournal(folder, disk.layer);
      await append(journal, 'first');
      disk.failNextSync();
      await expect(append(journal, 'unsure')).rejects.toMatchObject({ code: 'EIO' });
    }
    const start = tempFolder();
    await failed(start);
    const clean = faultyLayer(null);
    await append(openTestJournal(start, clean), 'second');
    expect(clean.log).toEqual(expect.arrayContaining(['open for making', 'link', 'replace']));

    // Faults of an append before and after that are tested in `faults.test.ts`.
    const [from, to] = [clean.log.indexOf('open for making'), clean.log.lastIndexOf('syncFolder')];
    const faults = everyFault(clean.log).filter(
      (each) => each.at >= from && each.at <= to && (!('code' in each) || each.code === 'EIO'),
    );
    expect(faults.length).toBeGreaterThan(30);
    for (const fault of faults) {
      await check(fault).catch((error: unknown) => {
        throw new Error(nameFault(clean.log, fault), { cause: error });
      });
    }

    async function check(fault: Fault): Promise<void> {
      const folder = tempFolder();
      await failed(folder);
      const layer = faultyLayer(fault);
      const journal = openTestJournal(folder, layer);
      const result = await append(journal, 'second').catch((error: unknown) => error);
      const again = await append(journal, 'third').catch((error: unknown) => error);
      await layer.dispose();
      for (const each of [result, again])
        expect(each === 'appended' || isInjected(each)).toBe(true);
      if (!layer.stopped()) expect([result, again]).toContain('appended');
      const later = openTestJournal(folder);
      expect(await append(later, 'fourth')).toBe('appended');
      const found = await ids(folder);
      expect(found.slice(0, 2)).toEqual(['first', 'unsure']);
      if (result === 'appended') expect(found).toContain('second');
      if (again === 'appended') expect(found).toContain('third');
      expect(found.at(-1)).toBe('fourth');
      expect(fs.existsSync(fileIn(folder))).toBe(true);
    }
  });
});
