// Sessions that a `run` started, and the parents that wait for them.

import type { Session } from '../../core/session/state.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import type { Workspace } from '../workspace.ts';

type WithStore = Pick<Workspace, 'store'>;

/** The active sessions nested in a session, outermost first. */
export async function nestedIn({ store }: WithStore, session: Session): Promise<string[]> {
  const { at } = session.position;
  const nested = at?.kind === 'run' ? await loadReadable(store, at.session) : null;
  if (nested?.status !== 'active') return [];
  return [nested.id, ...(await nestedIn({ store }, nested))];
}

/** The parent of a completed session, if it still waits for it. */
export async function waitingParent(
  { store }: WithStore,
  { id, status, runEntry, parentId }: Session,
): Promise<Session | null> {
  if (status !== 'completed' || runEntry === null || parentId === null) return null;
  const parent = await loadReadable(store, parentId);
  if (parent?.status !== 'active' || parent.position.limit !== undefined) return null;
  const { at } = parent.position;
  return at?.kind === 'run' && at.session === id ? parent : null;
}
