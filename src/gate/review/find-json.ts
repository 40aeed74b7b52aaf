// Finds the JSON in a reviewer's output. The text is scanned from mark to mark, each
// position once: a backtracking pattern would take minutes for a megabyte of blank lines.

const FENCE = '```';
const OPENING = '```json';

/**
 * The last fenced JSON block, since a talkative agent ends with its answer. A fence followed
 * by another verdict was only quoted: then the whole text counts, and it will not parse.
 */
export function fencedOrWhole(stdout: string): string {
  let last: { readonly text: string; readonly end: number } | null = null;
  for (let at = stdout.indexOf(OPENING); at !== -1; ) {
    const from = startOfBlock(stdout, at + OPENING.length);
    const to = from === null ? -1 : stdout.indexOf(FENCE, from);
    if (from !== null && to === -1) break;
    if (from !== null) last = { text: stdout.slice(from, to), end: to + FENCE.length };
    at = stdout.indexOf(OPENING, from === null ? at + OPENING.length : to + FENCE.length);
  }
  if (last === null || stdout.includes('"passed"', last.end)) return stdout;
  return last.text;
}

/** The position after the opening line; null if anything but white space follows the mark. */
function startOfBlock(text: string, from: number): number | null {
  let start: number | null = null;
  for (let at = from; at < text.length && /\s/.test(text.charAt(at)); at += 1) {
    if (text.charAt(at) === '\n') start = at + 1;
  }
  return start;
}
