// The name of a stream, and its place below the journal's folder. Names become paths, so only
// this file decides which names are safe: a valid one has no dot, no upper case, no empty
// segment, and is not absolute.

import type { After, StreamPosition } from './journal.ts';

const NAME = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;
const MAX_LENGTH = 200;

/** Folders for files that were set aside; no stream may be below them. */
export const DAMAGED = 'damaged';
export const QUARANTINE = 'quarantine';
export type Aside = typeof DAMAGED | typeof QUARANTINE;

export const STREAM_EXTENSION = '.jsonl';
const SET_ASIDE_TAIL = /-\d{8}T\d{9}Z-[0-9a-f]{8}\.jsonl$/;

export function isStreamName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.length <= MAX_LENGTH &&
    NAME.test(name) &&
    !isAside(name.slice(0, Math.max(0, name.indexOf('/'))))
  );
}

/** Whether a folder with this name is for files that were set aside. */
export function isAside(name: string): name is Aside {
  return name === DAMAGED || name === QUARANTINE;
}

/** Where content that was set aside is kept, as people find it: a file, or a table of a database. */
export function keptPlace(kept: string): string {
  return isAside(kept.split('/', 1)[0] ?? '') ? `.deepwork/journal/${kept}` : kept;
}

export function checkStreamName(name: unknown): void {
  if (isStreamName(name)) return;
  const shown = typeof name === 'string' ? `'${name.slice(0, MAX_LENGTH)}'` : typeof name;
  throw new TypeError(
    `Not a stream name: ${shown}. Use segments of a-z, 0-9, _ and - joined by /, ` +
      `${MAX_LENGTH} characters at most, not below ${DAMAGED}/ or ${QUARANTINE}/`,
  );
}

export function checkAfter(after: After): void {
  const seq = seqOf(after);
  if (Number.isSafeInteger(seq) && seq >= 0) return;
  throw new TypeError(`Not a sequence number: ${String(seq).slice(0, 40)}`);
}

export function seqOf(after: After): number {
  return typeof after === 'object' && after !== null ? after.seq : after;
}

/** Whether a position is the requested one; a number, or a position at 0, matches any. */
export function isAt({ seq, hash }: StreamPosition, after: After): boolean {
  if (typeof after === 'number' || after.seq === 0) return true;
  return seq === after.seq && hash === after.hash;
}

/** `session/ab12` → `session/ab12.jsonl` */
export function fileOf(stream: string): string {
  return stream + STREAM_EXTENSION;
}

/** `session/ab12.jsonl` → `session/ab12`, or null if it is not the file of a stream. */
export function streamOf(file: string): string | null {
  if (!file.endsWith(STREAM_EXTENSION)) return null;
  const name = file.slice(0, -STREAM_EXTENSION.length);
  return isStreamName(name) ? name : null;
}

// A dot for the slash: no stream's name contains one, so two streams never share a name.
function flatten(stream: string): string {
  return stream.replaceAll('/', '.');
}

/** `damaged/session.ab12-20250131T235959123Z-0f1e2d3c.jsonl` */
export function setAsideName(aside: Aside, stream: string, now: Date, random: string): string {
  const time = now.toISOString().replace(/[-:.]/g, '');
  return `${aside}/${flatten(stream)}-${time}-${random}${STREAM_EXTENSION}`;
}

/** The stream of a file that was set aside, or null if its name does not fit. */
export function setAsideOf(base: string): string | null {
  const flat = base.replace(SET_ASIDE_TAIL, '');
  const stream = flat.replaceAll('.', '/');
  return flat !== base && isStreamName(stream) ? stream : null;
}
