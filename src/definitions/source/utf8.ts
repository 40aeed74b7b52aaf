// Finds where bytes stop being UTF-8. A decoder only says that they are not; but told
// that more is to come, it also accepts every beginning that is, so the last such
// beginning can be found by halving.

import type { TextPosition } from '../../core/issue.ts';
import { countCodePoints } from '../../core/rules/text.ts';

/** The position after the last byte that could be decoded. */
export function endOfUtf8(bytes: Uint8Array): TextPosition {
  let sound = 0;
  let unsound = bytes.length + 1;
  while (unsound - sound > 1) {
    const middle = Math.floor((sound + unsound) / 2);
    if (decodeBeginning(bytes.subarray(0, middle)) === null) unsound = middle;
    else sound = middle;
  }
  const text = decodeBeginning(bytes.subarray(0, sound)) ?? '';
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return { line: text.split('\n').length, column: countCodePoints(line) + 1 };
}

function decodeBeginning(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
