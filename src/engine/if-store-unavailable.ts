// For optional additions to an outcome that is already recorded. If the store becomes unavailable
// then, the call must still succeed: an agent that gets an error would make the call again.

import { isStoreUnavailable } from '../journal/postgres/unavailable.ts';

/** For `catch`: the value to use instead. Any other error is thrown on. */
export function ifStoreUnavailable<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isStoreUnavailable(error)) return instead;
    throw error;
  };
}
