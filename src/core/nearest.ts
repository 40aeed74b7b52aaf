// Finds the word that a misspelt one was most likely meant to be. A hint is a courtesy, and all words
// may come from a hostile file. So the work for one hint is bounded, and so is the number of hints in
// places that have many words to judge.

/** A prefix this long is enough to recognize a word: `job` for `job_name`. */
const MIN_PREFIX = 3;
const MAX_WORD = 60;
/** Pairs of letters that are compared for one hint, which takes a millisecond or two. */
const MAX_COMPARED = 200_000;
const MAX_HINTS = 20;

/** The most likely allowed word, or null. */
export function nearest(word: string, allowed: readonly string[]): string | null {
  if (word.length > MAX_WORD) return null;
  const normalized = normalize(word);
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  let compared = 0;
  for (const candidate of allowed) {
    // The lengths differ by too much to be close.
    if (Math.abs(candidate.length - normalized.length) >= fewest) continue;
    if (compared > MAX_COMPARED) break;
    const { edits, rows } = editsBetween(normalized, normalize(candidate), fewest);
    compared += rows * candidate.length;
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best ?? uniqueByPrefix(normalized, allowed);
}

/** For the end of a message: `; did you mean 'job_name'?`, or nothing. */
export function didYouMean(word: string, allowed: readonly string[]): string {
  return hintOf(nearest(word, allowed));
}

/** The same for places that may have to judge thousands of words. */
export interface Hints {
  readonly nearest: typeof nearest;
  readonly didYouMean: typeof didYouMean;
}

/** Gives the first hints that are asked for, and then none. */
export function limitedHints(max = MAX_HINTS): Hints {
  let left = max;
  const limited: typeof nearest = (word, allowed) => {
    left -= 1;
    return left < 0 ? null : nearest(word, allowed);
  };
  return {
    nearest: limited,
    didYouMean: (word, allowed) => hintOf(limited(word, allowed)),
  };
}

function hintOf(meant: string | null): string {
  return meant === null ? '' : `; did you mean '${meant}'?`;
}

function uniqueByPrefix(prefix: string, allowed: readonly string[]): string | null {
  if (prefix.length < MIN_PREFIX) return null;
  const [only, another] = allowed.filter((candidate) => normalize(candidate).startsWith(prefix));
  return another === undefined ? (only ?? null) : null;
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}

/**
 * The number of letters to add, drop, replace or swap with the next one; it is not counted further than
 * `limit`. `rows`: how many letters of `a` were compared with those of `b`.
 */
function editsBetween(
  a: string,
  b: string,
  limit: number,
): { readonly edits: number; readonly rows: number } {
  let older = new Uint8Array(b.length + 1);
  let row = older.map((_, column) => column);
  let next = new Uint8Array(b.length + 1);
  let leastBefore = 0;
  for (let i = 0; i < a.length; i++) {
    next[0] = i + 1;
    let least = i + 1;
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swapped = a[i] === b[j - 1] && a[i - 1] === b[j] ? (older[j - 1] ?? 0) + 1 : Infinity;
      const edits = Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next[j + 1] = edits;
      least = Math.min(least, edits);
    }
    // Each number builds on the two rows before it, so none that follows is smaller.
    if (Math.min(least, leastBefore) >= limit) return { edits: limit, rows: i + 1 };
    leastBefore = least;
    [older, row, next] = [row, next, older];
  }
  return { edits: row[b.length] ?? 0, rows: a.length };
}
