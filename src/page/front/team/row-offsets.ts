// Where each row of a long list begins, and which row is at an offset.

/** One more than there are rows: the last one is the total height. */
export function offsetsOf<T>(rows: readonly T[], heightOf: (row: T) => number): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  let at = 0;
  rows.forEach((row, index) => {
    offsets[index] = at;
    at += heightOf(row);
  });
  offsets[rows.length] = at;
  return offsets;
}

/** The row that covers `offset`; the first or last one for offsets outside. */
export function rowAt(offsets: Float64Array, offset: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
