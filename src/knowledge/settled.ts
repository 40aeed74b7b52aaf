// Two changes within one tick of a file system's clock leave the same time behind. What
// was read so shortly after its last change may have been changed again without a trace,
// and must be read once more.

const FINE_MS = 100;
const COARSE_MS = 2500;

/** Whether a further change would be sure to show. Whole seconds may come from a coarse clock. */
export function isSettled(changedAt: number, readAt: number): boolean {
  return readAt - changedAt > (changedAt % 1000 === 0 ? COARSE_MS : FINE_MS);
}
