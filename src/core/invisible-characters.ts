// Invisible characters: they have no width, or change the direction of the text beside them.
// With them, two different texts can look the same. The joiners U+200C and U+200D and the
// variation selectors are not included, because scripts and emoji need them.

const INVISIBLE = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** Characters that are visible on a screen; joiners are not. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Z}\s\u2800\u3164\uffa0]/u;

/** Whether nothing of it is visible; such a text counts as empty. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Each as `\u200b`, or `\u{e0041}`. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, escaped);
}

export function replaceInvisible(text: string, by: (char: string) => string): string {
  return text.replace(INVISIBLE, by);
}

export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) !== -1;
}

export function escaped(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
