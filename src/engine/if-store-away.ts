// For what is only added to an outcome that is on record: a store that goes away then must not make
// a failure of it, since whoever reads of a failure makes the call again.

import { isStoreUnavailable } from '../journal/postgres/unavailable.ts';

/** For `catch`: what to go on with. Every other error stays one. */
export function ifStoreAway<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isStoreUnavailable(error)) return instead;
    throw error;
  };
}
