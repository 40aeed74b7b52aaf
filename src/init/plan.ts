// Plans what init or its undo changes in a project, from the existing files. Only `write-plan.ts`
// writes.

import path from 'node:path';
import { planFile } from './plan-file.ts';
import type { ProjectFiles } from './project-files.ts';
import {
  type FileRecord,
  type InitRecord,
  NO_RECORD,
  RECORD_PATH,
  readRecord,
  renderRecord,
} from './record.ts';
import { undoFile } from './undo-file.ts';
import type { Wanted } from './wanted.ts';

export interface Change {
  readonly path: string;
  /** The heading under which it is shown. */
  readonly group: string;
  /** A file that is entirely deepwork's own, of which only the beginning is shown. */
  readonly isOwn: boolean;
  /** Null: there is no such file. */
  readonly before: string | null;
  /** Null: the file is removed. */
  readonly after: string | null;
}

export interface PlanNote {
  /** `left`: a file that could not be set up. `kept`: something that is not ours and stays. */
  readonly kind: 'left' | 'kept';
  readonly path: string;
  /** Completes a sentence that begins with the path. */
  readonly text: string;
}

export interface Plan {
  /** In the order in which they are shown. The record comes last, and is written first. */
  readonly changes: readonly Change[];
  readonly notes: readonly PlanNote[];
  /** Folders to create, outermost first. */
  readonly makeFolders: readonly string[];
  /** Folders to remove if they are empty afterwards, innermost first. */
  readonly removeFolders: readonly string[];
}

const OWN_GROUP = 'deepwork';

/** `broken`: there is a record that cannot be used. */
export function recordIn(files: ProjectFiles): InitRecord | 'broken' {
  const found = files.read(RECORD_PATH);
  if (found.kind === 'absent') return NO_RECORD;
  return found.kind === 'text' ? (readRecord(found.text) ?? 'broken') : 'broken';
}

export function planInit(files: ProjectFiles, wanted: readonly Wanted[], record: InitRecord): Plan {
  const changes: Change[] = [];
  const notes: PlanNote[] = [];
  const records: Record<string, FileRecord> = { ...record.files };
  for (const file of wanted) {
    const found = files.read(file.path);
    const plan = planFile(file, found, record.files[file.path]);
    if (plan.kind === 'left') {
      notes.push({ kind: 'left', path: file.path, text: plan.why });
      continue;
    }
    if (plan.kept !== null) notes.push({ kind: 'kept', path: file.path, text: plan.kept });
    if (plan.kind === 'unchanged') continue;
    const before = found.kind === 'text' ? found.text : null;
    const { path: at, group } = file;
    const isOwn = file.kind === 'whole';
    changes.push({ path: at, group, isOwn, before, after: plan.text });
    records[file.path] = plan.record;
  }
  if (changes.length === 0) return { changes, notes, makeFolders: [], removeFolders: [] };
  const makeFolders = missingFolders(files, [...changes.map((change) => change.path), RECORD_PATH]);
  const folders = [...new Set([...record.folders, ...makeFolders])];
  changes.push(recordChange(files, renderRecord({ folders, files: records })));
  return { changes, notes, makeFolders, removeFolders: [] };
}

export function planUndo(files: ProjectFiles, record: InitRecord): Plan {
  const undone: Change[] = [];
  const notes: PlanNote[] = [];
  for (const [file, written] of Object.entries(record.files)) {
    const found = files.read(file);
    if (found.kind === 'absent') continue;
    if (found.kind === 'problem') {
      notes.push({ kind: 'kept', path: file, text: found.why });
      continue;
    }
    const { text, left } = undoFile(found.text, written);
    if (left !== null) notes.push({ kind: 'kept', path: file, text: left });
    if (text !== found.text) {
      const isOwn = written.kind === 'whole';
      undone.push({ path: file, group: OWN_GROUP, isOwn, before: found.text, after: text });
    }
  }
  // A job needs all of its files.
  const editedJobs = new Set(notes.map(({ path: file }) => jobFolderOf(file)));
  const keptJobOf = (file: string) => {
    const folder = jobFolderOf(file);
    return folder !== null && editedJobs.has(folder) ? [folder] : [];
  };
  for (const folder of new Set(undone.flatMap(({ path: file }) => keptJobOf(file)))) {
    notes.push({ kind: 'kept', path: folder, text: 'stays with all of its files' });
  }
  const changes = undone.filter(({ path: file }) => keptJobOf(file).length === 0);
  changes.push(recordChange(files, null));
  const removeFolders = [...record.folders].sort((a, b) => depthOf(b) - depthOf(a));
  return { changes, notes, makeFolders: [], removeFolders };
}

/** The folder of the job that a file belongs to; null if it belongs to none. */
function jobFolderOf(file: string): string | null {
  return /^\.deepwork\/jobs\/[^/]+(?=\/)/.exec(file)?.[0] ?? null;
}

function recordChange(files: ProjectFiles, after: string | null): Change {
  const found = files.read(RECORD_PATH);
  const before = found.kind === 'text' ? found.text : null;
  return { path: RECORD_PATH, group: OWN_GROUP, isOwn: true, before, after };
}

function missingFolders(files: ProjectFiles, paths: readonly string[]): string[] {
  const above = (file: string): string[] => {
    const folder = path.posix.dirname(file);
    return folder === '.' ? [] : [...above(folder), folder];
  };
  const folders = new Set(paths.flatMap(above));
  return [...folders]
    .filter((folder) => !files.exists(folder))
    .sort((a, b) => depthOf(a) - depthOf(b));
}

const depthOf = (folder: string) => folder.split('/').length;
