// The refusals for an unavailable database. There are two codes: after `store_unavailable` nothing
// was recorded; after `store_outcome_unknown` the connection was lost while something was being
// recorded, and the outcome could not be read since.

import { Refused, refuse } from '../../core/refusal.ts';

export const STORE_UNAVAILABLE = 'store_unavailable';
const STORE_OUTCOME_UNKNOWN = 'store_outcome_unknown';

export function storeUnavailable(address: string, why: string): Refused {
  return new Refused(
    refuse(
      STORE_UNAVAILABLE,
      `The store, PostgreSQL at ${address}, cannot be used (${why}): nothing was accepted`,
      'make the same call again in a moment. If it keeps failing, have your user run `deepwork store status`.',
    ),
  );
}

export function outcomeUnknown(address: string, why: string): Refused {
  return new Refused(
    refuse(
      STORE_OUTCOME_UNKNOWN,
      `The connection to the store, PostgreSQL at ${address}, was lost (${why}): it cannot be known whether it was accepted`,
      'make the very same call again: if it was accepted, that is recognized. If it keeps failing, have your user run `deepwork store status`.',
    ),
  );
}

/** Whether an error means that the store is unavailable, so that nothing about a stream is known. */
export function isStoreUnavailable(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false;
  const { code } = error.refusal;
  return code === STORE_UNAVAILABLE || code === STORE_OUTCOME_UNKNOWN;
}

export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === STORE_OUTCOME_UNKNOWN;
}
