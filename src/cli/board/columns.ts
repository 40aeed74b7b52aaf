// Fits text to the width of a terminal: wraps at words and puts columns side by side. Widths are
// those of a terminal, where most East Asian characters and emoji take two columns.

import { cellWidth, graphemes, wrap } from '../../board/drawing/text-width.ts';

/** Lines of at most this width, broken at spaces; a longer word is broken inside. */
export function wrapWords(text: string, width: number): string[] {
  const lines = wrap(text.replace(/[ \t]+/g, ' '), width, cellWidth, Number.POSITIVE_INFINITY);
  return lines.length === 0 ? [''] : lines;
}

export interface Cell {
  readonly text: string;
  readonly width: number;
  /** Applied after the text is wrapped, since colour codes have no width. */
  readonly style?: (text: string) => string;
}

export function cell(text: string, width: number): Cell {
  return { text, width };
}

const GAP = '  ';

/** Cells side by side, each wrapped within its own width. */
export function row(cells: readonly Cell[], indent = 0): string[] {
  const wrapped = cells.map(({ text, width }) => wrapWords(text, Math.max(1, width)));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map(({ width, style = (text) => text }, column) => {
      const text = wrapped[column]?.[line] ?? '';
      const isLast = column === cells.length - 1;
      return style(text) + (isLast ? '' : ' '.repeat(Math.max(0, width - cellWidth(text))));
    });
    return (' '.repeat(indent) + parts.join(GAP)).trimEnd();
  });
}

/** The width of a column: that of its longest text, but at most `max`. */
export function columnWidth(texts: readonly string[], max: number): number {
  return Math.min(max, Math.max(0, ...texts.map(cellWidth)));
}

/** One line, cut with an ellipsis if it is longer. */
export function cutTo(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let kept = '';
  for (const grapheme of graphemes(text)) {
    if (cellWidth(kept + grapheme) >= width) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** Cut after a word if it is longer; `rest` then says where to find the whole text. */
export function cutAtWord(text: string, width: number, rest: string): string {
  if (cellWidth(text) <= width) return text;
  const end = `… ${rest}`;
  const [kept = ''] = wrapWords(text, Math.max(1, width - cellWidth(end)));
  return `${kept}${end}`;
}
