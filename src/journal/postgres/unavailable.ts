// The refusals for an unavailable database. There are two codes: after `store_unavailable` nothing
// was recorded; after `store_outcome_unknown` the connection was lost while something was being
// recorded, and the outcome could not be read since.

import { Refused, refuse, refusedWith } from '../../core/refusal.ts';
import type { DatabaseFault } from './fault.ts';

export const STORE_UNAVAILABLE = 'store_unavailable';
const STORE_OUTCOME_UNKNOWN = 'store_outcome_unknown';

export function storeUnavailable(address: string, fault: DatabaseFault): Refused {
  return refusedWith(
    STORE_UNAVAILABLE,
    `The store, PostgreSQL at ${address}, cannot be used (${fault.why}): nothing was accepted`,
    fault.kind === 'refused' ? correction(fault.code) : TRY_AGAIN,
  );
}

const TRY_AGAIN =
  'make the same call again in a moment. If it keeps failing, have your user check that the database is running, that its address is right, and that the network lets this machine reach it.';

const ADDRESS = 'DEEPWORK_DATABASE_URL, or `store` in .deepwork/config.yml';

/** What has to be corrected, because waiting does not help. */
function correction(code: string): string {
  const what = CORRECTIONS[code] ?? 'have your user correct what the message names';
  return `${what}. Trying again does not help before that.`;
}

const WRONG_ROLE = `have your user correct the user and password in the address (${ADDRESS}), or the role in the database, and start the servers again`;

const CORRECTIONS: Readonly<Record<string, string>> = {
  '28P01': WRONG_ROLE,
  '28000': WRONG_ROLE,
  '3D000': `have your user create the database, or correct its name in the address (${ADDRESS})`,
  '42501': 'have your user grant this role the rights it needs; `deepwork doctor` names them',
};

export function outcomeUnknown(address: string, why: string): Refused {
  return new Refused(
    refuse(
      STORE_OUTCOME_UNKNOWN,
      `The connection to the store, PostgreSQL at ${address}, was lost (${why}): it cannot be known whether it was accepted`,
      'make the very same call again: if it was accepted, that is recognized. If it keeps failing, have your user run `deepwork store status`.',
    ),
    true,
  );
}

/** Whether an error means that the store is unavailable, so that nothing about a stream is known. */
export function isStoreUnavailable(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false;
  const { code } = error.refusal;
  return code === STORE_UNAVAILABLE || code === STORE_OUTCOME_UNKNOWN;
}
