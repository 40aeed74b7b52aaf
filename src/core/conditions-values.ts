// Reads a variable from a context and compares its value. Both sides may be hostile: a name
// may be `constructor`, a value may be nested a hundred thousand levels deep. So only own
// properties count, and nothing here is recursive.

import { isRecord } from './is-record.ts';

/** A variable's name, and the keys to follow if the context has no such key itself. */
export interface Variable {
  readonly name: string;
  readonly segments: readonly string[];
}

/** The variable's value; undefined if the context does not have it. */
export function readVariable(variable: Variable, context: Readonly<Record<string, unknown>>) {
  if (Object.hasOwn(context, variable.name)) return context[variable.name];
  let value: unknown = context;
  for (const segment of variable.segments) {
    if (!isRecord(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** Strict equality, by structure for objects and arrays. Ends if one side is a finite tree. */
export function sameValue(one: unknown, other: unknown): boolean {
  const pending: [unknown, unknown][] = [[one, other]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!isContainer(left) || !isContainer(right)) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      pending.push([left[key], right[key]]);
    }
  }
  return true;
}

/**
 * Whether a value is JSON of at most `max` values, each counted as often as it is reached.
 * That rejects cycles, and shared branches by which a few YAML aliases expand to a billion
 * values.
 */
export function isJsonWithin(value: unknown, max: number): boolean {
  const pending: unknown[] = [value];
  let seen = 0;
  while (pending.length > 0) {
    const next = pending.pop();
    seen += 1;
    if (seen + pending.length > max) return false;
    if (isContainer(next)) for (const key of Object.keys(next)) pending.push(next[key]);
    else if (!isScalar(next)) return false;
  }
  return true;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isNaN(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
