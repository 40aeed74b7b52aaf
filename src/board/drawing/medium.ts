// The medium of a drawing: how wide it may be, and how much space boxes and texts take. The layout is
// the same for all; a terminal counts cells, a screen pixels.

import type { TextLine } from './drawing.ts';
import { cellWidth, graphemes } from './text-width.ts';

export interface Medium {
  readonly width: number;
  /** Of a step's box. */
  readonly box: { readonly min: number; readonly max: number };
  /** Between the edge of a box and its text. */
  readonly padding: { readonly x: number; readonly y: number };
  /** The same for where a workflow begins and ends. */
  readonly ends: { readonly x: number; readonly y: number };
  /** Between the edge of a frame and what is in it. */
  readonly frame: { readonly x: number; readonly y: number };
  /** Between boxes beside each other, between rows of them, and for a line to the next box. */
  readonly gap: { readonly x: number; readonly rows: number; readonly line: number };
  readonly lineHeight: number;
  /** Before the text of a box that shows a state. */
  readonly mark: number;
  measure(text: string, role: TextLine['role']): number;
  /** Where a line meets a box of that width. */
  middle(width: number): number;
}

export const TERMINAL: Medium = {
  width: 80,
  box: { min: 22, max: 52 },
  padding: { x: 2, y: 1 },
  ends: { x: 2, y: 0 },
  frame: { x: 2, y: 1 },
  gap: { x: 1, rows: 0, line: 2 },
  lineHeight: 1,
  mark: 2,
  measure: cellWidth,
  middle: (width) => Math.floor((width - 1) / 2),
};

const LABEL_PX = 14;
const NOTE_PX = 12;
/** Labels are bold, which makes them wider. */
const BOLD = 1.18;

export const SCREEN: Medium = {
  width: 640,
  box: { min: 170, max: 340 },
  padding: { x: 14, y: 11 },
  ends: { x: 18, y: 6 },
  frame: { x: 14, y: 12 },
  gap: { x: 14, rows: 14, line: 30 },
  lineHeight: 18,
  mark: 22,
  measure: (text, role) => emsOf(text) * (role === 'label' ? LABEL_PX * BOLD : NOTE_PX),
  middle: (width) => width / 2,
};

/** A phone, held upright. */
export const PHONE: Medium = { ...SCREEN, width: 350, box: { min: 200, max: 310 } };

/** In units of the font's size. The font is not known here, so these widths are generous. */
function emsOf(text: string): number {
  const parts = PLAIN.test(text) ? text : graphemes(text);
  let sum = 0;
  for (const each of parts) sum += WIDTHS.get(each) ?? (cellWidth(each) === 2 ? 1.05 : 0.6);
  return sum;
}

const PLAIN = /^[ -~]*$/;
const WIDTHS: ReadonlyMap<string, number> = new Map(
  [
    [0.36, " ijl.,:;'|!()[]{}tfr"],
    [0.92, 'mwMW@%'],
    [0.68, 'ABCDEFGHIJKLNOPQRSTUVXYZ#&_<>=+~'],
  ].flatMap(([width, chars]) => [...String(chars)].map((char) => [char, Number(width)] as const)),
);
