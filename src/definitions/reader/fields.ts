// Readers for the parts of a closed format. A reader never fails: it reports problems and returns
// a harmless placeholder (empty text, no items), so that one pass finds every problem and later
// checks still see the rest of the file.
//
//   const readPoint = closedMap({ x: required(text, emptyText), note: optional(text, none) });
//   const point = readPoint(node, [], to);      // point.x.value, point.note?.value

import type { Fault, IssueCode, Path } from '../../core/issue.ts';
import { nearest } from '../../core/nearest.ts';
import { describeNode, entryOf, type Node, nodeOf, type Target } from '../source/node.ts';
import { cut, nameList, quote } from '../wording.ts';
import type { Report } from './issues.ts';

export type Read<T> = (node: Node, path: Path, to: Report) => T;

/** A text and its location; empty if the file has nothing usable there. */
export interface Located {
  readonly value: string;
  readonly path: Path;
  readonly at: Target;
}

/** A part of the file as written, to be read later. */
export interface WrittenPart {
  readonly node: Node;
  readonly path: Path;
}

export interface Field<T> {
  readonly read: Read<T>;
  readonly required: boolean;
  /** The value of an absent field, given the path of its map. */
  readonly absent: (path: Path) => T;
}

export const emptyText = (path: Path): Located => ({ value: '', path, at: 'value' });
export const none = (): null => null;

export function required<T>(read: Read<T>, absent: (path: Path) => T): Field<T> {
  return { read, required: true, absent };
}

export function optional<T, A>(read: Read<T>, absent: (path: Path) => A): Field<T | A> {
  return { read, required: false, absent };
}

/** For what depends on other parts of the file, or takes long to read. */
export const written: Read<WrittenPart> = (node, path) => ({ node, path });

/** A text that `problemWith` accepts. */
function textWhere(
  problemWith: (value: string) => string | null,
  code: IssueCode = 'wrong_value',
): Read<Located> {
  return (node, path, to) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      const scalar = node.kind === 'scalar' && node.value !== null;
      const hint = scalar ? '; put it in quotes' : '';
      to.add('wrong_type', path, `expected text, found ${describeNode(node)}${hint}`);
      return emptyText(path);
    }
    const problem = problemWith(node.value);
    if (problem !== null) to.add(code, path, problem);
    return { value: node.value, path, at: 'value' };
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
}, 'wrong_length');

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
  to.add('wrong_type', path, `expected true or false, found ${describeNode(node)}`);
  return false;
};

/** `otherwise` replaces anything else. */
export function wholeNumber<T>(min: number, max: number, otherwise: T): Read<number | T> {
  return (node, path, to) => {
    const value = node.kind === 'scalar' ? node.value : null;
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) {
      return value as number;
    }
    const wanted = `expected a whole number from ${min} to ${max}`;
    to.add('wrong_value', path, `${wanted}, found ${describeNode(node)}`);
    return otherwise;
  };
}

/** Adds the faults of a parser that sees only values. `own`: the target of faults about all of it. */
export function addFaults(
  faults: readonly Fault[],
  path: Path,
  to: Report,
  own: Target = 'value',
): void {
  for (const fault of faults) {
    const at = fault.path.length === 0 ? own : 'key';
    to.add(fault.code, [...path, ...fault.path], fault.message, at);
  }
}

/** A problem with a text, where it is. */
export function reportAt(
  to: Report,
  code: IssueCode,
  { path, at }: Located,
  message: string,
): void {
  to.add(code, path, message, at);
}

/** A name that could not be read is empty, and is already reported. */
export function isGiven(name: Located): boolean {
  return name.value !== '';
}

/** The names that repeat an earlier one. */
export function repeatedIn(names: readonly Located[]): ReadonlySet<Located> {
  const seen = new Set<string>();
  const repeated = new Set<Located>();
  for (const name of names.filter(isGiven)) {
    if (seen.has(name.value)) repeated.add(name);
    seen.add(name.value);
  }
  return repeated;
}

/** Reports a key that is not an id, such as the name of a variable. */
export function checkId({ value, path }: Located, to: Report): void {
  id(nodeOf(value), path, { ...to, add: (code, at, message) => to.add(code, at, message, 'key') });
}

/** For keys that are allowed and have no effect. */
export const ignored: Read<null> = () => null;

/** Null if the node is not a list, to distinguish it from an empty one. */
export function list<T>(read: Read<T>, min = 0): Read<T[] | null> {
  return (node, path, to) => {
    if (node.kind !== 'list') {
      const hint = min === 0 ? '; write [] for none' : '';
      to.add('wrong_type', path, `expected a list, found ${describeNode(node)}${hint}`);
      return null;
    }
    if (node.items.length < min) {
      to.add('wrong_length', path, `expected at least ${min} item`);
    }
    return readEach(node.items, read, path, to);
  };
}

/**
 * A list of words. A text without brackets is reported, and still read as the list that was
 * meant, so that later checks see it.
 */
export function wordList<T>(read: Read<T>): Read<T[] | null> {
  const readList = list(read);
  return (node, path, to) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || node.value.trim() === '') {
      return readList(node, path, to);
    }
    const { value } = node;
    const hint = `write [${cut(value, 60)}]`;
    to.add('wrong_type', path, `expected a list, found ${describeNode(node)}; ${hint}`);
    const words = value.split(',').map((word) => ({ ...node, value: word.trim() }));
    return readEach(words, read, path, SILENT);
  };
}

const SILENT: Report = { add: () => {}, full: () => false };

export function readEach<T>(items: readonly Node[], read: Read<T>, path: Path, to: Report): T[] {
  const values: T[] = [];
  for (const [index, item] of items.entries()) {
    if (to.full()) break;
    values.push(read(item, [...path, index], to));
  }
  return values;
}

export interface Named<T> {
  readonly name: Located;
  readonly value: T;
}

/** A map whose keys are names chosen by the author; null if the node is not a map. */
export function namedValues<T>(read: Read<T>, min = 0): Read<Named<T>[] | null> {
  return (node, path, to) => {
    if (node.kind !== 'map') {
      const hint = min === 0 ? '; write {} for none' : '';
      to.add('wrong_type', path, `expected a map, found ${describeNode(node)}${hint}`);
      return null;
    }
    if (node.entries.length < min) {
      to.add('wrong_length', path, `expected at least ${min} entry`);
    }
    const named: Named<T>[] = [];
    for (const { key, value } of node.entries) {
      if (to.full()) break;
      const at = [...path, key];
      named.push({ name: { value: key, path: at, at: 'key' }, value: read(value, at, to) });
    }
    return named;
  };
}

type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** With its allowed keys, which a test compares with the reference. */
export type ClosedMap<F extends Fields> = Read<ValuesOf<F>> & { readonly keys: readonly string[] };

/** The messages of a format for problems of a map. */
export interface MapWording {
  noMap(node: Node, names: readonly string[]): string;
  missing(name: string): string;
  /** The key that `unknown` suggests instead, if any. */
  meant?(key: string, names: readonly string[]): string | null;
  /** Absent in a format that keeps unknown keys. */
  unknown?(key: string, names: readonly string[]): string;
}

const WORDING: MapWording = {
  noMap: (node, names) =>
    `expected a map with the keys ${nameList(names)}; found ${describeNode(node)}`,
  missing: (name) => `missing required key ${quote(name)}`,
  meant: nearest,
  unknown: (key, names) => unknownKey(key, names),
};

/** The default wording; `hints` says where keys that are not allowed here belong. */
export function withHints(hints: ReadonlyMap<string, string>): MapWording {
  const unknown = (key: string, names: readonly string[]) => unknownKey(key, names, hints.get(key));
  const meant = (key: string, names: readonly string[]) =>
    hints.has(key) ? null : nearest(key, names);
  return { ...WORDING, meant, unknown };
}

function unknownKey(key: string, names: readonly string[], hinted?: string): string {
  const unknown = `unknown key ${quote(key, 60)}`;
  const hint = key === '<<' ? 'merge keys are not part of YAML 1.2' : hinted;
  if (hint) return `${unknown}; ${hint}`;
  const meant = nearest(key, names);
  return meant
    ? `${unknown}; did you mean ${quote(meant)}?`
    : `${unknown}; allowed here: ${nameList(names, 30)}`;
}

const NO_NAMES: ReadonlySet<string | null> = new Set();
/** Finding the nearest key is slow. */
const MAX_MISSPELT = 20;

/** A map with a fixed set of keys, unless the wording has none for unknown ones. */
export function closedMap<F extends Fields>(
  fields: F,
  wording: MapWording = WORDING,
): ClosedMap<F> {
  const names = Object.keys(fields);
  const read: Read<ValuesOf<F>> = (node, path, to) => {
    const isMap = node.kind === 'map';
    if (!isMap) to.add('wrong_type', path, wording.noMap(node, names));
    const misspelt = isMap ? misspeltIn(node.entries) : NO_NAMES;
    const values = names.map((name) => {
      const { read, required, absent } = fields[name] as Field<unknown>;
      const entry = entryOf(node, name);
      if (entry) return [name, read(entry.value, [...path, name], to)];
      // A misspelt key is reported as such, not also as missing.
      if (isMap && required && !misspelt.has(name))
        to.add('missing_key', path, wording.missing(name));
      return [name, absent(path)];
    });
    if (isMap) reportUnknown(node.entries, path, to);
    return Object.fromEntries(values);
  };

  /** The keys that unknown keys were probably meant to be. */
  const misspeltIn = (entries: readonly { key: string }[]): ReadonlySet<string | null> => {
    const { meant } = wording;
    const keys = new Set(entries.map(({ key }) => key));
    const isMissing = names.some((name) => fields[name]?.required && !keys.has(name));
    if (!isMissing || meant === undefined) return NO_NAMES;
    const unknown = [...keys].filter((key) => !Object.hasOwn(fields, key));
    return new Set(unknown.slice(0, MAX_MISSPELT).map((key) => meant(key, names)));
  };

  const reportUnknown = (entries: readonly { key: string }[], path: Path, to: Report) => {
    if (wording.unknown === undefined) return;
    for (const { key } of entries) {
      if (Object.hasOwn(fields, key)) continue;
      // An issue that is only counted needs no message, and finding the nearest key is slow.
      const message = to.full() ? '' : wording.unknown(key, names);
      to.add('unknown_key', [...path, key], message, 'key');
    }
  };
  return Object.assign(read, { keys: names });
}
