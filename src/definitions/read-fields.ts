// Readers for the pieces of a closed format. A reader never fails: it reports what is
// wrong and hands back a harmless stand-in (empty text, no items), so that one pass
// finds every problem and later checks still see all the rest of the file.
//
//   const readPoint = closedMap({ x: required(text, emptyText), note: optional(text, none) });
//   const point = readPoint(node, [], to);      // point.x.value, point.note?.value

import { nearest } from '../core/nearest.ts';
import { nameList, quote } from './wording.ts';
import { describeNode, entryOf, type Node, type Path } from './yaml-node.ts';

export interface ShapeReport {
  add(path: Path, at: number, problem: string): void;
  /** Of what is odd and holds all the same; where there is no place for that, it is left out. */
  warn?(path: Path, at: number, warning: string): void;
  /** Enough has been reported: readers of long lists stop. */
  full(): boolean;
}

export type Read<T> = (node: Node, path: Path, to: ShapeReport) => T;

/** A text and where it stands; empty when the file has nothing usable there. */
export interface Located {
  readonly value: string;
  readonly at: number;
}

export interface Field<T> {
  readonly read: Read<T>;
  readonly required: boolean;
  /** What stands in for a field that is not there, given where its map begins. */
  readonly absent: (at: number) => T;
}

export const emptyText = (at: number): Located => ({ value: '', at });
export const none = (): null => null;

export function required<T>(read: Read<T>, absent: (at: number) => T): Field<T> {
  return { read, required: true, absent };
}

export function optional<T, A>(read: Read<T>, absent: (at: number) => A): Field<T | A> {
  return { read, required: false, absent };
}

/** A text for which `problemWith` finds nothing to say. */
function textWhere(problemWith: (value: string) => string | null): Read<Located> {
  return (node, path, to) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      const scalar = node.kind === 'scalar' && node.value !== null;
      const hint = scalar ? '; put it in quotes' : '';
      to.add(path, node.at, `expected text, found ${describeNode(node)}${hint}`);
      return emptyText(node.at);
    }
    const problem = problemWith(node.value);
    if (problem !== null) to.add(path, node.at, problem);
    return { value: node.value, at: node.at };
  };
}

export const anyText = textWhere(() => null);

const EMPTY = 'expected text, found an empty text';

export const text = textWhere((value) => (value === '' ? EMPTY : null));

export const id = textWhere((value) =>
  /^[a-z][a-z0-9_]*$/.test(value)
    ? null
    : `${quote(value, 60)} is not an id: use lower-case letters, digits and _, beginning with a letter`,
);

export const version = textWhere((value) =>
  /^\d+\.\d+\.\d+$/.test(value)
    ? null
    : `${quote(value, 60)} is not a version: write three numbers such as '1.0.0'`,
);

export const shortText = textWhere((value) => {
  if (value === '') return EMPTY;
  // Code points; a text of more than 400 units has more than 200 of them.
  const length = value.length > 400 ? value.length : [...value].length;
  return length > 200 ? `expected at most 200 characters, found ${length}` : null;
});

export function oneOf(...allowed: readonly string[]): Read<Located> {
  const words = allowed.map((word) => quote(word)).join(' or ');
  return textWhere((value) =>
    allowed.includes(value) ? null : `expected ${words}, found ${quote(value, 60)}`,
  );
}

const YES = /^(yes|Yes|YES|on|On|ON)$/;
const NO = /^(no|No|NO|off|Off|OFF)$/;

export const boolean: Read<boolean> = (node, path, to) => {
  if (node.kind === 'scalar') {
    if (typeof node.value === 'boolean') return node.value;
    if (node.plain && YES.test(node.written)) return true;
    if (node.plain && NO.test(node.written)) return false;
  }
  to.add(path, node.at, `expected true or false, found ${describeNode(node)}`);
  return false;
};

/** Null when the node is no list at all, so that nobody takes it for an empty one. */
export function list<T>(read: Read<T>, least = 0): Read<T[] | null> {
  return (node, path, to) => {
    if (node.kind !== 'list') {
      const hint = least === 0 ? '; write [] for none' : '';
      to.add(path, node.at, `expected a list, found ${describeNode(node)}${hint}`);
      return null;
    }
    if (node.items.length < least) to.add(path, node.at, `expected at least ${least} item`);
    const items: T[] = [];
    for (const [index, item] of node.items.entries()) {
      if (to.full()) break;
      items.push(read(item, [...path, index], to));
    }
    return items;
  };
}

export interface Named<T> {
  readonly name: Located;
  readonly value: T;
}

/** A map whose keys are names chosen by the author; null when the node is no map. */
export function namedValues<T>(read: Read<T>, least = 0): Read<Named<T>[] | null> {
  return (node, path, to) => {
    if (node.kind !== 'map') {
      const hint = least === 0 ? '; write {} for none' : '';
      to.add(path, node.at, `expected a map, found ${describeNode(node)}${hint}`);
      return null;
    }
    if (node.entries.length < least) to.add(path, node.at, `expected at least ${least} entry`);
    const named: Named<T>[] = [];
    for (const { key, keyAt, value } of node.entries) {
      if (to.full()) break;
      named.push({ name: { value: key, at: keyAt }, value: read(value, [...path, key], to) });
    }
    return named;
  };
}

type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** With the keys that it takes, for the reference's test. */
export type ClosedMap<F extends Fields> = Read<ValuesOf<F>> & { readonly keys: readonly string[] };

/** A map with a fixed set of keys. `hints` says where keys that do not belong here went. */
export function closedMap<F extends Fields>(
  fields: F,
  hints: ReadonlyMap<string, string> = new Map(),
): ClosedMap<F> {
  const names = Object.keys(fields);
  const read: Read<ValuesOf<F>> = (node, path, to) => {
    const isMap = node.kind === 'map';
    if (!isMap) {
      const problem = `expected a map with the keys ${nameList(names)}; found ${describeNode(node)}`;
      to.add(path, node.at, problem);
    }
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const field = fields[name] as Field<unknown>;
      const entry = entryOf(node, name);
      if (entry) values[name] = field.read(entry.value, [...path, name], to);
      else {
        if (isMap && field.required) to.add(path, node.at, `missing required key ${quote(name)}`);
        values[name] = field.absent(node.at);
      }
    }
    if (isMap) {
      for (const { key, keyAt } of node.entries) {
        if (to.full()) break;
        if (!Object.hasOwn(fields, key)) to.add(path, keyAt, unknownKey(key, names, hints));
      }
    }
    return values as ValuesOf<F>;
  };
  return Object.assign(read, { keys: names });
}

export function unknownKey(
  key: string,
  names: readonly string[],
  hints: ReadonlyMap<string, string> = new Map(),
): string {
  const unknown = `unknown key ${quote(key, 60)}`;
  const hint = key === '<<' ? 'merge keys are not part of YAML 1.2' : hints.get(key);
  if (hint) return `${unknown}; ${hint}`;
  const meant = nearest(key, names);
  return meant
    ? `${unknown}; did you mean ${quote(meant)}?`
    : `${unknown}; allowed here: ${nameList(names, 30)}`;
}
