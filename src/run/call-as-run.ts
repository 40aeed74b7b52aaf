// The context of calls that the runner makes itself: through the operations that agents use, with
// the identity of the run's agents.

import { stackOfRun } from '../core/session/ownership.ts';
import { readCaller } from '../core/team/caller.ts';
import type { CallContext } from '../engine/call-context.ts';
import type { Workspace } from '../engine/workspace.ts';

export function callAsRun(
  workspace: Workspace,
  { id, identity }: { readonly id: string; readonly identity: string },
  signal: AbortSignal = new AbortController().signal,
): CallContext {
  const caller = readCaller(identity);
  if (typeof caller === 'string') throw new Error(caller);
  return {
    workspace,
    owner: { identity: stackOfRun(id), agent: identity, process: workspace.processes.own() },
    caller,
    signal,
    progress: () => {},
    afterAnswer: (work) => void work(true).catch(() => {}),
  };
}
