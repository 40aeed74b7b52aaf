// Where each row of a long list begins, and which row is at a place.

/** One more than there are rows: the last is the height of all. */
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

/** The row that covers `place`; the first or last one for places outside. */
export function rowAt(offsets: Float64Array, place: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
