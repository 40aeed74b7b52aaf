// A `.git` that is a file or a link can lead to any repository of the user. It counts only if that
// repository names this folder as its work tree.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';

export const POINTER_LIMIT = 16 * 1024;

/** The repository behind a `.git` file, if it points back: a linked work tree or a submodule. */
export function ownerOf(gitDir: string, dotGit: string, workTree: string): string | null {
  const common = pointerIn(gitDir, 'commondir');
  if (common !== null) {
    const leadsBack = pointerIn(gitDir, 'gitdir') === dotGit;
    const isWorktree = path.dirname(gitDir) === path.join(common, 'worktrees');
    return leadsBack && isWorktree ? common : null;
  }
  const config = readSmallText(path.join(gitDir, 'config'), POINTER_LIMIT) ?? '';
  const named = /^\s*worktree\s*=\s*"?([^"\n]*?)"?\s*$/m.exec(config)?.[1];
  return named !== undefined && realOrNull(path.resolve(gitDir, named)) === workTree
    ? gitDir
    : null;
}

/** Where a `.git` file says that the repository is, by its real path. */
export function targetOf(dotGit: string): string | null {
  const text = readSmallText(dotGit, POINTER_LIMIT) ?? '';
  const [, named] = /^gitdir: (.*?)\s*$/.exec(text) ?? [];
  return named === undefined ? null : realOrNull(path.resolve(path.dirname(dotGit), named));
}

function pointerIn(gitDir: string, name: string): string | null {
  const text = readSmallText(path.join(gitDir, name), POINTER_LIMIT)?.trim();
  return text ? realOrNull(path.resolve(gitDir, text)) : null;
}

function realOrNull(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}
