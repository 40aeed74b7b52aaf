// Writes a plan completely or not at all. Every file is first written under a temporary name beside
// its target; if that succeeds, files are renamed into place, the record first, so that what a crash
// leaves half done can be undone.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Refused, refusedWith } from '../core/refusal.ts';
import { linkProblem } from '../files/folder-links.ts';
import { describeSystemError, errorCode } from '../files/system-errors.ts';
import type { Change, Plan } from './plan.ts';
import type { ProjectFiles } from './project-files.ts';
import { RECORD_PATH } from './record.ts';

export interface Written {
  /** Folders that init created and that are not empty now. */
  readonly keptFolders: readonly string[];
}

interface Staged {
  readonly change: Change;
  readonly target: string;
  /** Null: the target is removed. */
  readonly temporary: string | null;
}

export function writePlan(files: ProjectFiles, plan: Plan): Written {
  for (const change of plan.changes) requireUnchanged(files, change);
  const made: string[] = [];
  const staged: Staged[] = [];
  try {
    for (const folder of plan.makeFolders) {
      mkdirSync(path.join(files.root, folder));
      made.push(path.join(files.root, folder));
    }
    for (const change of plan.changes) staged.push(stage(files, change));
  } catch (error) {
    discard(staged, made);
    throw cannotWrite(error, files.root);
  }
  putInPlace(files, staged, made);
  return { keptFolders: plan.removeFolders.filter((folder) => !isRemoved(files, folder)) };
}

/** Refuses to change a file that is no longer what the person was shown. */
function requireUnchanged(files: ProjectFiles, { path: file, before }: Change): void {
  const now = files.read(file);
  const text = now.kind === 'text' ? now.text : null;
  if (now.kind !== 'problem' && text === before) return;
  throw refusedWith(
    'changed_meanwhile',
    `${file} has changed meanwhile; nothing was written`,
    'run it again.',
  );
}

function stage(files: ProjectFiles, change: Change): Staged {
  const named = path.join(files.root, change.path);
  // A link inside the project stays a link; its target is changed.
  const target = change.before === null ? named : realpathSync.native(named);
  if (change.after === null) {
    requireWritable(path.dirname(target));
    return { change, target: named, temporary: null };
  }
  const temporary = path.join(path.dirname(target), `.${randomBytes(6).toString('hex')}-1.tmp`);
  const mode = change.before === null ? null : statSync(target).mode & 0o777;
  const handle = openSync(temporary, 'wx', 0o666);
  try {
    if (mode !== null) fchmodSync(handle, mode);
    writeFileSync(handle, change.after);
    fsyncSync(handle);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return { change, target, temporary };
}

/** Tries it, because permissions do not tell: root ignores them, and a disk may be read-only. */
function requireWritable(folder: string): void {
  const probe = path.join(folder, `.${randomBytes(6).toString('hex')}-1.tmp`);
  closeSync(openSync(probe, 'wx', 0o600));
  rmSync(probe);
}

function putInPlace(files: ProjectFiles, staged: readonly Staged[], made: readonly string[]): void {
  const isRecord = ({ change }: Staged) => change.path === RECORD_PATH;
  const isRemoval = staged.some((each) => isRecord(each) && each.temporary === null);
  const record = staged.filter(isRecord);
  const others = staged.filter((each) => !isRecord(each));
  // The record has to exist as long as there is something to undo.
  const order = isRemoval ? [...others, ...record] : [...record, ...others];
  const done: Staged[] = [];
  try {
    for (const each of order) {
      requireUnchanged(files, each.change);
      if (each.temporary === null) rmSync(each.target, { force: true });
      else renameSync(each.temporary, each.target);
      done.push(each);
    }
  } catch (error) {
    discard(order.slice(done.length), done.length === 0 ? made : []);
    if (done.length === 0) throw cannotWrite(error, files.root);
    const names = done.map(({ change }) => change.path).join(', ');
    const why = error instanceof Refused ? error.message.split(';')[0] : describeSystemError(error);
    throw refusedWith(
      'partly_written',
      `not everything could be written (${why}); done: ${names}`,
      'deepwork init --undo removes that again; or run the same command once more.',
    );
  }
}

function discard(staged: readonly Staged[], made: readonly string[]): void {
  for (const { temporary } of staged) if (temporary !== null) rmSync(temporary, { force: true });
  for (const folder of [...made].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // Something that is not ours is in it.
    }
  }
}

function cannotWrite(error: unknown, root: string): unknown {
  if (error instanceof Refused || errorCode(error) === '') return error;
  const code = errorCode(error);
  const why =
    code === 'EROFS'
      ? 'the disk is read-only'
      : code === 'ENOSPC'
        ? 'the disk is full'
        : describeSystemError(error);
  const where = (error as NodeJS.ErrnoException).path ?? root;
  return refusedWith(
    'cannot_write',
    `nothing was written: ${path.relative(root, path.dirname(where)) || root} cannot be written to (${why})`,
    'make the project writable for you and run it again; --dry-run shows what would be written.',
  );
}

function isRemoved(files: ProjectFiles, folder: string): boolean {
  if (!files.exists(folder)) return true;
  if (linkProblem(files.root, path.join(files.root, folder)) !== null) return false;
  try {
    rmdirSync(path.join(files.root, folder));
    return true;
  } catch {
    return false;
  }
}
