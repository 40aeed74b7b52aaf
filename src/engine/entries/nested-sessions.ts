// Sessions that a `run` started, and those that wait for them.

import type { Session } from '../../core/session/state.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import type { Workspace } from '../workspace.ts';

type SessionsOf = Pick<Workspace, 'store'>;

/** What a session runs, and what that runs, outermost first; of those that are active. */
export async function nestedIn({ store }: SessionsOf, session: Session): Promise<string[]> {
  const { at } = session.position;
  const nested = at?.kind === 'run' ? await loadReadable(store, at.session) : null;
  if (nested?.status !== 'active') return [];
  return [nested.id, ...(await nestedIn({ store }, nested))];
}

/** The session above, if it waits for the end of this one, which has come. */
export async function waitingParent(
  { store }: SessionsOf,
  { id, status, runEntry, parentId }: Session,
): Promise<Session | null> {
  if (status !== 'completed' || runEntry === null || parentId === null) return null;
  const parent = await loadReadable(store, parentId);
  if (parent?.status !== 'active' || parent.position.limit !== undefined) return null;
  const { at } = parent.position;
  return at?.kind === 'run' && at.session === id ? parent : null;
}
