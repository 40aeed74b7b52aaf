// Removes blanks from both ends: those of JavaScript, and U+0085, which Rust's clients remove as well.
// Not a pattern, because one takes quadratic time for long blanks in the middle.

const BLANK = /[\s\u0085]/;

export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && BLANK.test(text[from] as string)) from += 1;
  while (to > from && BLANK.test(text[to - 1] as string)) to -= 1;
  return text.slice(from, to);
}
