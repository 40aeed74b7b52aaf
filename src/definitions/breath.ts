// Long work that is made of many short pieces must let others in between: promises alone
// do not, since whatever is ready at once goes on before the event loop turns.

const LONGEST_HOLD_MS = 10;

/** Call between pieces; waits for a turn of the event loop when one is due. */
export function openBreath(): () => Promise<void> {
  let heldSince = performance.now();
  return async () => {
    if (performance.now() - heldSince < LONGEST_HOLD_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    heldSince = performance.now();
  };
}
