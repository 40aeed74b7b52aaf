// The git branch of a run: its name, and the ref itself. Git is a convenience here:
// whatever goes wrong with it is a warning and never stops the work.

import { checkOut, createRef, findRepository } from './git-repository.ts';

export type BranchMode = 'create' | 'checkout' | 'off';

/** `deepwork/<job>-<workflow>-<instance or date>`, made legal as a git ref. */
export function branchName(
  jobName: string,
  workflowName: string,
  instanceId: string | null,
  at: string,
): string {
  // A ref is a file name: whatever is longer would be cut anyway.
  const last = instanceId?.slice(0, 255) ?? at.slice(0, 10).replaceAll('-', '');
  const name = `${jobName.slice(0, 255)}-${workflowName.slice(0, 255)}-${last}`
    .replace(/[^\p{L}\p{N}._-]/gu, '-')
    .replace(/\.{2,}/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .replace(/\.lock$/i, '-lock');
  // Refs become file names: 255 bytes is the common limit, less `.lock`.
  return `deepwork/${cutToBytes(name, 240)}`;
}

/** Makes the ref at HEAD (or switches to it); answers with a warning if it could not. */
export async function prepareBranch(
  root: string,
  name: string,
  mode: BranchMode,
): Promise<string | null> {
  if (mode === 'off') return null;
  const trouble = await reachBranch(root, name, mode).catch((error: Error) => error.message);
  if (trouble === null) return null;
  return `Git branch '${name}' was not ${mode === 'create' ? 'created' : 'checked out'}: ${trouble}`;
}

async function reachBranch(
  root: string,
  name: string,
  mode: 'create' | 'checkout',
): Promise<string | null> {
  const ref = `refs/heads/${name}`;
  const found = await findRepository(root, ref);
  if (found.kind === 'unusable') return found.why;
  const { repository, refExists } = found;
  if (!refExists) {
    const made = await createRef(root, repository, ref);
    // Another start of the same run may have made it in this instant.
    if (!made.ok && !(await exists(root, ref))) return made.why;
  }
  if (mode === 'create') return null;
  const ran = await checkOut(root, repository, name);
  return ran.ok ? null : ran.why;
}

async function exists(root: string, ref: string): Promise<boolean> {
  const found = await findRepository(root, ref);
  return found.kind === 'found' && found.refExists;
}

function cutToBytes(text: string, limit: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > limit) cut = cut.slice(0, -1);
  return cut.replace(/[.-]+$/, '');
}
