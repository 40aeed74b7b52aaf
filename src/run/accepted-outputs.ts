// The files that the sessions of a run have handed in and that were accepted, with the content that
// was accepted last. Nested sessions count, however they were started: they have the run's identity.

import type { SessionEvent, Started } from '../core/session/events.ts';
import { stackOf } from '../core/session/stack.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { Workspace } from '../engine/workspace.ts';
import { callAsRun } from './call-as-run.ts';

/** sha256 by path, relative to the root of the run. */
export async function acceptedOutputs(
  workspace: Workspace,
  run: { readonly id: string; readonly identity: string },
): Promise<ReadonlyMap<string, string>> {
  const { store, journal } = workspace;
  const found = new Map<string, { readonly hash: string; readonly at: string }>();
  for (const id of await sessionsOf(workspace, run)) {
    // Refuses a journal that is damaged.
    if ((await store.load(id)) === null) throw new Error(`The journal of session ${id} is gone`);
    // The state of a session forgets earlier passes of a loop; its events do not.
    for await (const stored of journal.read(SESSION_STREAMS + id, 0)) {
      // Only the engine writes events of sessions.
      const event = stored as unknown as SessionEvent;
      if (event.type !== 'judged') continue;
      for (const [file, hash] of event.data.accepted.flatMap(({ files }) =>
        Object.entries(files),
      )) {
        if ((found.get(file)?.at ?? '') <= event.at) found.set(file, { hash, at: event.at });
      }
    }
  }
  return new Map([...found].map(([file, { hash }]) => [file, hash]));
}

async function sessionsOf(
  workspace: Workspace,
  run: { readonly id: string; readonly identity: string },
): Promise<ReadonlySet<string>> {
  const { store } = workspace;
  const { owner } = callAsRun(workspace, run);
  const nested = stackOf(await store.active(), owner.identity).map(({ id }) => id);
  const ended = await store.endedFor(owner);
  // The store remembers only the last few that ended.
  const all =
    (await store.endings(owner)) > ended.length ? await allSessionsOf(workspace, owner) : [];
  return new Set([run.id, ...nested, ...ended, ...all]);
}

async function allSessionsOf(
  { journal }: Workspace,
  { identity }: { readonly identity: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const name of await journal.names(SESSION_STREAMS)) {
    for await (const stored of journal.read(name, 0)) {
      // Only the engine writes events of sessions, and the first one is the start.
      const { data } = stored as unknown as Started;
      if (data.owner?.identity === identity) found.push(name.slice(SESSION_STREAMS.length));
      break;
    }
  }
  return found;
}
