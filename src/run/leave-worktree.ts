// The end of a run in its worktree: the worktree is removed if the run is over and nothing would be
// lost with it, and a person reads where the work is.

import path from 'node:path';
import { workOnBranch } from '../board/run-words.ts';
import type { RunStopped, StopReason, Worktree } from '../core/run/events.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { Workspace } from '../engine/workspace.ts';
import { acceptedOutputs } from './accepted-outputs.ts';
import { inspectWorktree } from './unsaved-work.ts';
import { changedInMain } from './work-tree-status.ts';
import { removeWorktree } from './worktree.ts';

type Left = Omit<RunStopped['data'], 'reason' | 'detail'>;

export async function leaveWorktree(
  main: Workspace,
  record: RunRecord,
  reason: StopReason,
): Promise<Left> {
  const changed = await changedInMain(main.paths.root, record.startedAt);
  const isOver = reason === 'complete' || reason === 'aborted';
  return {
    ...(changed !== null && { warnings: [changed] }),
    ...(isOver && (await removeIfSaved(main, record))),
  };
}

async function removeIfSaved(
  main: Workspace,
  { id, identity, worktree }: RunRecord,
): Promise<Left> {
  const { root } = main.paths;
  try {
    const accepted = await acceptedOutputs(main, id, identity);
    const holding = await inspectWorktree(root, worktree as Worktree, accepted);
    if (holding.kind === 'unsaved') return { worktree_kept: holding.why };
    const removal = await removeWorktree(root, worktree as Worktree, holding.copies);
    if (removal.kind === 'failed') return { worktree_kept: removal.why };
    const { branch } = removal;
    return { worktree_removed: true, ...(branch !== null && { branch }) };
  } catch (error) {
    // What cannot be inspected may hold work.
    return { worktree_kept: (error as Error).message };
  }
}

/** Null if the work is in the project itself, or there is none. */
export function whereWorkIs({ worktree, stop }: RunRecord): string | null {
  if (worktree === null) return stop?.branch === undefined ? null : workOnBranch(stop.branch);
  const place = `The work is in ${shortPath(worktree.path)} on branch ${worktree.branch}`;
  return stop?.kept === undefined ? place : `Kept: ${stop.kept}. ${place}`;
}

/** Relative to where the person is, if it is below. */
function shortPath(absolute: string): string {
  const relative = path.relative(process.cwd(), absolute);
  return relative.startsWith('..') ? absolute : relative;
}
