// Two operations on a text that need no deadline, because they are bounded by themselves: its
// length, and whether it contains another.

/** Below this product even the worst case of V8's own search takes only about 50 ms. */
const MAX_QUICK_PRODUCT = 64_000_000;

/**
 * Like `text.includes(wanted)`, in linear time. V8's search takes minutes for a quarter of a
 * megabyte in five megabytes if both consist mostly of one letter, and cannot be interrupted.
 */
export function containsText(text: string, wanted: string): boolean {
  if (wanted.length > text.length) return false;
  if (text.length * wanted.length <= MAX_QUICK_PRODUCT) return text.includes(wanted);
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched += 1;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** Code points; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) count -= 1;
  }
  return count;
}

/** For each prefix, the length of the longest proper prefix that it also ends with (Knuth, Morris, Pratt). */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let border = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const code = wanted.charCodeAt(at);
    while (border > 0 && wanted.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    if (wanted.charCodeAt(border) === code) border += 1;
    borders[at] = border;
  }
  return borders;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
