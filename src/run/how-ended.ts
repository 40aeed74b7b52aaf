// How a run that cannot be resumed has ended. What became of its session counts more than why the
// runner stopped: after a budget was used up, a person may have aborted the run.

import { abortedBy } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { Workspace } from '../engine/workspace.ts';

export async function howEnded(
  { store }: Pick<Workspace, 'store'>,
  { id, kind, stop }: Pick<RunRecord, 'id' | 'kind' | 'stop'>,
): Promise<string> {
  const session = kind === 'team' ? null : await store.load(id).catch(() => null);
  if (session?.status === 'aborted') {
    return abortedBy(session.abortedBy ?? 'its agent', session.abortReason ?? '');
  }
  if (session?.status === 'completed') return 'complete';
  if (stop?.reason === 'aborted') return stop.detail;
  return stop?.reason ?? 'its session is over';
}
