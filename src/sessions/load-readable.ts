// Loads a session that a call does not depend on: one that is gone or cannot be read counts as
// missing. An unavailable store is still an error, because otherwise the call would be answered as
// if the session did not exist.

import type { Session } from '../core/session/state.ts';
import { isStoreUnavailable } from '../journal/postgres/unavailable.ts';
import type { SessionStore } from './store.ts';

export async function loadReadable(
  store: Pick<SessionStore, 'load'>,
  id: string,
): Promise<Session | null> {
  try {
    return await store.load(id);
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    return null;
  }
}
