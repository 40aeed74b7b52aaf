// Takes out of a file what init put in. A file that was not edited since becomes what it was, byte
// for byte; from an edited one only unchanged entries are removed.

import { isEmptyObject, type JsonEntry, removeEntries } from './json-entries.ts';
import { readJsonText } from './json-nodes.ts';
import { type FileRecord, hashOf } from './record.ts';
import { withoutRanges } from './spliced-text.ts';
import { readToml, removeTable, tableIn } from './toml-section.ts';

export interface UndoneFile {
  /** Null: the file is removed. */
  readonly text: string | null;
  /** A note about what stays although init put it in, and why; null if nothing does. */
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

/** The file's text as it would be without init. */
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
