// Whether two values of JSON are equal.

import { isRecord } from './is-record.ts';

/** Values too deeply nested to serialize equal no other. */
export function sameJson(a: unknown, b: unknown): boolean {
  try {
    return canonical(a) === canonical(b);
  } catch {
    return false;
  }
}

/** Equal values give equal text, whatever the order of their keys; nulls count as absent. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isRecord(each)
      ? Object.fromEntries(
          Object.entries(each)
            .filter(([, inner]) => inner !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : each,
  );
}
