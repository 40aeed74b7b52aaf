// Starts that may or may not have been recorded, because the connection or the disk failed. If
// the same call is made again, it uses the same session id. So there is only one session, even if
// the first start turns out to have been recorded.

import { isUncertain } from '../core/refusal.ts';
import type { Owner } from '../core/session/state.ts';
import type { Workspace } from './workspace.ts';

const MAX_KEPT = 1000;
const ofWorkspace = new WeakMap<Workspace, Map<string, string>>();

export interface UncertainStarts {
  /** The id that the same call used before; null if there was none. */
  readonly id: string | null;
  /** Runs a start, and notes its id if its outcome is unknown. */
  run<T>(id: string, start: () => Promise<T>): Promise<T>;
}

export function uncertainStarts(
  workspace: Workspace,
  owner: Owner,
  call: unknown,
): UncertainStarts {
  const ids = ofWorkspace.get(workspace) ?? new Map<string, string>();
  ofWorkspace.set(workspace, ids);
  const key = JSON.stringify([owner.identity, call]);
  return {
    id: ids.get(key) ?? null,
    async run(id, start) {
      try {
        const started = await start();
        ids.delete(key);
        return started;
      } catch (error) {
        if (isUncertain(error)) ids.set(key, id);
        const [oldest] = ids.keys();
        if (ids.size > MAX_KEPT && oldest !== undefined) ids.delete(oldest);
        throw error;
      }
    },
  };
}
