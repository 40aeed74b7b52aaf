// Follows a `.git` that is a file or a link. It can lead to any repository of the user, so that
// repository is used only if it names this folder as its work tree.

import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { realPathOrNull } from '../../files/real-path.ts';

export const MAX_POINTER_BYTES = 16 * 1024;

/** The repository behind a `.git` file, if it points back: a linked work tree or a submodule. */
export function ownerOf(gitDir: string, dotGit: string, workTree: string): string | null {
  const common = pointerIn(gitDir, 'commondir');
  if (common !== null) {
    const pointsBack = pointerIn(gitDir, 'gitdir') === dotGit;
    const isWorktree = path.dirname(gitDir) === path.join(common, 'worktrees');
    return pointsBack && isWorktree ? common : null;
  }
  const config = readSmallText(path.join(gitDir, 'config'), MAX_POINTER_BYTES) ?? '';
  const named = /^\s*worktree\s*=\s*"?([^"\n]*?)"?\s*$/m.exec(config)?.[1];
  return named !== undefined && realPathOrNull(path.resolve(gitDir, named)) === workTree
    ? gitDir
    : null;
}

/** The real path of the repository that a `.git` file names. */
export function targetOf(dotGit: string): string | null {
  const text = readSmallText(dotGit, MAX_POINTER_BYTES) ?? '';
  const [, named] = /^gitdir: (.*?)\s*$/.exec(text) ?? [];
  return named === undefined ? null : realPathOrNull(path.resolve(path.dirname(dotGit), named));
}

function pointerIn(gitDir: string, name: string): string | null {
  const text = readSmallText(path.join(gitDir, name), MAX_POINTER_BYTES)?.trim();
  return text ? realPathOrNull(path.resolve(gitDir, text)) : null;
}
