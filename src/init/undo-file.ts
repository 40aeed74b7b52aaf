// Takes out of a file what init put in. A file that has not been touched since becomes what it
// was, byte for byte; in an edited one only what still is as it was put in goes.

import { isEmptyObject, type JsonEntry, removeEntries } from './json-entries.ts';
import { readJsonText } from './json-text.ts';
import { type FileRecord, hashOf } from './record.ts';
import { withoutRanges } from './spliced-text.ts';
import { readToml, removeTable, tableIn } from './toml-section.ts';

export interface UndoneFile {
  /** Null: the file goes. */
  readonly text: string | null;
  /** What stays though init put it in, and why, in words; null if nothing does. */
  readonly left: string | null;
}

export function undoFile(text: string, record: FileRecord): UndoneFile {
  if (hashOf(text) === record.sha256) {
    if (record.kind === 'whole' || record.created) return { text: null, left: null };
    const original = withoutRanges(text, record.inserted);
    if (original !== null) return { text: original, left: null };
  }
  if (record.kind === 'whole') return { text, left: 'was edited since; it stays' };
  return record.kind === 'toml' ? undoToml(text, record) : undoJson(text, record);
}

/** What the file would be without init, to put something else in. */
export function undoneText(text: string, record: FileRecord | undefined): string {
  return record === undefined ? text : (undoFile(text, record).text ?? '');
}

function undoJson(text: string, record: FileRecord & { readonly kind: 'json' }): UndoneFile {
  const read = readJsonText(text.replace(/^\ufeff/, ''));
  if (read.kind === 'problem') return { text, left: `${read.why}; it stays as it is` };
  const { text: rest, edited } = removeEntries(text, record.entries, record.containers);
  const left = edited.length === 0 ? null : `keeps ${names(edited)}, edited since`;
  return { text: record.created && isEmptyObject(rest) ? null : rest, left };
}

function names(entries: readonly JsonEntry[]): string {
  return entries.map(({ path }) => path.join('.')).join(', ');
}

function undoToml(text: string, record: FileRecord & { readonly kind: 'toml' }): UndoneFile {
  const { path } = record.table;
  const read = readToml(text);
  if (read.kind === 'problem') return { text, left: `${read.why}; it stays as it is` };
  if (tableIn(read.root, path) === undefined) return { text, left: null };
  const rest = removeTable(text, record.table);
  if (rest === null) return { text, left: `keeps ${path.join('.')}, edited since` };
  return { text: record.created && rest.trim() === '' ? null : rest, left: null };
}
