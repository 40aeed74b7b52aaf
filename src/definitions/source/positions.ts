// Turns offsets in a text into lines and columns, counted from 1. A column is a code point, so an
// emoji is one. Usually not needed at all; but a file with issues needs many positions close
// together, even if it is a single line of a megabyte.

import type { TextPosition } from '../../core/issue.ts';
import { countCodePoints } from '../../core/rules/text.ts';

export function openPositions(text: string): (offset: number) => TextPosition {
  let lineStarts: number[] | null = null;
  /** The last result, to continue counting from there. */
  let last = { start: 0, offset: 0, column: 1 };

  return (offset) => {
    lineStarts ??= findLineStarts(text);
    const line = lastAtOrBefore(lineStarts, offset);
    const start = lineStarts[line] ?? 0;
    const from =
      last.start === start && last.offset <= offset ? last : { offset: start, column: 1 };
    const column = from.column + countCodePoints(text.slice(from.offset, offset));
    last = { start, offset, column };
    return { line: line + 1, column };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
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
