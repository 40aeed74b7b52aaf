// The nesting depth of a JSON value, counted without recursion, so that hostile nesting
// cannot exhaust the stack.

/** Stops counting one past `max`. A value without members has depth 1. */
export function depthOf(value: unknown, max: number): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (level.length > 0 && depth <= max) {
    depth++;
    level = level.flatMap((each) => Object.values(each as object).filter(isNested));
  }
  return depth;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
