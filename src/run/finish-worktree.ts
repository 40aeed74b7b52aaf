// What becomes of a run's worktree when the run stops: it is removed if the run is over and nothing
// would be lost with it. Also says, for a person, where the work is.

import { existsSync } from 'node:fs';
import { workOnBranch } from '../board/run-words.ts';
import type { RunStopped, StopReason, Worktree } from '../core/run/events.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { Workspace } from '../engine/workspace.ts';
import { changedInMain } from '../environment/git/work-tree-status.ts';
import { pathInside } from '../files/inside.ts';
import { acceptedOutputs } from './accepted-outputs.ts';
import { inspectWorktree } from './unsaved-work.ts';
import { removeBranchWithoutCommits, removeWorktree } from './worktree.ts';

type Left = Omit<RunStopped['data'], 'reason' | 'detail'>;

export async function finishWorktree(
  main: Workspace,
  record: RunRecord,
  reason: StopReason,
): Promise<Left> {
  const { root } = main.paths;
  const worktree = record.worktree as Worktree;
  const changed = await changedInMain(root, record.startedAt);
  const isOver = reason === 'complete' || reason === 'aborted';
  // A runner before may have been killed after it removed the worktree.
  const isGone = isOver && !existsSync(worktree.path);
  const warnings = [...(changed === null ? [] : [changed]), ...(isGone ? [GONE] : [])];
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(isGone && removed(await removeBranchWithoutCommits(root, worktree))),
    ...(isOver && !isGone && (await removeIfSaved(main, record))),
  };
}

const GONE = 'the worktree was removed before the end of the run was recorded';

function removed(branch: string | null): Left {
  return { worktree_removed: true, ...(branch !== null && { branch }) };
}

async function removeIfSaved(main: Workspace, run: RunRecord): Promise<Left> {
  const { root } = main.paths;
  const { worktree } = run;
  try {
    const accepted = await acceptedOutputs(main, run);
    const holding = await inspectWorktree(root, worktree as Worktree, accepted);
    if (holding.kind === 'unsaved') return { worktree_kept: holding.why };
    const removal = await removeWorktree(root, worktree as Worktree, holding.copies);
    if (removal.kind === 'failed') return { worktree_kept: removal.why };
    return removed(removal.branch);
  } catch (error) {
    // What cannot be inspected may hold work.
    return { worktree_kept: (error as Error).message };
  }
}

/** Null if the work is in the project itself, or there is none. */
export function whereWorkIs({ worktree, stop }: RunRecord, cwd: string): string | null {
  if (worktree === null) return stop?.branch === undefined ? null : workOnBranch(stop.branch);
  const place = `The work is in ${shortPath(worktree.path, cwd)} on branch ${worktree.branch}`;
  return stop?.kept === undefined ? place : `Kept: ${stop.kept}. ${place}`;
}

/** Relative to where the person is, if it is below. */
function shortPath(absolute: string, cwd: string): string {
  const inside = pathInside(cwd, absolute);
  return inside === null ? absolute : inside || '.';
}
