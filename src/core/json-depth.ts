// How deep a JSON value is nested, counted without recursion, so that hostile nesting
// cannot exhaust the stack.

/** Stops counting one past `most`. A value without members is one deep. */
export function depthOf(value: unknown, most: number): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (level.length > 0 && depth <= most) {
    depth++;
    level = level.flatMap((each) => Object.values(each as object).filter(isNested));
  }
  return depth;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
