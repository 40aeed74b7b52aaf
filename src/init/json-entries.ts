// What init puts into a client's JSON file: keys of objects, and items of lists. Each is put in where
// it is missing, never replaces anything, and is taken out again only if it has not been edited.

import { isDeepStrictEqual } from 'node:util';
import { getNodeValue } from 'jsonc-parser';
import { insertMember } from './json-insert.ts';
import {
  type JsonProblem,
  jsonProblem,
  type Node,
  propertyOf,
  readJsonText,
} from './json-nodes.ts';
import { isBare, removeMember } from './json-remove.ts';
import { insertAt, type SplicedText, untouched } from './spliced-text.ts';
import { BYTE_ORDER_MARK, textFormOf } from './text-form.ts';

export interface JsonEntry {
  /** Keys from the root to the value, or to the list. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** For an item of a list: a text in it by which it is recognised, even if it was edited. */
  readonly mark?: string;
}

export interface Added {
  readonly kind: 'added';
  readonly spliced: SplicedText;
  readonly entries: readonly JsonEntry[];
  /** Objects and lists that had to be created, outermost first. */
  readonly containers: readonly (readonly string[])[];
}

/** Puts in what is missing. */
export function addEntries(text: string, entries: readonly JsonEntry[]): Added | JsonProblem {
  let spliced = untouched(text);
  const added: JsonEntry[] = [];
  const containers: (readonly string[])[] = [];
  for (const entry of entries) {
    const done = addEntry(spliced, entry);
    if (done === null) continue;
    if ('why' in done) return done;
    spliced = done.spliced;
    added.push(entry);
    containers.push(...done.containers);
  }
  return { kind: 'added', spliced, entries: added, containers };
}

/** Null: it exists already, perhaps with another value. */
function addEntry(
  into: SplicedText,
  { path, value, mark }: JsonEntry,
): Pick<Added, 'spliced' | 'containers'> | JsonProblem | null {
  const read = readBody(into.text);
  if (read.kind === 'problem') return read;
  if (read.root === null) {
    const { eol } = textFormOf(into.text);
    return addEntry(insertAt(into, into.text.length, `{}${eol}`), { path, value, ...marked(mark) });
  }
  const found = walk(read.root, path, mark);
  if (found.kind === 'problem') return found;
  if (found.kind === 'there') return null;
  const { container, left } = found;
  const list = mark === undefined ? value : [value];
  const nested = (keys: readonly string[]): unknown =>
    keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), list);
  const member =
    left.length === 0
      ? { key: null, value }
      : { key: left[0] as string, value: nested(left.slice(1)) };
  const depth = path.length - left.length;
  const made = mark === undefined ? left.length - 1 : left.length;
  return {
    spliced: insertMember(into, container, member),
    containers: Array.from({ length: Math.max(made, 0) }, (_, i) => path.slice(0, depth + i + 1)),
  };
}

const marked = (mark: string | undefined) => (mark === undefined ? {} : { mark });

type Walked =
  | { readonly kind: 'there' }
  /** The innermost container that exists, and the keys that do not. */
  | { readonly kind: 'missing'; readonly container: Node; readonly left: readonly string[] }
  | JsonProblem;

function walk(root: Node, path: readonly string[], mark: string | undefined): Walked {
  let at = root;
  for (const [index, key] of path.entries()) {
    const property = propertyOf(at, key);
    if (property === null) return { kind: 'missing', container: at, left: path.slice(index) };
    if ('why' in property) return property;
    const isLast = index === path.length - 1;
    if (isLast && mark === undefined) return { kind: 'there' };
    const wanted = isLast ? 'array' : 'object';
    at = property.children?.[1] as Node;
    if (at.type !== wanted) {
      const name = path.slice(0, index + 1).join('.');
      return jsonProblem(`has no ${wanted === 'array' ? 'list' : 'object'} in "${name}"`);
    }
  }
  const isThere = (at.children ?? []).some((item) => hasMark(item, mark as string));
  return isThere ? { kind: 'there' } : { kind: 'missing', container: at, left: [] };
}

function hasMark(item: Node, mark: string): boolean {
  return JSON.stringify(getNodeValue(item)).includes(JSON.stringify(mark).slice(1, -1));
}

export type EntryState = 'absent' | 'unchanged' | 'different';

/** The text must be readable. */
export function entryStateOf(text: string, entry: JsonEntry): EntryState {
  const found = find(text, entry);
  if (found === null) return 'absent';
  return found.isSame ? 'unchanged' : 'different';
}

interface Found {
  readonly container: Node;
  readonly member: Node;
  readonly isSame: boolean;
}

function find(text: string, { path, value, mark }: JsonEntry): Found | null {
  const read = readBody(text);
  if (read.kind === 'problem' || read.root === null) return null;
  const parents = mark === undefined ? path.slice(0, -1) : path;
  const container = containerAt(read.root, parents);
  if (container === null) return null;
  if (mark === undefined) {
    const member = propertyOf(container, path.at(-1) as string);
    if (member === null || 'why' in member) return null;
    return {
      container,
      member,
      isSame: isDeepStrictEqual(plainValue(member.children?.[1]), value),
    };
  }
  const items = container.children ?? [];
  const same = items.find((item) => isDeepStrictEqual(plainValue(item), value));
  const member = same ?? items.find((item) => hasMark(item, mark));
  return member === undefined ? null : { container, member, isSame: same !== undefined };
}

/** As plain objects: those of the parser have no prototype. */
function plainValue(node: Node | undefined): unknown {
  return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
}

function containerAt(root: Node, path: readonly string[]): Node | null {
  let at = root;
  for (const key of path) {
    const property = at.type === 'object' ? propertyOf(at, key) : null;
    if (property === null || 'why' in property) return null;
    at = property.children?.[1] as Node;
  }
  return at;
}

export interface Removed {
  readonly text: string;
  /** Those that were edited; they stay. */
  readonly edited: readonly JsonEntry[];
}

/** Takes out entries that were not edited, and containers that were created for them. */
export function removeEntries(
  text: string,
  entries: readonly JsonEntry[],
  containers: readonly (readonly string[])[],
): Removed {
  const bom = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  let body = text.slice(bom.length);
  const edited: JsonEntry[] = [];
  for (const entry of [...entries].reverse()) {
    const found = find(body, entry);
    if (found?.isSame) body = removeMember(body, found.container, found.member);
    else if (found !== null) edited.push(entry);
  }
  for (const path of [...containers].reverse()) {
    const read = readJsonText(body);
    if (read.kind === 'problem' || read.root === null) break;
    const parent = containerAt(read.root, path.slice(0, -1));
    const property = parent === null ? null : propertyOf(parent, path.at(-1) as string);
    if (parent === null || property === null || 'why' in property) continue;
    const made = property.children?.[1];
    const isOurs = made?.type === 'object' || made?.type === 'array';
    if (isOurs && isBare(body, made)) body = removeMember(body, parent, property);
  }
  return { text: bom + body, edited: edited.reverse() };
}

/** True if nothing but an empty object is left, not even a comment. */
export function isEmptyObject(text: string): boolean {
  const rest = text.replace(BYTE_ORDER_MARK, '').trim();
  return (
    rest === '' || (rest.startsWith('{') && rest.endsWith('}') && rest.slice(1, -1).trim() === '')
  );
}

/** Replaces a byte order mark by a blank, so that offsets stay the same. */
function readBody(text: string) {
  return readJsonText(text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text);
}
