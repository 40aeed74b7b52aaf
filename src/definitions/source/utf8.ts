// Finds the position of the first byte that is not UTF-8. A decoder reports only that there is
// one; but in streaming mode it accepts every valid prefix, so the longest valid prefix can be
// found by binary search.

import type { TextPosition } from '../../core/issue.ts';
import { countCodePoints } from '../../core/rules/text.ts';

/** The position after the last byte that could be decoded. */
export function endOfUtf8(bytes: Uint8Array): TextPosition {
  let valid = 0;
  let invalid = bytes.length + 1;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (decodePrefix(bytes.subarray(0, middle)) === null) invalid = middle;
    else valid = middle;
  }
  const text = decodePrefix(bytes.subarray(0, valid)) ?? '';
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return { line: text.split('\n').length, column: countCodePoints(line) + 1 };
}

function decodePrefix(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
