// Characters that nobody sees: they take no room, or change the direction of what stands
// beside them. With them, two texts can look the same, or one like another. The joiners
// U+200C and U+200D and the variation selectors are not among them: scripts and emoji are
// written with those.

const INVISIBLE = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** What leaves a mark on a screen; the joiners do not. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Z}\s\u2800\u3164\uffa0]/u;

/** Whether nothing of it can be seen: where a text is demanded, this is none. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Each as `\u200b`, or `\u{e0041}`. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) !== -1;
}

export function escaped(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
