// Finds the JSON in what a reviewer printed. The text is searched from mark to mark, each
// place looked at once: a pattern that may go back would take minutes for a megabyte of
// blank lines.

const FENCE = '```';
const OPENING = '```json';

/**
 * The last fenced JSON block, since a talkative agent ends with its answer. But a fence
 * that is followed by another verdict was only quoted: then everything is the answer,
 * and it is none.
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

/** Behind the white space of the opening line; null if something else stands there. */
function startOfBlock(text: string, from: number): number | null {
  let start: number | null = null;
  for (let at = from; at < text.length && /\s/.test(text.charAt(at)); at += 1) {
    if (text.charAt(at) === '\n') start = at + 1;
  }
  return start;
}
