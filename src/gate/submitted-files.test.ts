// Stamps of files: every change to a file, or to a link on its path, changes its stamp.

import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { TICK_MS } from '../files/fingerprint.ts';
import {
  hashFile,
  openHashing,
  readFileUpTo,
  stampFile,
  untilConclusive,
} from './submitted-files.ts';

const NEXT_TICK = TICK_MS + 10;

/** Lets the file system's clock advance. */
function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, NEXT_TICK));
}

test("an edit changes the stamp even if its author restores the file's size and time", async () => {
  const root = tempFolder();
  const file = path.join(root, 'o.md');
  const noon = new Date('2026-01-01T12:00:00Z');
  const write = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, noon, noon);
  };
  write('good');
  const before = await stampFile(root, 'o.md');
  await tick();
  expect(await stampFile(root, 'o.md')).toBe(before);
  write('evil');
  expect(await stampFile(root, 'o.md')).not.toBe(before);
});

test.each([
  ['the file', 'o.md', 'good.md', 'evil.md', 'o.md'],
  ['a folder above it', 'docs', 'good', 'evil', 'docs/o.md'],
])('a link in the place of %s shows if it pointed elsewhere meanwhile', async (...given) => {
  const [, link, good, evil, file] = given;
  const root = tempFolder();
  for (const folder of ['good', 'evil']) mkdirSync(path.join(root, folder));
  for (const each of ['good.md', 'evil.md', 'good/o.md', 'evil/o.md']) {
    writeFileSync(path.join(root, each), each);
  }
  const pointTo = (target: string) => {
    rmSync(path.join(root, link), { force: true });
    symlinkSync(target, path.join(root, link));
  };
  pointTo(good);
  const before = await stampFile(root, file);
  await tick();
  expect(await stampFile(root, file)).toBe(before);
  pointTo(evil);
  pointTo(good);
  expect(await stampFile(root, file)).not.toBe(before);
});

test('a file that was just written is awaited until the next write would change its stamp', async () => {
  const file = path.join(tempFolder(), 'o.md');
  writeFileSync(file, 'text');
  // However busy the machine is, no time has passed since.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(file).ctimeMs) });
  onTestFinished(() => void vi.useRealTimers());
  const began = performance.now();
  await untilConclusive(file);
  // Timers may be a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(TICK_MS - 2);
});

test('a pipe in the place of a file fails without waiting for a writer', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'o.md');
  spawnSync('mkfifo', [file]);
  // If the product waited for a writer, this one would release it, much later.
  const late = path.join(folder, 'late');
  const write = `sleep 20; touch '${late}'; : > '${file}'`;
  const writer = spawn('sh', ['-c', write], { stdio: 'ignore', detached: true });
  onTestFinished(() => {
    process.kill(-(writer.pid as number), 'SIGKILL');
  });
  await expect(readFileUpTo(folder, file, 1024)).rejects.toThrow('is not a regular file');
  expect(existsSync(late)).toBe(false);
});

test('a link in the place of a file is not followed out of the project', async () => {
  const folder = tempFolder();
  const secret = path.join(tempFolder(), 'secret');
  writeFileSync(secret, 'of others');
  const file = path.join(folder, 'o.md');
  symlinkSync(secret, file);
  const outside = 'is outside the project root';
  await expect(readFileUpTo(folder, file, 1024)).rejects.toThrow(outside);
  const hashing = openHashing(new AbortController().signal);
  await expect(hashFile(folder, file, hashing)).rejects.toThrow(outside);
  rmSync(file);
  writeFileSync(path.join(folder, 'own'), 'own');
  symlinkSync('own', file);
  expect((await readFileUpTo(folder, file, 1024))?.toString()).toBe('own');
});

test('a file that is larger than a call may read is refused without reading it', async () => {
  const root = tempFolder();
  const file = path.join(root, 'o.md');
  writeFileSync(file, 'too long');
  const hashing = { ...openHashing(new AbortController().signal), left: 4 };
  expect(await hashFile(root, file, hashing)).toBeNull();
  expect(hashing.left).toBe(4);
});

test('a file that is larger than its reported size is refused, too', async () => {
  // The system reports a size of 0 for it.
  const hashing = { ...openHashing(new AbortController().signal), left: 4 };
  expect(await hashFile('/proc', '/proc/version', hashing)).toBeNull();
});
