// A text that changes only by insertions, and knows which parts were inserted: removing them gives
// back the original, byte for byte.

/** Where an insertion begins and how long it is, in the current text. */
export type InsertedRange = readonly [at: number, length: number];

export interface SplicedText {
  readonly text: string;
  readonly inserted: readonly InsertedRange[];
}

export function untouched(text: string): SplicedText {
  return { text, inserted: [] };
}

export function insertAt({ text, inserted }: SplicedText, at: number, piece: string): SplicedText {
  if (piece === '') return { text, inserted };
  const moved = inserted.map(([start, length]): InsertedRange => {
    if (at <= start) return [start + piece.length, length];
    return at < start + length ? [start, length + piece.length] : [start, length];
  });
  const isWithin = inserted.some(([start, length]) => at > start && at < start + length);
  const ranges = isWithin ? moved : [...moved, [at, piece.length] as const];
  return {
    text: text.slice(0, at) + piece + text.slice(at),
    inserted: ranges.sort(([a], [b]) => a - b),
  };
}

/** The text without these ranges; null if they do not fit it. */
export function withoutRanges(text: string, ranges: readonly InsertedRange[]): string | null {
  let end = 0;
  const kept: string[] = [];
  for (const [at, length] of [...ranges].sort(([a], [b]) => a - b)) {
    if (at < end || length < 0 || at + length > text.length) return null;
    kept.push(text.slice(end, at));
    end = at + length;
  }
  return kept.join('') + text.slice(end);
}
