// Puts a member into a JSON object or list without touching another byte: comments, commas,
// indentation and line ends stay, and the member is written as its neighbours are.

import { createScanner } from 'jsonc-parser';
import { endOffset, type Node } from './json-nodes.ts';
import { renderInline, renderJson } from './json-render.ts';
import { insertAt, type SplicedText } from './spliced-text.ts';
import { indentAt, textFormOf } from './text-form.ts';

export interface NewMember {
  /** Null in a list. */
  readonly key: string | null;
  readonly value: unknown;
}

/** `container` must have been read from the current text. */
export function insertMember(into: SplicedText, container: Node, member: NewMember): SplicedText {
  const { text } = into;
  const last = container.children?.at(-1);
  if (last === undefined) return insertFirst(into, container, member);
  const end = endOffset(last);
  const comma = commaAfter(text, end);
  const first = container.children?.[0] as Node;
  const ownLines = text.slice(container.offset, first.offset).includes('\n');
  if (!ownLines) {
    const piece = inline(member);
    return comma === null
      ? insertAt(into, end, `, ${piece}`)
      : insertAt(into, comma + 1, ` ${piece},`);
  }
  const { eol } = textFormOf(text);
  const indent = indentAt(text, first.offset);
  const at = endOfComments(text, comma === null ? end : comma + 1);
  const piece = `${eol}${indent}${onLines(text, member, indent)}`;
  if (comma !== null) return insertAt(into, at, `${piece},`);
  // Back to front, so that the first offset stays valid.
  return at === end
    ? insertAt(into, end, `,${piece}`)
    : insertAt(insertAt(into, at, piece), end, ',');
}

function insertFirst(into: SplicedText, container: Node, member: NewMember): SplicedText {
  const { text } = into;
  const close = endOffset(container) - 1;
  const inner = text.slice(container.offset + 1, close);
  const isOneLine = !text.trim().includes('\n') && text.trim() !== '{}';
  if (isOneLine && inner.trim() === '') {
    return insertAt(into, container.offset + 1, inline(member));
  }
  const { eol, unit } = textFormOf(text);
  const outer = indentAt(text, container.offset);
  const contentLength = inner.trimEnd().length;
  const closesOnOwnLine = inner.slice(contentLength).includes('\n');
  const piece = onLines(text, member, outer + unit);
  return insertAt(
    into,
    container.offset + 1 + contentLength,
    `${eol}${outer}${unit}${piece}${closesOnOwnLine ? '' : eol + outer}`,
  );
}

function onLines(text: string, { key, value }: NewMember, indent: string): string {
  return `${key === null ? '' : `${JSON.stringify(key)}: `}${renderJson(value, textFormOf(text), indent)}`;
}

function inline({ key, value }: NewMember): string {
  return `${key === null ? '' : `${JSON.stringify(key)}: `}${renderInline(value)}`;
}

/** The comma after a member, even if comments are in between; null if there is none. */
export function commaAfter(text: string, at: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(at);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : null;
}

/** A comment after a member, on the same line, stays with that member. */
function endOfComments(text: string, from: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let end = from;
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (token.startsWith('/')) end = scanner.getPosition();
    else if (!/^[ \t]+$/.test(token)) return end;
  }
}
