// How texts of others stand in what reviewers are shown. Whoever wrote them is judged by it,
// so none of them can end the section that it is in, begin another one, or hide a part.

import { escaped } from '../../core/invisible.ts';
import { onOneLine } from '../../definitions/wording.ts';

/** What some programs show as the end of a line, and others do not. */
const LINE_ENDS = /\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g;
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** With one kind of line break, and every other control character visible. */
export function plainText(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(CONTROL, escaped);
}

/** A line like a marker: a long run, or a short one with the words of a marker behind it. */
const MARKER_LIKE = /^(?=[^\S\n]*(?:[=-]{20}|[=-]{2,}[^\S\n]*(?:BEGIN|END|AUTHOR)\b))/gim;

export const MARKER_RULE =
  'A line of the material that looks like a marker begins with a backslash here: it is none.';

/** Between markers: what looks like one of them gets a backslash in front. */
export function material(text: string): string {
  return plainText(text).replace(MARKER_LIKE, '\\');
}

/** A name or a path, on one line. */
export function nameShown(name: string): string {
  return onOneLine(name);
}
