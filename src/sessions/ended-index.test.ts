// The index of ended sessions: several processes append to it, and it may be damaged or rebuilt.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import type { Session } from '../core/session/state.ts';
import { openEndedIndex, readKnownEnded } from './ended-index.ts';
import { openViews } from './views.ts';

const owner = { identity: 'agent', process: 'p/1/1' };
const idOf = (number: number) => number.toString(16).padStart(8, '0');
const timeOf = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();

function ended(number: number): Session {
  const ending = { nth: number, resumes: null };
  return { id: idOf(number), owner, ending, endedAt: timeOf(number) } as Session;
}

function openAt(folder: string) {
  return openEndedIndex(folder, openViews(folder));
}

async function save(folder: string, ...numbers: number[]): Promise<void> {
  const index = openAt(folder);
  for (const number of numbers) index.add(`v${number}`, ended(number));
  await index.save();
}

test('entries saved by one process are known to the next one and to readers', async () => {
  verifies('BOARD-2');
  const folder = tempFolder();
  await save(folder, 1, 3);
  await save(folder, 2);
  const index = openAt(folder);
  expect(await index.has(idOf(2), 'v2')).toBe(true);
  expect(await index.has(idOf(2), 'another')).toBe(false);
  expect(await index.count('agent')).toBe(3);
  const known = readKnownEnded(folder, 10);
  expect([...known.ids].sort()).toEqual([1, 2, 3].map(idOf));
  expect(known.last).toEqual([3, 2, 1].map(idOf));
});

test('a truncated or invalid line does not affect the others', async () => {
  verifies('BOARD-2');
  const folder = tempFolder();
  await save(folder, 1);
  appendFileSync(path.join(folder, 'ended.log'), `\n${idOf(9)}\t2026-01`);
  await save(folder, 2);
  appendFileSync(path.join(folder, 'ended.log'), '\n\0\0\0nonsense\t\t\t\n[]\n');
  await save(folder, 3);
  expect([...readKnownEnded(folder, 10).ids].sort()).toEqual([1, 2, 3].map(idOf));
  const index = openAt(folder);
  for (const number of [1, 2, 3]) expect(await index.has(idOf(number), `v${number}`)).toBe(true);
  expect(await index.has(idOf(9), 'v9')).toBe(false);
});

test('a log that is mostly outdated is rewritten', async () => {
  verifies('BOARD-2');
  const folder = tempFolder();
  const file = path.join(folder, 'ended.log');
  await save(folder, 1);
  const line = readFileSync(file, 'utf8');
  writeFileSync(file, line.repeat(500));
  await save(folder, 2);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});
