// Two changes within one tick of a file system's clock leave the same time behind. What
// was read so shortly after its last change may have been changed again without a trace,
// and must be read once more.

/** Longer than the tick of any file system that tells more than whole seconds. */
export const TICK_MS = 20;
/** FAT counts in steps of two seconds. */
const COARSE_TICK_MS = 2500;

/** Whether a further change would be sure to show. Whole seconds may come from a coarse clock. */
export function isSettled(changedAt: number, readAt: number): boolean {
  return readAt - changedAt > (changedAt % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}
