// How messages quote parts of a definition. A file may contain anything, so quoted text is
// truncated and kept on one line: a problem is always one line.

export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  // Half a surrogate pair would be encoded as a replacement character.
  const end = head.charCodeAt(head.length - 1);
  return `${end >= 0xd800 && end <= 0xdbff ? head.slice(0, -1) : head}…`;
}

/** In single quotes, truncated. */
export function quote(text: string, max = 100): string {
  return `'${cut(text, max)}'`;
}

/** The first names of a list, and how many more there are. */
export function nameList(names: readonly string[], max = 20): string {
  const shown = names.slice(0, max).map((name) => cut(name, 100));
  const left = names.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}
