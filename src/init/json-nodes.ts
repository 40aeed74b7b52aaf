// Parses JSON with comments and trailing commas, as clients write it, into nodes with offsets.

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

export type { Node };

export type JsonText =
  /** `root` is null in a file without content. */
  { readonly kind: 'read'; readonly root: Node | null } | JsonProblem;

export interface JsonProblem {
  readonly kind: 'problem';
  /** Completes a sentence that begins with the file's name. */
  readonly why: string;
}

export function jsonProblem(why: string): JsonProblem {
  return { kind: 'problem', why };
}

export function readJsonText(text: string): JsonText {
  if (text.trim() === '') return { kind: 'read', root: null };
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch {
    return jsonProblem('is nested too deeply');
  }
  const [first] = errors;
  if (first !== undefined) {
    const what = printParseErrorCode(first.error).replace(/\B[A-Z]/g, ' $&');
    return jsonProblem(`is not valid JSON (${placeOf(text, first.offset)}: ${what.toLowerCase()})`);
  }
  if (root?.type !== 'object') return jsonProblem('is not a JSON object');
  return { kind: 'read', root };
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** The property of an object by its key; a duplicate key is a problem. */
export function propertyOf(object: Node, key: string): Node | null | JsonProblem {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (found.length > 1) return jsonProblem(`has the key "${key}" twice`);
  return found[0] ?? null;
}

export const endOffset = ({ offset, length }: Node): number => offset + length;
