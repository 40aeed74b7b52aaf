// Turns offsets in a text into lines and columns, counted from 1. A column is a code point, so an
// emoji is one. Usually not needed at all; but a file with issues needs many positions close
// together, even if it is a single line of a megabyte.

import type { TextPosition } from '../../core/issue.ts';
import { countCodePoints } from '../../core/rules/text.ts';

export function openPositions(text: string): (offset: number) => TextPosition {
  /** Found no further than asked for: a refused file may consist of a million empty lines. */
  const starts = [0];
  let next = text.indexOf('\n') + 1;
  /** The last result, to continue counting from there. */
  let last = { start: 0, offset: 0, column: 1 };

  return (offset) => {
    for (; next !== 0 && next <= offset; next = text.indexOf('\n', next) + 1) starts.push(next);
    const line = lastAtOrBefore(starts, offset);
    const start = starts[line] ?? 0;
    const from =
      last.start === start && last.offset <= offset ? last : { offset: start, column: 1 };
    const column = from.column + countCodePoints(text.slice(from.offset, offset));
    last = { start, offset, column };
    return { line: line + 1, column };
  };
}

/** Index of the last start that is not after the offset. */
function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
