// Starts of which it is not known whether they were recorded, because the connection to the store
// was lost. The same call made again uses the same session id: if the first one was recorded after
// all, even later, there is still one session.

import type { Owner } from '../core/session/state.ts';
import { isOutcomeUnknown } from '../journal/postgres/unavailable.ts';
import type { Workspace } from './workspace.ts';

const MAX_KEPT = 1000;
const ofWorkspace = new WeakMap<Workspace, Map<string, string>>();

export interface UnsureStarts {
  /** The id that this very call was made with before; null if it was not. */
  readonly id: string | null;
  /** Runs a start, and notes its id if its outcome is unknown. */
  run<T>(id: string, start: () => Promise<T>): Promise<T>;
}

export function unsureStarts(workspace: Workspace, owner: Owner, call: unknown): UnsureStarts {
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
        if (isOutcomeUnknown(error)) ids.set(key, id);
        const [oldest] = ids.keys();
        if (ids.size > MAX_KEPT && oldest !== undefined) ids.delete(oldest);
        throw error;
      }
    },
  };
}
