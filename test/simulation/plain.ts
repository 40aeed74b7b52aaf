// Plain JSON values: compared, and made immutable. Both run millions of times.

/**
 * Freezes a value recursively, and throws at any part that JSON would drop or alter. Frozen parts
 * were frozen completely: states share what did not change.
 */
export function freeze<T>(value: T): T {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : null;
  if (prototype !== Object.prototype && prototype !== Array.prototype) {
    throw new TypeError(`not plain JSON: ${String(value)}`);
  }
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value as object)) freeze(part);
  return value;
}

/** Whether two plain values are equal, whatever the order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return false;
    const parts = [one, other] as [Record<string, unknown>, Record<string, unknown>];
    if (!isSame(parts[0][key], parts[1][key])) return false;
  }
  return true;
}
