// The tree that a YAML text becomes: plain values that remember where they were written.
// Maps are lists of entries, never objects, so no key of a file can meet a prototype.

import { quote } from './wording.ts';

export type Node = MapNode | ListNode | ScalarNode;

export interface MapNode {
  readonly kind: 'map';
  /** Offset in the text, as in every node. */
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: Node;
}

interface ListNode {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly Node[];
}

interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** The text as it stands in the file. */
  readonly written: string;
  /** Written without quotes, block marks and tags. */
  readonly plain: boolean;
}

export type Path = readonly (string | number)[];

export function entryOf(node: Node, key: string): MapEntry | null {
  if (node.kind !== 'map') return null;
  return node.entries.find((entry) => entry.key === key) ?? null;
}

/** The value as ordinary JavaScript data, for parsers that know nothing of files. */
export function plainValue(node: Node): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  const object: Record<string, unknown> = {};
  for (const { key, value } of node.entries) {
    const plain = plainValue(value);
    if (key !== '__proto__') object[key] = plain;
    // Assigning to it would set the prototype instead of a key.
    else {
      const described = { value: plain, enumerable: true, writable: true, configurable: true };
      Object.defineProperty(object, key, described);
    }
  }
  return object;
}

/** Where the value at `path` below `node` begins; as near to it as the tree reaches. */
export function locate(node: Node, path: Path): number {
  let here: Node = node;
  let at = node.at;
  for (const part of path) {
    if (here.kind === 'map') {
      const entry = entryOf(here, String(part));
      if (!entry) break;
      here = entry.value;
      at = entry.keyAt;
    } else if (here.kind === 'list' && typeof part === 'number') {
      const item: Node | undefined = here.items[part];
      if (!item) break;
      here = item;
      at = item.at;
    } else break;
  }
  return at;
}

/** What was found, in words, after "expected …, found". */
export function describeNode(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `the text ${quote(node.value, 60)}`;
  if (typeof node.value === 'number') return `the number ${quote(node.written, 60)}`;
  return `the boolean ${quote(node.written, 60)}`;
}
