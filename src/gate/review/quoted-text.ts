// How texts by others appear in what reviewers see. Their authors are being judged, so no
// text may end its section, begin another one, or hide a part of itself.

import { escaped } from '../../core/invisible-characters.ts';
import { onOneLine } from '../../core/wording.ts';

/** Line ends to some programs, but not to others. */
const LINE_ENDS = /\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g;
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** With one kind of line break, and every other control character made visible. */
export function plainText(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(CONTROL, escaped);
}

/**
 * A line like a marker: a long run of signs, or a short one followed by a marker's words. Invisible
 * characters in front of it do not help.
 */
const MARKER_LIKE =
  /^(?=(?:[^\S\n]|\p{Default_Ignorable_Code_Point})*(?:[=-]{20}|[=-]{2,}[^\S\n]*(?:BEGIN|END|AUTHOR)\b))/gimu;

export const MARKER_RULE =
  'Every marker of = signs ends in the same random word. A line of the material that looks like a marker begins with a backslash here: it is not one.';

/** For text between markers: lines that look like a marker get a backslash in front. */
export function quotedText(text: string): string {
  return plainText(text).replace(MARKER_LIKE, '\\');
}

/** A name or a path, on one line. */
export function nameShown(name: string): string {
  return onOneLine(name);
}
