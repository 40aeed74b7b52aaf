// The id of a project's workspace in a database, for folders without a remote `origin`:
// `.deepwork/workspace.id`. Each line is an id and the hash of the folder to which it belongs. A copy of
// the folder, or a clone that brings the file along, must not join the streams of the original: lines of
// other folders count for nothing, and a folder that has no line adds one.

import { hash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { refusedWith } from '../core/refusal.ts';
import { readSmallText } from '../files/read-contained.ts';
import { realPathOf } from '../files/real-path.ts';
import { syncFolder } from '../files/sync-folder.ts';
import type { Paths } from './paths.ts';

export interface ProjectFolders {
  readonly paths: Pick<Paths, 'root' | 'own'>;
  /** Called before anything is written under `.deepwork`; callers that only read omit it. */
  readonly prepare?: () => void;
}

const MAX_BYTES = 64 * 1024;
/** Never follows a link, never waits. */
const APPEND_SAFELY =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0);

/** Null if there is none, and none may be created. */
export function workspaceId({ paths, prepare }: ProjectFolders): string | null {
  const { own } = readIds(paths);
  if (own !== null || prepare === undefined) return own;
  prepare();
  const file = fileIn(paths);
  try {
    const handle = openSync(file, APPEND_SAFELY, 0o600);
    try {
      // Else it would grow with each call, because what is beyond the limit is never read.
      if (fstatSync(handle).size >= MAX_BYTES) throw new Error('it is larger than 64 KiB');
      writeSync(handle, `\n${randomBytes(16).toString('hex')} ${hashOf(paths.root)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    syncFolder(paths.own);
  } catch (error) {
    throw unusable(file, (error as Error).message);
  }
  // If several processes add one at once, all use the first one.
  const added = readIds(paths).own;
  if (added === null) throw unusable(file, 'what was written cannot be read');
  return added;
}

/** A sentence without its full stop; null if no id of another folder was passed over for this workspace. */
export function otherFolderWarning(
  paths: Pick<Paths, 'root' | 'own'>,
  workspace: string,
): string | null {
  const { own, hasOthers } = readIds(paths);
  // With another name the file is not read.
  if (!hasOthers || workspace !== (own ?? '')) return null;
  return '.deepwork/workspace.id has the id of another folder, as after copying or moving this one. It counts for nothing here: this folder has a workspace of its own. A person may go on with the journal of the other folder by setting `workspace` in .deepwork/config.yml to that id, or delete its line';
}

interface Ids {
  readonly own: string | null;
  readonly hasOthers: boolean;
}

function readIds(paths: Pick<Paths, 'root' | 'own'>): Ids {
  const text = readSmallText(fileIn(paths), MAX_BYTES) ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const here = hashOf(paths.root);
  const isOwn = (line: string) => LINE.exec(line)?.[2] === here;
  const [own = null] = lines.filter(isOwn);
  return { own: own?.slice(0, ID_LENGTH) ?? null, hasOthers: !lines.every(isOwn) };
}

const ID_LENGTH = 32;
const LINE = /^([0-9a-f]{32}) ([0-9a-f]{64})$/;

function fileIn({ own }: Pick<Paths, 'own'>): string {
  return path.join(own, 'workspace.id');
}

function hashOf(root: string): string {
  return hash('sha256', realPathOf(root), 'hex');
}

function unusable(file: string, why: string) {
  return refusedWith(
    'workspace_id_unusable',
    `The id of this project's workspace cannot be kept in ${file}: ${why}`,
    'ask your user to move that file away, or to set `workspace` in .deepwork/config.yml; then call again.',
  );
}
