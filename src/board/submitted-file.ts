// The text of an output as it was submitted, found by its hash. Only hashes in the journal of the run
// are looked up, so no other file of the project can be read this way.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { nextSlice, sliceIsOver } from '../async/slices.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { decodeUtf8, readContained } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';

const MAX_BYTES = 1024 * 1024;

export type SubmittedText =
  /** The file still has this content. */
  | { readonly kind: 'same'; readonly path: string; readonly text: string }
  /** The file has other content now; null: it is gone, or not text. */
  | { readonly kind: 'changed'; readonly path: string; readonly text: string | null }
  /** It is not text, or too large to be shown and compared. */
  | { readonly kind: 'not_text'; readonly path: string }
  /** The run has submitted nothing with this hash. */
  | { readonly kind: 'unknown' };

/** How many paths that were submitted with this content are read. */
const MAX_PATHS = 20;

export async function findSubmitted(
  root: string,
  events: readonly SessionEvent[],
  sha256: string,
): Promise<SubmittedText> {
  const paths = pathsWith(events, sha256);
  let found: SubmittedText = { kind: 'unknown' };
  // Newest submission first. A path that still has the content wins, also over a newer one whose file
  // cannot be compared.
  for (const each of paths.reverse().slice(0, MAX_PATHS)) {
    if (sliceIsOver()) await nextSlice();
    const now = compareFile(root, each, sha256);
    if (now.kind === 'same') return now;
    if (found.kind === 'unknown') found = now;
  }
  return found;
}

function compareFile(root: string, file: string, sha256: string): SubmittedText {
  const read = readContained(realRootOf(root), path.resolve(root, file), MAX_BYTES);
  // It may have this content, but is too large to compare.
  if (read.kind === 'too-large') return { kind: 'not_text', path: file };
  if (read.kind !== 'read') return { kind: 'changed', path: file, text: null };
  const text = decodeUtf8(read.bytes);
  const isSame = createHash('sha256').update(read.bytes).digest('hex') === sha256;
  if (!isSame) return { kind: 'changed', path: file, text };
  return text === null ? { kind: 'not_text', path: file } : { kind: 'same', path: file, text };
}

/** Oldest first, including refused submissions. */
function pathsWith(events: readonly SessionEvent[], sha256: string): string[] {
  const found = new Set<string>();
  for (const event of events) {
    if (event.type !== 'judged') continue;
    const { accepted, failed = [] } = event.data;
    for (const { files } of [...accepted, ...failed]) {
      for (const [file, hash] of Object.entries(files)) if (hash === sha256) found.add(file);
    }
  }
  return [...found];
}
