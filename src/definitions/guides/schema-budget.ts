// Limits the number of JSON Schemas in a workflow file. Each schema gets its own validator, which
// costs milliseconds and some hundred kilobytes, and a file of a megabyte could have twenty
// thousand. So they are counted before any of them is compiled.

import { isRecord } from '../../core/is-record.ts';
import { COMPOSITIONS } from '../../core/rules/parse.ts';

/** Per workflow: far more than people write by hand. */
export const MAX_SCHEMAS = 200;

/** The number of schema rules in criteria, valid or not. */
export function countSchemas(criteria: unknown): number {
  const pending: unknown[] = [criteria];
  let count = 0;
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const member of next) pending.push(member);
    else if (isRecord(next)) {
      if (next.type === 'schema') count += 1;
      for (const name of COMPOSITIONS) {
        if (Object.hasOwn(next, name)) pending.push(next[name]);
      }
    }
  }
  return count;
}
