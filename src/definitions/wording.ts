// How pieces of a definition are quoted back to people. A file may hold anything, so
// whatever is quoted is cut to size and kept on one line: a problem is one line, always.

/** What stands for a control character inside a one-line message. */
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most - 1);
  // A pair cut in half would be written as a replacement character.
  const end = head.charCodeAt(head.length - 1);
  return `${end >= 0xd800 && end <= 0xdbff ? head.slice(0, -1) : head}…`;
}

export function onOneLine(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (c) => NAMED[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as it stands in a message: in single quotes, at most a short line long. */
export function quote(text: string, most = 100): string {
  return `'${cut(text, most)}'`;
}

/** The first names of a list, and how many were left out. */
export function nameList(names: readonly string[], most = 20): string {
  const shown = names.slice(0, most).map((name) => cut(name, 100));
  const left = names.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}
