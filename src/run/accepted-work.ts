// Whether anything was accepted in the sessions of a run since a given moment: a step, a member, an
// item of a `for_each`, a pass of a loop. A person's decision does not count, nor does going back; and
// what was accepted counts even if the work went back afterwards.

import type { SessionEvent } from '../core/session/events.ts';
import { stackOf } from '../core/session/stack.ts';
import type { Owner } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { Workspace } from '../engine/workspace.ts';
import type { WorkMark } from './work.ts';

/** `owner` owns the run's sessions and no others. */
export async function markAccepted(
  { store, journal }: Workspace,
  sessionId: string,
  owner: Owner,
): Promise<WorkMark> {
  /** The run's own session, and those that are or were nested in it. */
  async function ids(): Promise<ReadonlySet<string>> {
    const nested = stackOf(await store.active(), owner.identity).map(({ id }) => id);
    return new Set([sessionId, ...nested, ...(await store.endedFor(owner))]);
  }

  async function lastSeq(id: string): Promise<number> {
    return (await store.load(id).catch(() => null))?.seq ?? 0;
  }

  async function hasAccepted(id: string, after: number): Promise<boolean> {
    for await (const stored of journal.read(SESSION_STREAMS + id, after)) {
      // The journal keeps what the engine wrote.
      const event = stored as unknown as SessionEvent;
      if (event.type === 'judged' && event.data.accepted.length > 0) return true;
    }
    return false;
  }

  const before = new Map<string, number>();
  for (const id of await ids()) before.set(id, await lastSeq(id));
  return {
    async hasAdvanced() {
      for (const id of new Set([...before.keys(), ...(await ids())])) {
        if (await hasAccepted(id, before.get(id) ?? 0)) return true;
      }
      return false;
    },
  };
}
