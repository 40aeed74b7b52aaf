// One event as one line of text:
//
//   ⇥{"hash":"<64 hex>","prev":"<64 hex>","seq":5,"at":"…","type":"…","key":"…","data":{…}}⏎
//
// `hash` is a keyed hash (`seal.ts`) over the exact bytes that follow the hash field, up to
// the closing brace. They contain `prev`, so lines are chained; and since bytes are hashed and
// not a model of them, verifying a line needs no canonical JSON. `key` is random: two writers
// that decide on equal events still write different lines, and each can tell which one is its
// own.
//
// A line with `seq` 0 is not an event: it closes the file (`replace-unsynced.ts`).
//
// The leading tab makes a torn line harmless. JSON text as written here contains no raw tab
// (in strings it is escaped), so a tab always begins a line's text: if a writer dies in the
// middle of a line, the next line's tab ends the fragment. No writer has to check the tail
// before writing, so there is no gap between checking and writing. To jq and every JSON
// parser the tab is white space.

import { randomBytes } from 'node:crypto';
import { isRecord } from '../core/is-record.ts';
import type { NewEvent, StoredEvent } from './journal.ts';
import type { ExpectedHash, Seal } from './seal.ts';

/** The maximum size of one event's text, without tab and newline. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** `prev` of the first event. */
export const NO_HASH = '0'.repeat(64);

export const TAB = 0x09;
export const NEWLINE = 0x0a;

const END = Buffer.from('\n');
const HEAD = '{"hash":"';
const HEAD_END = '",';
const HASHED_FROM = HEAD.length + 64 + HEAD_END.length;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const MAX_TYPE_LENGTH = 200;

/** An event that passed every check, serialized before the disk is touched. */
export type Checked = string & { readonly checked: unique symbol };

export interface Line {
  /** Tab, text, newline: what goes to disk in one write. */
  readonly bytes: Buffer;
  readonly hash: string;
}

export function checkEvent(event: NewEvent): Checked {
  const { type, at, data } = event;
  if (typeof type !== 'string' || type === '' || type.length > MAX_TYPE_LENGTH) {
    throw new TypeError(`An event's type is a text of 1 to ${MAX_TYPE_LENGTH} characters`);
  }
  if (typeof at !== 'string' || !TIME.test(at)) {
    throw new TypeError("An event's time is UTC in ISO 8601, such as 2025-01-31T12:00:00.000Z");
  }
  // `JSON.stringify` rejects cycles and bigints with a TypeError of its own.
  const json: unknown = JSON.stringify(data);
  if (typeof json !== 'string' || !json.startsWith('{')) {
    throw new TypeError("An event's data is a plain JSON object");
  }
  writes += 1;
  const key = `${OWN_KEY}${writes.toString(36)}`;
  const text = `"at":"${at}","type":${JSON.stringify(type)},"key":"${key}","data":${json}}`;
  const room = MAX_RECORD_BYTES - 256;
  if (text.length > room || Buffer.byteLength(text) > room) {
    throw new RangeError(`Event '${type}' is larger than 16 MiB and cannot be recorded`);
  }
  return text as Checked;
}

/** Random once per process, then counted: no two writes anywhere share a key. */
const OWN_KEY = randomBytes(9).toString('base64url');
let writes = 0;

export function writeLine(event: Checked, seq: number, prev: string, seal: Seal): Line {
  const hashed = Buffer.from(`"prev":"${prev}","seq":${seq},${event}`);
  const hash = seal.sign(hashed, 0, hashed.length);
  return { bytes: Buffer.concat([Buffer.from(`\t${HEAD}${hash}",`), hashed, END]), hash };
}

/** The same event under another key and after another `prev`; all other bytes stay the same. */
export function reseal(text: string, prev: string, seal: Seal): { text: string; hash: string } {
  const rest = text.slice(HASHED_FROM + `"prev":"${NO_HASH}",`.length);
  const hashed = Buffer.from(`"prev":"${prev}",${rest}`);
  const hash = seal.sign(hashed, 0, hashed.length);
  return { text: lineText(hash, hashed.toString()), hash };
}

/** The whole text of a line, from the part that is hashed. */
export function lineText(hash: string, hashed: string): string {
  return `${HEAD}${hash}${HEAD_END}${hashed}`;
}

// Both take a text by its position in a larger buffer: slicing a buffer for each line would
// cost as much as reading it.

/** Whether the text between tab and newline matches its hash. */
export function isIntact(bytes: Buffer, proof: ExpectedHash, from = 0, to = bytes.length): boolean {
  if (to - from <= HASHED_FROM || to - from > MAX_RECORD_BYTES) return false;
  const head = bytes.toString('latin1', from, from + HASHED_FROM);
  const written = () => head.slice(HEAD.length, -HEAD_END.length);
  return head === `${HEAD}${proof(bytes, from + HASHED_FROM, to, written)}${HEAD_END}`;
}

/** The event in an intact text, or null if the text is not an event. */
export function readEvent(bytes: Buffer, from = 0, to = bytes.length): StoredEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8', from, to));
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const { prev, seq, at, type, data } = value;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return null;
  if (typeof prev !== 'string' || prev.length !== NO_HASH.length) return null;
  if (typeof at !== 'string' || typeof type !== 'string' || !isRecord(data)) return null;
  // By position: a second field with that name further on must not replace it.
  const hash = bytes.toString('latin1', from + HEAD.length, from + HEAD.length + prev.length);
  return { seq, hash, prev, type, at, data };
}

/** The same for a text that was written as an event. */
export function writtenEvent(text: Buffer): StoredEvent {
  const event = readEvent(text);
  if (event === null) throw new Error('a line that was written is not an event');
  return event;
}

/** Whether an intact text that is not an event closes its file. */
export function isClosing(bytes: Buffer, from: number): boolean {
  const at = from + HASHED_FROM + `"prev":"${NO_HASH}",`.length;
  return bytes.toString('latin1', at, at + CLOSING.length) === CLOSING;
}

const CLOSING = '"seq":0,';
