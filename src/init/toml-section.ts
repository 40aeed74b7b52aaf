// Adds a table of plain values at the end of a TOML file, and removes it again, as text, because no
// TOML writer keeps comments. A parser checks the file before and after.

import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import { isRecord } from '../core/is-record.ts';
import { insertAt, type SplicedText, untouched } from './spliced-text.ts';
import { BYTE_ORDER_MARK, textFormOf } from './text-form.ts';

export interface TomlTable {
  readonly path: readonly string[];
  readonly value: Readonly<Record<string, string | readonly string[]>>;
}

type Read = { readonly kind: 'read'; readonly root: unknown } | TomlProblem;

interface TomlProblem {
  readonly kind: 'problem';
  /** Completes a sentence that begins with the file's name. */
  readonly why: string;
}

export function readToml(text: string): Read {
  try {
    return {
      kind: 'read',
      root: plain(parse(text.replace(BYTE_ORDER_MARK, ''), { integersAsBigInt: true })),
    };
  } catch (error) {
    if (!(error instanceof TomlError)) return { kind: 'problem', why: 'is not valid TOML' };
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    const place = `line ${error.line}, column ${error.column}`;
    return { kind: 'problem', why: `is not valid TOML (${place}: ${what})` };
  }
}

/** The table in a parsed file, or undefined. */
export function tableIn(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    root,
  );
}

/** The lines of the table, without the blank line before it. */
function renderTable({ path, value }: TomlTable, eol: string): string {
  const lines = Object.entries(value).map(([key, each]) => {
    const list = Array.isArray(each) ? `[${each.map(quoted).join(', ')}]` : quoted(each as string);
    return `${key} = ${list}`;
  });
  return [`[${path.join('.')}]`, ...lines, ''].join(eol);
}

/** JSON strings are valid TOML strings, except for one character. */
const quoted = (text: string) => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

/** The file must be valid and not contain the table. */
export function addTable(text: string, table: TomlTable): SplicedText | TomlProblem {
  const { eol } = textFormOf(text);
  const before = readToml(text);
  if (before.kind === 'problem') return before;
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  const added = insertAt(untouched(text), text.length, gap + renderTable(table, eol));
  const after = readToml(added.text);
  const isRight =
    after.kind === 'read' &&
    isDeepStrictEqual(tableIn(after.root, table.path), plain(table.value)) &&
    isDeepStrictEqual(without(after.root, table.path), without(before.root, table.path));
  if (isRight) return added;
  return { kind: 'problem', why: `cannot take a table [${table.path.join('.')}] at its end` };
}

/** Removes the table's own lines from a file that was edited; null if they are not there. */
export function removeTable(text: string, table: TomlTable): string | null {
  const { eol } = textFormOf(text);
  const block = renderTable(table, eol);
  const whole = text.endsWith(eol) ? text : text + eol;
  const found = whole.startsWith(block) ? 0 : whole.indexOf(eol + block);
  if (found === -1) return null;
  const at = found === 0 ? 0 : found + eol.length;
  const before = readToml(text);
  const isSeparated = whole.slice(0, at).endsWith(eol + eol);
  const cut = whole.slice(0, isSeparated ? at - eol.length : at) + whole.slice(at + block.length);
  const after = readToml(cut);
  const isRight =
    before.kind === 'read' &&
    after.kind === 'read' &&
    tableIn(after.root, table.path) === undefined &&
    isDeepStrictEqual(without(after.root, table.path), without(before.root, table.path));
  return isRight ? cut : null;
}

/** A copy without the table, and without parent tables that are empty then. */
function without(root: unknown, [key, ...rest]: readonly string[]): unknown {
  if (!isRecord(root) || key === undefined || !Object.hasOwn(root, key)) return root;
  const { [key]: inner, ...others } = root;
  const left = rest.length === 0 ? {} : without(inner, rest);
  return isRecord(left) && Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}

/** Dates and numbers as text, for comparing. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each)),
  );
}
