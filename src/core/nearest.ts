// Finds the word that a misspelt one was most likely meant to be.

/** A prefix this long is enough to recognize a word: `job` for `job_name`. */
const MIN_PREFIX = 3;

/** The most likely allowed word, or null. */
export function nearest(word: string, allowed: readonly string[]): string | null {
  if (word.length > 60) return null;
  const normalized = normalize(word);
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of allowed) {
    // The lengths differ by too much to be close.
    if (Math.abs(candidate.length - normalized.length) >= fewest) continue;
    const edits = editsBetween(normalized, normalize(candidate));
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best ?? uniqueByPrefix(normalized, allowed);
}

/** For the end of a message: `; did you mean 'job_name'?`, or nothing. */
export function didYouMean(word: string, allowed: readonly string[]): string {
  const meant = nearest(word, allowed);
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

/** The number of letters to add, drop, replace or swap with the next one. */
function editsBetween(a: string, b: string): number {
  let older: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swapped = a[i] === b[j - 1] && a[i - 1] === b[j] ? (older[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    older = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
