// Folding decides which lines of a stream's file count. It is pure: a state and the bytes
// that follow it give the accepted events and the next state. All readers use it, so all
// processes agree at any time on what a file says.
//
// What can be at the start of a line, and how it counts:
//
//   tab, text, newline   a whole line: judged below
//   tab, text, tab       a torn line (its writer died or the disk was full), ended by
//                        the tab of the line after it: void
//   tab, text, end       incomplete: being written, or torn; left for the next fold
//   newline              blank: void
//   zero bytes           may replace the tab: some file systems leave them where bytes were
//                        lost with the power; torn like any fragment
//   anything else        damage
//
// A whole line whose text is intact, that is, proved under the key, carries a seq:
//
//   0                                           the file is closed: nothing after it counts
//   seq = state + 1, prev = the state's hash    accepted
//   seq <= state                                a lost race: void
//   seq = state + 1, another prev               damage
//   seq > state + 1                             damage
//
// Why the last two prove damage: a writer folds a file up to some seq N, and appends
// N + 1 with the hash of N, to that same file. A file only grows, and what was accepted
// once is accepted for ever, so when the line lands the state is at N or further on. If
// it is at N, it is the very N the writer saw, with the same hash; if further on, the
// line's seq is not above the state's. So no race produces such a line: something before it
// was altered, or is missing.
//
// Why a whole line that is not intact proves damage: a line is one write with its newline
// last. A fragment has no newline of its own, and the next line's tab comes before any other
// newline. So text that ends in a newline was once complete.
//
// The same applies to intact text followed by anything but a newline, a tab or zero bytes:
// its newline was altered. Without this rule a flipped newline would turn an accepted event
// into a torn one.

import type { StoredEvent } from './journal.ts';
import { isClosing, isIntact, MAX_RECORD_BYTES, NEWLINE, NO_HASH, readEvent, TAB } from './line.ts';
import type { ExpectedHash } from './seal.ts';

export interface FoldState {
  /** Of the last accepted event; 0 before the first. */
  readonly seq: number;
  readonly hash: string;
  /** Where the bytes start that are not folded yet. */
  readonly offset: number;
  /** The number of newlines before `offset`. */
  readonly line: number;
  /** The line at `offset` closes the file. */
  readonly closed: boolean;
}

export interface Damage {
  /** 1-based. */
  readonly line: number;
  readonly reason: string;
}

export interface Folded {
  readonly events: readonly StoredEvent[];
  /** Lines and fragments that do not count. */
  readonly voids: number;
  readonly state: FoldState;
  readonly damage: Damage | null;
}

export const FOLD_START: FoldState = { seq: 0, hash: NO_HASH, offset: 0, line: 0, closed: false };

const CLOSING_BRACE = 0x7d;
const TOO_LONG = 'a line is longer than 16 MiB';
const ALTERED = 'the text is not what was written';

/**
 * Folds `bytes`, which begin at `state.offset`. Bytes after the new state's offset belong to
 * an incomplete line. `atEnd`: the file ends with `bytes`.
 */
export function fold(state: FoldState, bytes: Buffer, atEnd: boolean, proof: ExpectedHash): Folded {
  const events: StoredEvent[] = [];
  let { seq, hash, line, closed } = state;
  let at = 0;
  let voids = 0;
  let reason: string | null = null;

  while (at < bytes.length && !closed) {
    const first = bytes[at];
    if (first === NEWLINE) {
      at += 1;
      line += 1;
      voids += 1;
      continue;
    }
    if (first !== TAB && first !== 0) {
      reason = 'an event does not begin with a tab';
      break;
    }
    const end = findEnd(bytes, at + 1);
    const textEnd = end === -1 ? bytes.length : end;
    if (textEnd - at - 1 > MAX_RECORD_BYTES) {
      reason = TOO_LONG;
      break;
    }
    if (end === -1) {
      const lost = atEnd && hasLostItsNewline(bytes.subarray(at + 1), proof);
      if (lost) reason = 'an event is not followed by a newline';
      break;
    }
    if (bytes[end] === TAB) {
      if (hasLostItsNewline(bytes.subarray(at + 1, end), proof)) {
        reason = 'an event is not followed by a newline';
        break;
      }
      voids += 1;
      at = end;
      continue;
    }
    // A whole line with zero bytes in place of its tab was altered.
    const whole = first === TAB && isIntact(bytes, proof, at + 1, end);
    const event = whole ? readEvent(bytes, at + 1, end) : null;
    closed = whole && event === null && isClosing(bytes, at + 1);
    if (closed) break;
    const judged = whole ? judge(event, seq, hash) : ALTERED;
    if (typeof judged === 'string') {
      reason = judged;
      break;
    }
    if (judged.seq > seq) {
      events.push(judged);
      ({ seq, hash } = judged);
    } else {
      voids += 1;
    }
    at = end + 1;
    line += 1;
  }

  return {
    events,
    voids,
    state: { seq, hash, offset: state.offset + at, line, closed },
    damage: reason === null ? null : { line: line + 1, reason },
  };
}

// Searching for the tab past the newline is cheap, because a newline is followed by a tab.
function findEnd(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from);
  const tab = bytes.indexOf(TAB, from);
  return tab === -1 || (newline !== -1 && newline < tab) ? newline : tab;
}

/** The event of an intact line, accepted or of a lost race; or why it is damage. */
function judge(event: StoredEvent | null, seq: number, hash: string): StoredEvent | string {
  if (event === null) return 'the line is not an event';
  if (event.seq > seq + 1) return `event ${event.seq} follows event ${seq}`;
  if (event.seq === seq + 1 && event.prev !== hash) {
    return `event ${event.seq} does not continue the event before it`;
  }
  return event;
}

function hasLostItsNewline(text: Buffer, proof: ExpectedHash): boolean {
  const end = text.lastIndexOf(CLOSING_BRACE) + 1;
  return text.subarray(end).some((byte) => byte !== 0) && isIntact(text, proof, 0, end);
}
