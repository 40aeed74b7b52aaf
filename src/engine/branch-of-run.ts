// The git branch of a run that was given up: an empty one that the run made goes with it,
// unless another run uses it now.

import type { Session } from '../core/session/state.ts';
import { removeEmptyBranch } from '../environment/git/branch.ts';
import type { Workspace } from './workspace.ts';

export async function letGoOfBranch(
  { store, paths, settings }: Workspace,
  { branchName, branchFrom }: Session,
): Promise<void> {
  if (branchFrom === null || (await settings()).branch === 'off') return;
  const others = await store.active();
  if (others.some((session) => session.branchName === branchName)) return;
  // It does no harm where it stays; the work was given up in any case.
  await removeEmptyBranch(paths.root, branchName, branchFrom).catch(() => {});
}
