// Where the outputs of a session are. A session that is nested in an unattended run has no record of
// its own: it works in the worktree of the run that it belongs to.

import type { RunRecord } from './record.ts';

export interface WorkFolderFacts {
  runOf(session: string): Promise<Pick<RunRecord, 'worktree'> | null>;
  parentOf(session: string): Promise<string | null>;
}

/** Null: in the project itself. */
export async function worktreeOf(
  session: string,
  { runOf, parentOf }: WorkFolderFacts,
): Promise<string | null> {
  // A damaged journal may name a cycle.
  const seen = new Set<string>();
  for (let at: string | null = session; at !== null && !seen.has(at); at = await parentOf(at)) {
    const worktree = (await runOf(at))?.worktree ?? null;
    if (worktree !== null) return worktree.path;
    seen.add(at);
  }
  return null;
}
