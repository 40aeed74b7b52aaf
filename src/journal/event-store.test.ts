import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext, someEvent } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { commit, refused, unchanged } from '../core/decision.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { openEventStore } from './event-store.ts';
import { openFileJournal } from './file.ts';
import type { Journal, NewEvent } from './journal.ts';
import { openMemoryJournal } from './memory.ts';

/** A state that is updated in place. */
type Log = unknown[];

function newRules() {
  return {
    evolve(told: Log | null, { data }: NewEvent): Log {
      const grown = told ?? [];
      grown.push(data.n);
      return grown;
    },
    missing: vi.fn((_stream: string, _before: Log | null) => {}),
    rolledBack: vi.fn(async (_stream: string, _before: Log) => {}),
    damaged: () => refuse('damaged', 'damaged'),
    foreign: vi.fn(),
    cannotSave: (_stream: string, reason: string) => refuse('cannot_save', reason),
  };
}

const says = (n: number) => commit(someEvent({ n }), n);

async function newFiles(): Promise<{ journal: Journal; file: string }> {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  for (const n of [1, 2]) await appendNext(journal, 'team', { n });
  return { journal, file: join(folder, 'team.jsonl') };
}

test('an event is applied once, however many calls read at the same time', async () => {
  const journal = openMemoryJournal();
  for (const n of [1, 2, 3]) await appendNext(journal, 'team', { n });
  const store = openEventStore(journal, newRules());
  await Promise.all([store.load('team'), store.load('team'), store.load('team')]);
  expect(store.known('team')).toEqual([1, 2, 3]);
  await store.commit('team', () => says(4));
  expect(await store.load('team')).toEqual([1, 2, 3, 4]);
});

test('a decision on an older state is made again on the newer one', async () => {
  const journal = openMemoryJournal();
  const here = openEventStore(journal, newRules());
  const there = openEventStore(journal, newRules());
  const seen: number[] = [];
  const answer = await here.commit('team', async (told) => {
    seen.push(told?.length ?? 0);
    if (seen.length === 1) await there.commit('team', () => says(1));
    return says(2);
  });
  expect(answer).toBe(2);
  expect(seen).toEqual([0, 1]);
  expect(await there.load('team')).toEqual([1, 2]);
});

test('a refusal and an answer without an event leave the stream as it is', async () => {
  const journal = openMemoryJournal();
  const store = openEventStore(journal, newRules());
  expect(await store.commit('team', () => unchanged('as before'))).toBe('as before');
  const refusing = store.commit('team', () => refused(refuse('no', 'no')));
  await expect(refusing).rejects.toThrow(Refused);
  expect(await journal.version('team')).toBeNull();
});

test('a deleted stream is reported once, with its last known state', async () => {
  const { journal, file } = await newFiles();
  const rules = newRules();
  const store = openEventStore(journal, rules);
  await store.load('team');
  rmSync(file);
  expect(await Promise.all([store.load('team'), store.load('team')])).toEqual([null, null]);
  expect(rules.missing.mock.calls.map(([, before]) => before).sort()).toEqual([[1, 2], null]);
});

test('a truncated stream is reported once, and continues from its current events', async () => {
  const { journal, file } = await newFiles();
  const rules = newRules();
  const store = openEventStore(journal, rules);
  await store.load('team');
  writeFileSync(file, '');
  await appendNext(openTestJournal(join(file, '..')), 'team', { n: 7 });
  expect(await Promise.all([store.load('team'), store.load('team')])).toEqual([[7], [7]]);
  expect(rules.rolledBack).toHaveBeenCalledOnce();
  expect(rules.rolledBack).toHaveBeenCalledWith('team', [1, 2], expect.any(Function));
  await store.commit('team', () => says(8));
  expect(store.known('team')).toEqual([7, 8]);
});

test('a failed append is refused with its reason, and the state is read again', async () => {
  const journal = openMemoryJournal();
  const failing = { ...journal, append: () => Promise.reject(new Error('no room')) };
  const store = openEventStore(failing, newRules());
  await appendNext(journal, 'team', { n: 1 });
  await expect(store.commit('team', () => says(2))).rejects.toMatchObject({
    refusal: { code: 'cannot_save', message: 'no room' },
  });
  expect(store.known('team')).toBeNull();
  expect(await store.load('team')).toEqual([1]);
});

test('a read that began before the stream was truncated does not return the removed events', async () => {
  const { journal, file } = await newFiles();
  let hold = false;
  let held = () => {};
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => {
    held = resolve;
  });
  const slow: Journal = {
    ...journal,
    async *read(stream, after) {
      const mine = hold;
      hold = false;
      yield* journal.read(stream, after);
      if (!mine) return;
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      held();
      await released;
    },
  };
  const store = openEventStore(slow, newRules());
  await store.load('team');
  await appendNext(journal, 'team', { n: 3 });
  hold = true;
  const late = store.load('team');
  await isHeld;
  // Another call finds the stream truncated, and starts over.
  rmSync(file);
  await appendNext(openTestJournal(dirname(file)), 'team', { n: 9 });
  expect(await store.load('team')).toEqual([9]);
  letGo();
  expect(await late).toEqual([9]);
});

test('a commit that loses to nothing newer again and again is given up', async () => {
  const append = vi.fn(async () => ({ kind: 'conflict' }) as const);
  const store = openEventStore({ ...openMemoryJournal(), append }, newRules());
  await expect(store.commit('team', () => says(1))).rejects.toThrow('is moved or replaced');
  expect(append.mock.calls.length).toBeLessThan(10);
});

test('a stream of someone else that cannot be moved away counts as none, and is read once', async () => {
  const folder = tempFolder();
  const stranger = openFileJournal(folder, { key: () => Buffer.alloc(32, 1) });
  await appendNext(stranger, 'team', { n: 1 });
  symlinkSync(tempFolder(), join(folder, 'quarantine'));
  const rules = newRules();
  expect(await openEventStore(openTestJournal(folder), rules).load('team')).toBeNull();
  expect(rules.foreign).toHaveBeenCalledTimes(1);
});

test('a stream that was lost while an event was written to it is reported once', async () => {
  const { journal, file } = await newFiles();
  const rules = newRules();
  let tries = 0;
  const losing: Journal = {
    ...journal,
    append: (stream, after, event, placed) =>
      journal.append(stream, after, event, async (now, own) => {
        if (tries === 0) rmSync(file);
        tries += 1;
        await store.load(stream);
        await placed?.(now, own);
      }),
  };
  const store = openEventStore(losing, rules);
  await store.commit('team', () => says(3)).catch(() => {});
  await store.load('team');
  const reported = rules.missing.mock.calls.filter(([, before]) => before !== null);
  expect(reported).toHaveLength(1);
});
