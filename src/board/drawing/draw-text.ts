// A drawing for a terminal: a grid of cells with box drawing characters, or plain ASCII where the
// locale has no others. A step's state is shown by a sign before its name and by its border, so that it
// can be read without colour.

import type { BoxState, Drawing, DrawnBox } from './drawing.ts';
import { TERMINAL } from './medium.ts';
import { cellsOf, graphemes } from './text-width.ts';

export interface TextOptions {
  readonly ascii: boolean;
  /** Colours a text by its state; left out without colours. */
  readonly paint?: (state: BoxState, text: string) => string;
}

/** Upper left, upper right, lower left, lower right, across, down, and where a line begins. */
interface Border {
  readonly corners: readonly [string, string, string, string];
  readonly across: string;
  readonly down: string;
  readonly joint: string;
}

interface Signs {
  readonly step: Border;
  readonly current: Border;
  readonly frame: Border;
  readonly line: string;
  readonly arrow: string;
  readonly marks: Readonly<Record<BoxState, string>>;
}

const UNICODE: Signs = {
  step: { corners: ['┌', '┐', '└', '┘'], across: '─', down: '│', joint: '┬' },
  current: { corners: ['╔', '╗', '╚', '╝'], across: '═', down: '║', joint: '╤' },
  frame: { corners: ['╭', '╮', '╰', '╯'], across: '╌', down: '╎', joint: '┬' },
  line: '│',
  arrow: '▼',
  marks: { to_do: '○', current: '▶', accepted: '✓', failed: '✗', skipped: '–' },
};

const ASCII: Signs = {
  step: { corners: ['+', '+', '+', '+'], across: '-', down: '|', joint: '+' },
  current: { corners: ['#', '#', '#', '#'], across: '=', down: '#', joint: '#' },
  frame: { corners: ['.', '.', "'", "'"], across: '.', down: ':', joint: '+' },
  line: '|',
  arrow: 'v',
  marks: { to_do: 'o', current: '>', accepted: '*', failed: 'x', skipped: '-' },
};

interface Cell {
  readonly text: string;
  readonly state: BoxState | null;
}

const EMPTY: Cell = { text: ' ', state: null };

/** The rows of the drawing, without the title. */
export function drawText(drawing: Drawing, { ascii, paint }: TextOptions): string {
  const signs = ascii ? ASCII : UNICODE;
  const grid = Array.from({ length: drawing.height }, () =>
    Array.from({ length: drawing.width }, () => EMPTY),
  );
  const put = (x: number, y: number, text: string, state: BoxState | null) => {
    const row = grid[y];
    if (row?.[x] !== undefined) row[x] = { text, state };
  };
  const write = (x: number, y: number, text: string, state: BoxState | null) => {
    let at = x;
    for (const each of graphemes(
      ascii ? text.replaceAll('…', '~').replace(/[^ -~]/gu, '?') : text,
    )) {
      const cells = cellsOf(each);
      if (cells === 0) continue;
      put(at, y, each, state);
      // The other half of a wide character.
      if (cells === 2) put(at + 1, y, '', state);
      at += cells;
    }
  };
  for (const box of drawing.boxes) {
    if (box.kind === 'step' || box.kind === 'frame') border(box, signs, put);
    writeText(box, signs, write);
  }
  for (const { x, top, bottom, from } of drawing.lines) {
    const source = drawing.boxes.find(({ id }) => id === from);
    if (source?.kind === 'step' || source?.kind === 'frame') {
      put(x, top - 1, borderOf(source, signs).joint, source.state);
    }
    for (let y = top; y < bottom - 1; y++) put(x, y, signs.line, null);
    put(x, bottom - 1, signs.arrow, null);
  }
  return grid.map((row) => rowText(row, paint)).join('\n');
}

function borderOf({ kind, state }: DrawnBox, signs: Signs): Border {
  if (kind === 'frame') return signs.frame;
  // A failed step is also the current one.
  const isHere = kind === 'step' && (state === 'current' || state === 'failed');
  return isHere ? signs.current : signs.step;
}

function border(
  box: DrawnBox,
  signs: Signs,
  put: (x: number, y: number, text: string, state: BoxState | null) => void,
): void {
  const { x, y, width, height, state } = box;
  const { corners, across, down } = borderOf(box, signs);
  const [right, bottom] = [x + width - 1, y + height - 1];
  for (let at = x + 1; at < right; at++) {
    put(at, y, across, state);
    put(at, bottom, across, state);
  }
  for (let at = y + 1; at < bottom; at++) {
    put(x, at, down, state);
    put(right, at, down, state);
  }
  const [upperLeft, upperRight, lowerLeft, lowerRight] = corners;
  put(x, y, upperLeft, state);
  put(right, y, upperRight, state);
  put(x, bottom, lowerLeft, state);
  put(right, bottom, lowerRight, state);
}

function writeText(
  { kind, text, x, y, state }: DrawnBox,
  { marks }: Signs,
  write: (x: number, y: number, text: string, state: BoxState | null) => void,
): void {
  const padding = { step: TERMINAL.padding, frame: TERMINAL.frame }[kind as 'step' | 'frame'];
  const { x: left, y: top } = padding ?? TERMINAL.ends;
  if (state !== null) write(x + left, y + top, marks[state], state);
  const indent = state === null ? 0 : TERMINAL.mark;
  for (const [index, line] of text.entries()) {
    write(x + left + indent, y + top + index, line.text, line.role === 'label' ? state : null);
  }
}

/** Neighbouring cells with the same state are coloured together. */
function rowText(row: readonly Cell[], paint: TextOptions['paint']): string {
  const last = row.findLastIndex(({ text }) => text !== ' ');
  const shown = row.slice(0, last + 1);
  if (paint === undefined) return shown.map(({ text }) => text).join('');
  let line = '';
  for (let at = 0; at < shown.length; ) {
    const { state } = shown[at] as Cell;
    let end = at;
    while (end < shown.length && shown[end]?.state === state) end++;
    const part = shown.slice(at, end).map(({ text }) => text);
    line += state === null ? part.join('') : paint(state, part.join(''));
    at = end;
  }
  return line;
}
