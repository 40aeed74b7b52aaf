// What a new worktree is without, because it is not committed.

import { counted } from '../core/wording.ts';
import { findRepository } from '../environment/git/git-repository.ts';
import { uncommittedNames } from '../environment/git/work-tree-status.ts';
import { INCLUDE_FILE, isIncludedCopy } from './included-files.ts';

const MAX_MISSING = 5;

/** A warning about files of the main checkout that a new worktree is without; null: there are none. */
export async function missingInWorktree(root: string, place: string): Promise<string | null> {
  const found = await findRepository(root, 'HEAD');
  if (found.kind === 'unusable') return null;
  const missing = (await uncommittedNames(root, found.repository)).filter(
    (name) => !isReadFromMain(name) && !isIncludedCopy(root, place, name),
  );
  if (missing.length === 0) return null;
  const named = missing.slice(0, MAX_MISSING).join(', ');
  const rest = missing.length - MAX_MISSING;
  const more = rest > 0 ? ` and ${counted(rest, 'more file')}` : '';
  return `not committed, so not in the worktree: ${named}${more}`;
}

/** Jobs, settings and the team are those of the main checkout, whatever is committed. */
function isReadFromMain(name: string): boolean {
  return /^\.(?:deepwork|sgai)\//.test(name) || name === INCLUDE_FILE;
}
