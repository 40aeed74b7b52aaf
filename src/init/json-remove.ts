// Takes a member out of a JSON object or list in a file that people have edited since: the
// member, its comma and its line if that is empty then; comments and everything else stay.

import { commaAfter } from './json-insert.ts';
import { endOffset, type Node } from './json-nodes.ts';

/** `member` is a child of `container`, both read from this text. */
export function removeMember(text: string, container: Node, member: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(member);
  const following = commaAfter(text, endOffset(member));
  const before = index > 0 ? (children[index - 1] as Node) : null;
  // A last member without a trailing comma takes the comma before it along.
  const comma = following ?? (before === null ? null : commaAfter(text, endOffset(before)));
  const without = (from: string, start: number, end: number) =>
    from.slice(0, start) + from.slice(end);
  if (comma === null) return without(text, ...linesOf(text, member.offset, endOffset(member)));
  if (comma < member.offset) {
    const cut = without(text, ...linesOf(text, member.offset, endOffset(member)));
    return without(cut, comma, comma + 1);
  }
  const cut = without(text, comma, comma + 1);
  return without(cut, ...linesOf(cut, member.offset, endOffset(member)));
}

/** The range, extended to whole lines if only blanks are left of them. */
function linesOf(text: string, start: number, end: number): [number, number] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', end);
  const lineEnd = newline === -1 ? text.length : newline + 1;
  const isAlone =
    text.slice(lineStart, start).trim() === '' && text.slice(end, lineEnd).trim() === '';
  if (isAlone) return [lineStart, lineEnd];
  // Other members are on its line: only the blanks before it go.
  const blanks =
    text.slice(lineStart, start).length - text.slice(lineStart, start).trimEnd().length;
  return blanks > 0 && lineStart < start - blanks ? [start - blanks, end] : [start, end];
}

/** True if it contains nothing, not even a comment. */
export function isBare(text: string, container: Node): boolean {
  return text.slice(container.offset + 1, endOffset(container) - 1).trim() === '';
}
