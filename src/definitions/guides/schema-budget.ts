// Each JSON Schema in a rule is compiled by a validator of its own, at milliseconds and
// some hundred kilobytes apiece. A file of a megabyte could ask for twenty thousand, so
// their number is counted before any of them is compiled.

import { isRecord } from '../../core/is-record.ts';

/** In one workflow: far more than people write by hand. */
export const MAX_SCHEMAS = 200;

/** How many schema rules there are in criteria, right or wrong. */
export function countSchemas(criteria: unknown): number {
  const pending: unknown[] = [criteria];
  let count = 0;
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const member of next) pending.push(member);
    else if (isRecord(next)) {
      if (next.type === 'schema') count += 1;
      for (const name of ['and', 'or', 'not']) {
        if (Object.hasOwn(next, name)) pending.push(next[name]);
      }
    }
  }
  return count;
}
