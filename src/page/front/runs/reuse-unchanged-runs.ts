// Every answer of the server has new objects. Unchanged runs are replaced by the objects of the last
// answer, so that their rows are not rendered again.

import type { Run } from '../../../board/run.ts';

export function openRunSharing(): (runs: readonly Run[]) => readonly Run[] {
  let known = new Map<string, { readonly text: string; readonly run: Run }>();
  return (runs) => {
    const next = new Map<string, { readonly text: string; readonly run: Run }>();
    for (const run of runs) {
      const text = JSON.stringify(run);
      const before = known.get(run.session_id);
      next.set(run.session_id, before?.text === text ? before : { text, run });
    }
    known = next;
    return runs.map((run) => next.get(run.session_id)?.run ?? run);
  };
}
