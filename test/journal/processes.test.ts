// Several real processes on one stream, with only the file between them; and processes that are
// killed in the middle of their work.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { verifyStream } from '../../src/journal/verify.ts';
import { openTestJournal, TEST_KEY } from '../support/journal.ts';
import { appendNext, readAll } from '../support/journal-conformance.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

/** Events of each of 32 writers. */
const EACH = 20;
const KILLS = Math.min(Number(process.env.DEEPWORK_KILLS ?? 5), 50);

let bundles = '';

async function bundle(source: string, name: string): Promise<void> {
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(bundles, name),
  });
}

beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), 'deepwork-journal-bundles-'));
  await bundle("import './writer.ts';", 'writer.mjs');
  await bundle(
    `import { openTestJournal, TEST_KEY } from '../support/journal.ts';
     const journal = openTestJournal(process.argv[2] ?? '');
     journal.watch('', () => {});
     await journal.append('team', 0, { type: 'noted', at: '2025-01-31T12:00:00Z', data: {} });`,
    'watcher.mjs',
  );
});

afterAll(() => rmSync(bundles, { recursive: true, force: true }));

interface Writer {
  readonly child: ChildProcess;
  /** How many of its events were acknowledged so far. */
  events(): number;
  /** Resolves with the exit code when all its output has been read. */
  readonly over: Promise<unknown>;
}

/** Every complete line the process prints is one acknowledged event: `id seq`. */
function start(args: string[], acknowledged: Map<string, number>): Writer {
  const child = spawn(process.execPath, [join(bundles, 'writer.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let rest = '';
  let events = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [id = '', seq] = line.split(' ');
      expect(acknowledged.has(id)).toBe(false);
      acknowledged.set(id, Number(seq));
      events += 1;
    }
  });
  return { child, events: () => events, over: once(child, 'close').then(([code]) => code) };
}

async function checkStream(folder: string, acknowledged: Map<string, number>): Promise<number> {
  const events = await readAll(openTestJournal(folder), 'team');
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const found = new Map(events.map((event) => [String(event.data.id), event.seq]));
  expect(found.size).toBe(events.length);
  for (const [id, seq] of acknowledged) expect(found.get(id), id).toBe(seq);
  const verified = await verifyStream(folder, 'team', TEST_KEY);
  expect(verified).toMatchObject({ events: events.length, damage: null });
  return events.length;
}

it('32 writers in 4 processes get every event through once, without a gap', async () => {
  verifies('JOBS-X.18');
  const folder = join(tempFolder(), 'journal');
  const acknowledged = new Map<string, number>();
  const writers = ['a', 'b', 'c', 'd'].map((name) =>
    start([folder, 'team', name, '8', String(EACH)], acknowledged),
  );
  for (const { over } of writers) expect(await over).toBe(0);
  expect(acknowledged.size).toBe(32 * EACH);
  expect(await checkStream(folder, acknowledged)).toBe(32 * EACH);
});

it('writers killed in the middle of their work lose nothing that was acknowledged', async () => {
  verifies('JOBS-X.18');
  const folder = join(tempFolder(), 'journal');
  const acknowledged = new Map<string, number>();
  const steady = start([folder, 'team', 'steady', '2', '1000000'], acknowledged);
  for (let round = 0; round < KILLS; round += 1) {
    const had = acknowledged.size;
    const doomed = start([folder, 'team', `doomed${round}`, '4', '1000000'], acknowledged);
    while (doomed.events() < 5) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, (round * 7) % 23));
    doomed.child.kill('SIGKILL');
    await doomed.over;
    expect(acknowledged.size).toBeGreaterThan(had);
  }
  steady.child.kill('SIGKILL');
  await steady.over;
  const count = await checkStream(folder, acknowledged);
  // Of each killed writer, at most the event it was waiting for exists without a line.
  expect(count - acknowledged.size).toBeLessThanOrEqual(KILLS * 4 + 2);
  await appendNext(openTestJournal(folder), 'team', { id: 'after' });
  expect(await checkStream(folder, acknowledged)).toBe(count + 1);
});

it('a process that only watches can exit', async () => {
  const folder = tempFolder();
  const child = spawn(process.execPath, [join(bundles, 'watcher.mjs'), folder], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(await readAll(openTestJournal(folder), 'team')).toHaveLength(1);
});
