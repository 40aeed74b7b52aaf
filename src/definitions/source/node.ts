// The tree of a definition, parsed from YAML or JSON: values with their positions. Maps are lists
// of entries, never objects, so no key of a file can collide with a prototype.

import type { Path } from '../../core/issue.ts';
import { quote } from '../wording.ts';

export type Node = MapNode | ListNode | ScalarNode;

export interface MapNode {
  readonly kind: 'map';
  /** Offset in the text, as in every node; 0 in a tree built from values. */
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: Node;
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly Node[];
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** The text in the file. */
  readonly written: string;
  /** Without quotes, block indicators and tags. */
  readonly plain: boolean;
}

/** The tree of a JSON value, without positions. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'list', at: 0, items: value.map(nodeOf) };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => {
      return { key, keyAt: 0, value: nodeOf(each) };
    });
    return { kind: 'map', at: 0, entries };
  }
  const scalar = value as ScalarNode['value'];
  return { kind: 'scalar', at: 0, value: scalar, written: String(scalar), plain: false };
}

/** The value as plain JavaScript data, for parsers that do not need positions. */
export function plainValue(node: Node): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  // Unlike assignment, this makes `__proto__` an ordinary key.
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

export function entryOf(node: Node, key: string): MapEntry | null {
  if (node.kind !== 'map') return null;
  return node.entries.find((entry) => entry.key === key) ?? null;
}

/** Whether the position of a map's member is that of its key or of its value. */
export type Target = 'key' | 'value';

/** The offset of the node at a path, or of the nearest one above it. */
export function locate(root: Node, path: Path, target: Target): number {
  let here = root;
  let at = root.at;
  for (const part of path) {
    const entry = entryOf(here, String(part));
    const item = here.kind === 'list' && typeof part === 'number' ? here.items[part] : undefined;
    const found = entry?.value ?? item;
    if (found === undefined) break;
    at = entry !== null && target === 'key' ? entry.keyAt : found.at;
    here = found;
  }
  return at;
}

const MAX_POINTER_LENGTH = 1000;

/** The path as a JSON Pointer, truncated: a hostile file can have keys of a megabyte. */
export function pointerTo(path: Path): string {
  let pointer = '';
  for (const part of path) {
    const step = String(part).slice(0, MAX_POINTER_LENGTH);
    pointer += `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length > MAX_POINTER_LENGTH) return `${pointer.slice(0, MAX_POINTER_LENGTH)}…`;
  }
  return pointer;
}

/** For messages, after "expected …, found". */
export function describeNode(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `the text ${quote(node.value, 60)}`;
  if (typeof node.value === 'number') return `the number ${quote(node.written, 60)}`;
  return `the boolean ${quote(node.written, 60)}`;
}
