// An archive: ended streams with all their lines, one after the other in one file. The first line
// lists the streams, the last one marks the end. Both are ordinary lines, signed under a name of
// their own:
//
//   ⇥{"hash":"…","prev":"0…","seq":1,"at":"…","type":"archive","key":"…","data":{"streams":[
//     {"stream":"session/ab12cd34","bytes":5120,"lines":9,"events":9,"hash":"…"}, …]}}⏎
//   …
//   ⇥{"hash":"…","prev":"…","seq":2,"at":"…","type":"archive_end","key":"…","data":{}}⏎
//
// So a truncation is detected anywhere, even at the end, which a stream alone cannot show; and if
// one of the two lines is damaged, the other proves whose archive it is. A file gets its name when
// it is complete and on the disk, and is never changed afterwards.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { errorCode } from '../files/system-errors.ts';
import type { FileLayer } from './file-layer.ts';
import type { Damage } from './judge-lines.ts';
import {
  checkEvent,
  isIntact,
  MAX_RECORD_BYTES,
  NEWLINE,
  NO_HASH,
  readEvent,
  TAB,
  writeLine,
} from './line.ts';
import type { Readable } from './scan.ts';
import { type ExpectedHash, sealOf, UNPROVED } from './seal.ts';
import { closeQuietly, openStreamFile, writeAll } from './stream-file.ts';
import { fileOf, isStreamName } from './stream-name.ts';
import { verifyBytes } from './verify.ts';

export interface ArchivedStream {
  readonly stream: string;
  readonly bytes: number;
  /** The number of newlines. */
  readonly lines: number;
  readonly events: number;
  readonly hash: string;
}

export interface VerifiedArchive {
  /** The file's name. */
  readonly name: string;
  /** Empty if the first line cannot be trusted. */
  readonly streams: readonly (ArchivedStream & { readonly lastAt: string | null })[];
  /** The first damage, counted in lines of the file. */
  readonly damage: Damage | null;
  /** No line was written under this key. */
  readonly foreign: boolean;
}

const EXTENSION = '.jsonl';
const NAME = /^\d{4}-\d\d-\d\d(?:-\d+)?\.jsonl$/;
/** The name that both lines are signed under; no stream has it, since all are in a folder. */
const SIGNED_AS = 'archive';
const CHUNK = 1024 * 1024;

/** Names of the archives in a folder, oldest first. */
export async function listArchives(folder: string, layer: FileLayer): Promise<string[]> {
  const entries = await layer.list(folder);
  const names = entries.filter(({ name, kind }) => kind === 'file' && NAME.test(name));
  return names.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Null if there is no such archive. */
export async function verifyArchive(
  folder: string,
  name: string,
  key: Buffer,
  layer: FileLayer,
): Promise<VerifiedArchive | null> {
  const opened = await openStreamFile(layer, name, join(folder, name), 'reading');
  if (opened === null) return null;
  try {
    return await verifyArchiveBytes(opened.file, opened.facts.size, name, key);
  } finally {
    await closeQuietly(opened.file);
  }
}

export async function verifyArchiveBytes(
  file: Readable,
  size: number,
  name: string,
  key: Buffer,
): Promise<VerifiedArchive> {
  const first = await readFirstLine(file);
  const { sign } = sealOf(key, SIGNED_AS);
  const listed = first !== null && isLine(first, sign) ? streamsIn(first) : null;
  if (first === null || listed === null) {
    const foreign = first !== null && (await isForeign(file, first, size, sign));
    const reason = 'the first line, which lists the streams, is not what was written';
    return { name, streams: [], damage: { line: 1, reason }, foreign };
  }
  const streams: VerifiedArchive['streams'][number][] = [];
  let offset = first.length + 1;
  let line = 1;
  for (const each of listed) {
    const part = partOf(file, offset, each.bytes);
    const found = await verifyBytes(part, each.bytes, each.stream, key);
    const isCut = found.hash !== each.hash || found.lines !== each.lines;
    const damage =
      found.damage ??
      (isCut ? { line: found.lines + 1, reason: endsEarly(each, found.events) } : null);
    if (damage !== null) {
      const at = { line: line + damage.line, reason: `${each.stream}: ${damage.reason}` };
      return { name, streams, damage: at, foreign: false };
    }
    streams.push({ ...each, lastAt: found.lastAt });
    offset += each.bytes;
    line += each.lines;
  }
  const end = await readEnd(file, offset, size);
  const isWhole = end.at(-1) === NEWLINE && isLine(end.subarray(0, -1), sign);
  const damage = isWhole ? null : { line: line + 1, reason: 'the end is not what was written' };
  return { name, streams, damage, foreign: false };
}

/** The last line is always shorter. */
const MAX_END = 1024;

async function readEnd(file: Readable, from: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(MAX_END, Math.max(0, size - from)));
  return buffer.subarray(0, await file.read(buffer, from));
}

function endsEarly({ events }: ArchivedStream, found: number): string {
  return found < events ? `only ${found} of ${events} events are left` : 'a line is missing';
}

/** Whether it was written under another key: neither the first nor the last line is proved. */
async function isForeign(
  file: Readable,
  first: Buffer,
  size: number,
  proof: ExpectedHash,
): Promise<boolean> {
  if (!isLine(first, UNPROVED) || streamsIn(first) === null) return false;
  const end = await readEnd(file, Math.max(0, size - MAX_END), size);
  return !isIntact(end, proof, end.lastIndexOf(TAB) + 1, end.length - 1);
}

/** Tab and text, without the newline; null if there is no newline within the limit. */
async function readFirstLine(file: Readable): Promise<Buffer | null> {
  for (let length = 64 * 1024; ; length *= 4) {
    const buffer = Buffer.allocUnsafe(Math.min(length, MAX_RECORD_BYTES + 2));
    const count = await file.read(buffer, 0);
    const end = buffer.subarray(0, count).indexOf(NEWLINE);
    if (end !== -1) return buffer.subarray(0, end);
    if (count < buffer.length || length > MAX_RECORD_BYTES) return null;
  }
}

/** Tab and intact text. */
function isLine(bytes: Buffer, proof: ExpectedHash): boolean {
  return bytes[0] === TAB && isIntact(bytes, proof, 1);
}

function streamsIn(first: Buffer): readonly ArchivedStream[] | null {
  const event = readEvent(first, 1);
  const streams = event?.type === 'archive' ? event.data.streams : null;
  return Array.isArray(streams) && streams.every(isArchived) ? streams : null;
}

function isArchived(value: unknown): value is ArchivedStream {
  const { stream, bytes, lines, events, hash } = (value ?? {}) as Partial<ArchivedStream>;
  return (
    isStreamName(stream) &&
    [bytes, lines, events].every((each) => Number.isSafeInteger(each) && Number(each) >= 0) &&
    typeof hash === 'string'
  );
}

/** A part of a file, read like a whole file. */
function partOf(file: Readable, from: number, length: number): Readable {
  return {
    async read(into, position) {
      const room = Math.min(into.length, Math.max(0, length - position));
      return room === 0 ? 0 : file.read(into.subarray(0, room), from + position);
    },
  };
}

export interface ArchiveRequest {
  readonly folder: string;
  /** The time of its lines; its date is in the file's name. */
  readonly at: string;
  readonly streams: readonly ArchivedStream[];
  /** The bytes of a stream as they are in a file. */
  readonly bytesOf: (stream: ArchivedStream) => AsyncIterable<Buffer>;
  readonly key: Buffer;
  readonly layer: FileLayer;
}

/** Writes an archive of these streams and returns its name when it is on the disk. */
export async function writeArchive(request: ArchiveRequest): Promise<string> {
  const { folder, at, streams, bytesOf, key, layer } = request;
  const seal = sealOf(key, SIGNED_AS);
  const first = writeLine(checkEvent({ type: 'archive', at, data: { streams } }), 1, NO_HASH, seal);
  const last = writeLine(checkEvent({ type: 'archive_end', at, data: {} }), 2, first.hash, seal);
  const temporary = join(folder, `.${at.slice(0, 10)}.${randomBytes(6).toString('hex')}.new`);
  const file = await layer.open(temporary, 'making');
  try {
    await writeAll(file, first.bytes);
    for (const stream of streams) {
      for await (const bytes of bytesOf(stream)) await writeAll(file, bytes);
    }
    await writeAll(file, last.bytes);
    await file.sync();
    return await nameIt(layer, temporary, folder, at.slice(0, 10));
  } finally {
    await closeQuietly(file);
    await layer.removeName(temporary).catch(() => {});
  }
}

/** By `link`, which fails if the name exists: no archive ever replaces another. */
async function nameIt(
  layer: FileLayer,
  temporary: string,
  folder: string,
  date: string,
): Promise<string> {
  for (let nth = 1; ; nth++) {
    const name = `${date}${nth === 1 ? '' : `-${nth}`}${EXTENSION}`;
    try {
      await layer.link(temporary, join(folder, name));
      await layer.syncFolder(folder);
      return name;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** The bytes of a stream in a file, up to its listed size. */
export async function* bytesInFile(
  layer: FileLayer,
  journal: string,
  { stream, bytes }: ArchivedStream,
): AsyncGenerator<Buffer, void> {
  const path = join(journal, fileOf(stream));
  const opened = await openStreamFile(layer, stream, path, 'reading');
  if (opened === null) throw new Error(`Journal of '${stream}' was removed while it was archived`);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, bytes));
    const part = partOf(opened.file, 0, bytes);
    for (let done = 0; done < bytes; ) {
      const count = await part.read(buffer, done);
      if (count === 0)
        throw new Error(`Journal of '${stream}' was truncated while it was archived`);
      yield buffer.subarray(0, count);
      done += count;
    }
  } finally {
    await closeQuietly(opened.file);
  }
}
