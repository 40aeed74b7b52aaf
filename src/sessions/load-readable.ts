// A session that is looked at besides: one that is gone or cannot be read counts as none. A store
// that is away says nothing about it, so that is not swallowed: the call would be answered as if
// the session did not exist.

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
