// What init changes in one file, decided from its text and from what init wrote there before.
// Nothing else is changed: a key that exists with another value stays.

import { isDeepStrictEqual } from 'node:util';
import { addEntries, entryStateOf, type JsonEntry } from './json-entries.ts';
import { readJsonText } from './json-nodes.ts';
import type { ProjectFile } from './project-files.ts';
import { type FileRecord, hashOf, type JsonRecord, type TomlRecord } from './record.ts';
import { addTable, readToml, tableIn } from './toml-section.ts';
import { undoneText } from './undo-file.ts';
import type { Wanted, WantedJson, WantedToml, WantedWhole } from './wanted.ts';

export type FilePlan =
  | {
      readonly kind: 'write';
      readonly text: string;
      readonly record: FileRecord;
      readonly kept: Kept;
    }
  | { readonly kind: 'unchanged'; readonly kept: Kept }
  /** `why` completes a sentence that begins with the file's name. */
  | { readonly kind: 'left'; readonly why: string };

/** A note about what exists already and is not ours; null if there is nothing. */
type Kept = string | null;

export function planFile(
  wanted: Wanted,
  found: ProjectFile,
  record: FileRecord | undefined,
): FilePlan {
  if (found.kind === 'problem') return { kind: 'left', why: found.why };
  const text = found.kind === 'text' ? found.text : null;
  switch (wanted.kind) {
    case 'json':
      return planJson(wanted, text, record?.kind === 'json' ? record : undefined);
    case 'toml':
      return planToml(wanted, text, record?.kind === 'toml' ? record : undefined);
    case 'whole':
      return planWhole(wanted, text, record);
  }
}

function planJson(
  wanted: WantedJson,
  text: string | null,
  record: JsonRecord | undefined,
): FilePlan {
  const current = text ?? '';
  const read = readJsonText(current.replace(/^\ufeff/, ''));
  if (read.kind === 'problem') return { kind: 'left', why: read.why };
  const base = text === null ? '' : undoneText(current, record);
  const created = isAllOurs(text, base, record);
  const before = record?.entries ?? [];
  const fresh = [...(created ? (wanted.whenNew ?? []) : []), ...wanted.entries];
  const entries = [
    ...fresh,
    ...before.filter((old) => !fresh.some((entry) => isSamePlace(old, entry))),
  ];
  const isOurs = (entry: JsonEntry) =>
    before.some((old) => isSamePlace(old, entry) && entryStateOf(current, old) === 'unchanged');
  const foreign = entries.filter(
    (entry) => entryStateOf(current, entry) === 'different' && !isOurs(entry),
  );
  const kept =
    foreign.length === 0 ? null : staysAsItIs(foreign.map(({ path }) => path.join('.')).join(', '));
  const isDone = entries.every(
    (entry) => foreign.includes(entry) || entryStateOf(current, entry) === 'unchanged',
  );
  if (isDone) return { kind: 'unchanged', kept };
  const added = addEntries(base, entries);
  if (added.kind === 'problem') return { kind: 'left', why: added.why };
  const { spliced, containers } = added;
  const stillEdited = before.filter((old) => entryStateOf(base, old) === 'different');
  return {
    kind: 'write',
    text: spliced.text,
    kept,
    record: {
      kind: 'json',
      created,
      sha256: hashOf(spliced.text),
      inserted: spliced.inserted,
      entries: [...stillEdited, ...added.entries],
      containers,
    },
  };
}

/** Undo then removes the file: init creates it, or created it and nothing else was added since. */
function isAllOurs(
  text: string | null,
  base: string,
  record: JsonRecord | TomlRecord | undefined,
): boolean {
  return text === null || (record?.created === true && base === '');
}

function isSamePlace(a: JsonEntry, b: JsonEntry): boolean {
  return a.mark === b.mark && isDeepStrictEqual(a.path, b.path);
}

function planToml(
  { table }: WantedToml,
  text: string | null,
  record: TomlRecord | undefined,
): FilePlan {
  const current = text ?? '';
  const read = readToml(current);
  if (read.kind === 'problem') return { kind: 'left', why: read.why };
  const there = tableIn(read.root, table.path);
  if (isDeepStrictEqual(there, table.value)) return { kind: 'unchanged', kept: null };
  const isOurs = record !== undefined && isDeepStrictEqual(there, record.table.value);
  if (there !== undefined && !isOurs) {
    return { kind: 'unchanged', kept: staysAsItIs(table.path.join('.')) };
  }
  const base = text === null ? '' : undoneText(current, record);
  const added = addTable(base, table);
  if ('why' in added) return { kind: 'left', why: added.why };
  const created = isAllOurs(text, base, record);
  const { text: after, inserted } = added;
  return {
    kind: 'write',
    text: after,
    kept: null,
    record: { kind: 'toml', created, sha256: hashOf(after), inserted, table },
  };
}

function planWhole(
  wanted: WantedWhole,
  text: string | null,
  record: FileRecord | undefined,
): FilePlan {
  if (text === wanted.text) return { kind: 'unchanged', kept: null };
  if (text !== null && hashOf(text) !== record?.sha256) return { kind: 'unchanged', kept: null };
  const sha256 = hashOf(wanted.text);
  return { kind: 'write', text: wanted.text, kept: null, record: { kind: 'whole', sha256 } };
}

function staysAsItIs(what: string): string {
  return `has another ${what} already, which stays as it is`;
}
