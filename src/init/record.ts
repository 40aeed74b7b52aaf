// `.deepwork/init.json`: what init has put into a project, so that `--undo` takes out exactly that.
// It is committed with the files that it is about. A cloned repository can contain any text there, so
// only paths that init writes to are accepted.

import { createHash } from 'node:crypto';
import { isRecord, jsonObjectIn } from '../core/is-record.ts';
import type { JsonEntry } from './json-entries.ts';
import { renderInline } from './json-render.ts';
import type { InsertedRange } from './spliced-text.ts';
import type { TomlTable } from './toml-section.ts';

export const RECORD_PATH = '.deepwork/init.json';

interface EditRecord {
  /** False: the file existed before. */
  readonly created: boolean;
  /** The hash of the file as init left it. */
  readonly sha256: string;
  readonly inserted: readonly InsertedRange[];
}

export interface JsonRecord extends EditRecord {
  readonly kind: 'json';
  readonly entries: readonly JsonEntry[];
  readonly containers: readonly (readonly string[])[];
}

export interface TomlRecord extends EditRecord {
  readonly kind: 'toml';
  readonly table: TomlTable;
}

export interface WholeRecord {
  readonly kind: 'whole';
  readonly sha256: string;
}

export type FileRecord = JsonRecord | TomlRecord | WholeRecord;

export interface InitRecord {
  /** Folders that init created, below the project. */
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, FileRecord>>;
}

export const NO_RECORD: InitRecord = { folders: [], files: {} };

const ABOUT =
  'Written by `deepwork init`; `deepwork init --undo` reads it. Commit it with the rest.';
const VERSION = 1;

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function renderRecord({ folders, files }: InitRecord): string {
  // One line for each file, so that a diff shows which file changed.
  const lines = Object.entries(files).map(
    ([file, record]) => `    ${JSON.stringify(file)}: ${renderInline(record)}`,
  );
  return `{
  "about": ${JSON.stringify(ABOUT)},
  "version": ${VERSION},
  "folders": ${renderInline(folders)},
  "files": {
${lines.join(',\n')}
  }
}
`;
}

/** Null if it is not a valid record. */
export function readRecord(text: string): InitRecord | null {
  const value = jsonObjectIn(text);
  if (value?.version !== VERSION) return null;
  const { folders, files } = value;
  if (!Array.isArray(folders) || !folders.every(isOwnPath) || !isRecord(files)) return null;
  if (!Object.keys(files).every(isOwnPath) || !Object.values(files).every(isFileRecord))
    return null;
  return { folders, files: files as Record<string, FileRecord> };
}

/** The paths that init writes to, and no others. */
const OWN_PATHS =
  /^(?:\.mcp\.json|opencode\.jsonc?|\.deepwork(?:\/config\.yml|\/jobs(?:\/[a-z0-9_]+(?:\/[a-z0-9_]+(?:\/[a-z0-9_]+)?(?:\.(?:md|yml))?)?)?)?|\.claude(?:\/settings\.json)?|\.codex(?:\/config\.toml|\/hooks\.json)?|\.gemini(?:\/settings\.json)?|\.cursor(?:\/mcp\.json)?|\.vscode(?:\/mcp\.json)?|\.opencode(?:\/plugins(?:\/deepwork\.js)?)?)$/;

function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && OWN_PATHS.test(value);
}

function isFileRecord(value: unknown): value is FileRecord {
  if (!isRecord(value) || typeof value.sha256 !== 'string') return false;
  if (value.kind === 'whole') return true;
  if (typeof value.created !== 'boolean' || !isListOf(value.inserted, isRange)) return false;
  if (value.kind === 'toml') {
    const { table } = value;
    return isRecord(table) && isListOf(table.path, isText) && isRecord(table.value);
  }
  if (value.kind !== 'json') return false;
  const isKeys = (path: unknown) => isListOf(path, isText) && (path as string[]).length > 0;
  const isEntry = (entry: unknown) =>
    isRecord(entry) && isKeys(entry.path) && (entry.mark === undefined || isText(entry.mark));
  return isListOf(value.entries, isEntry) && isListOf(value.containers, isKeys);
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}
