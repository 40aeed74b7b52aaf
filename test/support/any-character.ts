// Any character of Unicode, for random texts. As `unit: 'binary'` of fast-check, which takes more than a
// second of every worker to list them all.

import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** For `unit` and `stringUnit`. */
export const anyCharacter = fc
  .nat(0x10ffff - SURROGATES)
  .map(characterAt, (text) => placeOf(text as string));

function characterAt(place: number): string {
  return String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);
}

/** The reverse: fast-check asks whether texts that are often dangerous consist of these. */
function placeOf(text: string): number {
  const code = text.codePointAt(0);
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not a character');
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
