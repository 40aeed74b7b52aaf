// Copying the journal between files and PostgreSQL: nothing of it changes, wherever it is
// interrupted, and what two sides recorded differently is not mixed.

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyStreams } from '../../src/journal/copy-streams.ts';
import { openFileJournal } from '../../src/journal/file.ts';
import { openFileLines } from '../../src/journal/file-lines.ts';
import type { StoredEvent } from '../../src/journal/journal.ts';
import type { LineStore } from '../../src/journal/line-store.ts';
import { openPostgresStore } from '../../src/journal/postgres/open.ts';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { appendNext, readAll } from '../support/journal-conformance.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { newProject, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const KEY = Buffer.alloc(32, 7);
const STREAMS = ['session/0000000a', 'session/0000000b', 'session/0000000c', 'team/log'];

async function filledFiles() {
  const folder = tempFolder();
  const journal = openFileJournal(folder, { key: () => KEY });
  for (const [index, stream] of STREAMS.entries()) {
    for (let n = 0; n <= index * 3; n += 1) {
      await appendNext(journal, stream, {
        n,
        odd: 'é\u2028\u0000 "quoted" \ud83d\ude00',
        big: 1e21,
      });
    }
  }
  return { folder, journal, lines: openFileLines(folder, { key: () => KEY }) };
}

/** A workspace in which nothing is yet. */
async function emptyWorkspace(url?: string) {
  const workspace = randomBytes(4).toString('hex');
  const store = openPostgresStore({ url: url ?? (await freshDatabase()), workspace });
  onTestFinished(() => store.close());
  return { store, lines: store };
}

function emptyFiles() {
  const folder = tempFolder();
  return { folder, lines: openFileLines(folder, { key: () => KEY }) };
}

/** Ends before it begins the stream with this number, or after its first line. */
function endingAt(target: LineStore, nth: number, where: 'before' | 'in'): LineStore {
  let begun = 0;
  return {
    ...target,
    async put(stream, lines) {
      if (begun++ !== nth) return target.put(stream, lines);
      if (where === 'before') throw new Error('interrupted');
      async function* first() {
        for await (const line of lines) {
          yield line;
          throw new Error('interrupted');
        }
      }
      await target.put(stream, first());
    },
  };
}

function bytesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    files
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );
}

test('there and back, every byte and every hash is what it was, also when a copy is repeated', async () => {
  verifies('STORE-7');
  const { folder, lines: files, journal } = await filledFiles();
  const database = await emptyWorkspace();
  const first = await copyStreams(files, database.lines);
  expect(first).toMatchObject({ kind: 'copied', ahead: [] });
  const again = await copyStreams(files, database.lines);
  expect(again).toMatchObject({
    kind: 'copied',
    streams: STREAMS.map((stream) => ({ stream, copied: 0 })),
  });
  for (const stream of STREAMS) {
    const plain = ({ hash: _, prev: __, ...event }: StoredEvent) => event;
    const inFiles = (await readAll(journal, stream)).map(plain);
    expect((await readAll(database.store.journal, stream)).map(plain)).toEqual(inFiles);
  }
  const back = emptyFiles();
  expect(await copyStreams(database.lines, back.lines)).toMatchObject({ kind: 'copied' });
  expect(bytesIn(back.folder)).toEqual(bytesIn(folder));
  expect(await back.lines.heads()).toEqual(await files.heads());
});

test('interrupted at and in every stream, both ways, it goes on where it stopped', async () => {
  verifies('STORE-7');
  const { folder, lines: files } = await filledFiles();
  const url = await freshDatabase();
  for (let nth = 0; nth < STREAMS.length; nth += 1) {
    for (const where of ['before', 'in'] as const) {
      const target = await emptyWorkspace(url);
      await expect(copyStreams(files, endingAt(target.lines, nth, where))).rejects.toThrow(
        'interrupted',
      );
      expect(await copyStreams(files, target.lines)).toMatchObject({ kind: 'copied' });
      const back = emptyFiles();
      await expect(copyStreams(target.lines, endingAt(back.lines, nth, where))).rejects.toThrow(
        'interrupted',
      );
      expect(await copyStreams(target.lines, back.lines)).toMatchObject({ kind: 'copied' });
      expect(bytesIn(back.folder)).toEqual(bytesIn(folder));
    }
  }
});

test('what was recorded on one side since is added to the other; a stream that is ahead stays', async () => {
  verifies('STORE-7');
  const { lines: files, journal, folder } = await filledFiles();
  const database = await emptyWorkspace();
  await copyStreams(files, database.lines);
  await appendNext(database.store.journal, 'team/log', { here: 'in the database' });
  expect(await copyStreams(files, database.lines)).toMatchObject({ ahead: ['team/log'] });
  expect(await copyStreams(database.lines, files)).toMatchObject({ kind: 'copied' });
  const events = await readAll(journal, 'team/log');
  expect(events.at(-1)?.data).toEqual({ here: 'in the database' });
  await appendNext(journal, 'team/log', { here: 'in files' });
  expect(await copyStreams(files, database.lines)).toMatchObject({ kind: 'copied', ahead: [] });
  const [, ...more] = (bytesIn(folder)['team/log.jsonl'] ?? '').split('\n').slice(-3);
  expect(more.join('')).toContain('in files');
});

test('a target that has other events is refused by name, before anything is written', async () => {
  verifies('STORE-7');
  const { lines: files, journal } = await filledFiles();
  const database = await emptyWorkspace();
  await copyStreams(files, database.lines);
  await appendNext(journal, 'session/0000000b', { here: 'in files' });
  await appendNext(journal, 'session/0000000a', { here: 'in files' });
  await appendNext(database.store.journal, 'session/0000000b', { here: 'in the database' });
  const before = await database.lines.heads();
  expect(await copyStreams(files, database.lines)).toEqual({
    kind: 'diverged',
    streams: ['session/0000000b'],
  });
  expect(await database.lines.heads()).toEqual(before);
  const inFiles = await files.heads();
  expect(await copyStreams(database.lines, files)).toMatchObject({ kind: 'diverged' });
  expect(await files.heads()).toEqual(inFiles);
});

test('lines that were altered in the database are not copied', async () => {
  verifies('STORE-7');
  const { lines: files } = await filledFiles();
  const database = await emptyWorkspace();
  await copyStreams(files, database.lines);
  const altered: LineStore = {
    ...database.lines,
    async *lines(stream, afterSeq) {
      for await (const line of database.lines.lines(stream, afterSeq)) {
        yield stream === 'team/log' && line.seq === 2
          ? { ...line, text: line.text.replace('quoted', 'forged') }
          : line;
      }
    },
  };
  const back = emptyFiles();
  await expect(copyStreams(altered, back.lines)).rejects.toThrow("'team/log' is damaged at line 2");
  expect(bytesIn(back.folder)).toEqual({});
});

test('deepwork store copies, tells where the journal is, and refuses what has diverged', async () => {
  verifies('STORE-7');
  const project = newProject({
    '.deepwork/config.yml': 'git:\n  branch: off\nworkspace: command\n',
  });
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  const start = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
  const inFiles = await connectToProcess(project.root, { closeAfterTest: false });
  const { begin_step: begun } = await inFiles.ok('start_workflow', start);
  await inFiles.close();

  const env = { DEEPWORK_DATABASE_URL: await freshDatabase(), DEEPWORK_TRUST: '1' };
  const cwd = project.root;
  const run = (...args: string[]) => command(['store', ...args], { cwd, env });
  expect(await run('migrate')).toMatchObject({ code: 0 });
  const copied = await run('copy', '--from', 'files', '--to', 'postgres', '--json');
  expect(copied).toMatchObject({ code: 0 });
  expect(JSON.parse(copied.stdout)).toMatchObject({ result: 'copied', streams: [{ copied: 1 }] });
  const status = await run('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    store: 'postgres',
    streams: 1,
    workspace: 'command',
  });
  expect(status.stdout + status.stderr).not.toContain(new URL(env.DEEPWORK_DATABASE_URL).password);

  const after = await connect(project.root, { env });
  const active = await after.ok('get_active_workflow', { session_id: begun.session_id });
  expect(active).toMatchObject({ active: true, warnings: [] });
  await after.close();
  const files = await connectToProcess(project.root, { closeAfterTest: false });
  await files.ok('get_active_workflow', { session_id: begun.session_id });
  await files.close();
  const refused = await run('copy', '--from', 'files', '--to', 'postgres');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(`session/${begun.session_id}`);
  expect(await run('copy', '--from', 'files', '--to', 'postgres://host/x')).toMatchObject({
    code: 2,
  });
  expect(await run('copy', '--from', 'files', '--to', 'files')).toMatchObject({ code: 2 });
});
