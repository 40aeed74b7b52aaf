// How much space a text takes, and where it is broken into lines. A terminal has cells: CJK and
// emoji take two, combining marks none. A grapheme is never split.

import { escaped, showInvisible } from '../../core/invisible-characters.ts';

/** Latin letters, punctuation, arrows and lines: one cell each, and none joins another. */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u2500-\u25fc]*$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;
const HALF_WIDTH = /^[\uff61-\uff9f]/;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\ufe30-\ufe6f\p{Emoji_Presentation}\u{1f300}-\u{1f64f}\u{1f900}-\u{1faff}]|\p{Emoji}\ufe0f/u;

/** Created when first needed: that takes as long as the rest of a command's start. */
let segmenter: Intl.Segmenter | null = null;

export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** In cells of a terminal. */
export function cellWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return graphemes(text).reduce((sum, each) => sum + cellsOf(each), 0);
}

export function cellsOf(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1;
}

/** Longer texts would not fit anyway. */
const MAX_TEXT = 500;

/** On one line, without control and invisible characters. */
export function oneLine(text: string): string {
  const start = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return showInvisible(start.replace(/\s+/g, ' ').replace(CONTROL, escaped)).trim();
}

/** Breaks at words, and inside a word only if it is longer than a line. Cut text ends in `…`. */
export function wrap(
  text: string,
  width: number,
  measure: (text: string) => number,
  maxLines: number,
): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width, measure))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
    if (lines.length >= maxLines) break;
  }
  if (lines.length < maxLines) return [...lines, line].filter((each) => each !== '');
  return [...lines.slice(0, -1), shortened(lines.at(-1) ?? '', width, measure)];
}

/** The word in parts that fit. */
function pieces(word: string, width: number, measure: (text: string) => number): string[] {
  if (measure(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const more = measure(grapheme);
    if (piece !== '' && used + more > width) {
      found.push(piece);
      piece = '';
      used = 0;
    }
    piece += grapheme;
    used += more;
  }
  return [...found, piece];
}

function shortened(line: string, width: number, measure: (text: string) => number): string {
  const kept = graphemes(line);
  while (kept.length > 0 && measure(`${kept.join('')}…`) > width) kept.pop();
  return `${kept.join('').trimEnd()}…`;
}
