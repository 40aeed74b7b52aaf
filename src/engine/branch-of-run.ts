// The git branch of an aborted run: if the run created it and it is still empty, it is removed,
// unless another run uses it now.

import type { Session } from '../core/session/state.ts';
import { removeEmptyBranch } from '../environment/git/branch.ts';
import type { Workspace } from './workspace.ts';

export async function removeUnusedBranch(
  { store, paths, settings }: Workspace,
  { branchName, branchFrom }: Session,
): Promise<void> {
  if (branchFrom === null || (await settings()).branch === 'off') return;
  const others = await store.active();
  if (others.some((session) => session.branchName === branchName)) return;
  // A branch that stays does no harm, and the run is aborted in any case.
  await removeEmptyBranch(paths.root, branchName, branchFrom).catch(() => {});
}
