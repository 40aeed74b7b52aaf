// Splits long work into short slices. Between its pieces, the work asks whether its time in
// this turn of the event loop is used up, and if so lets other tasks run:
//   if (sliceIsOver()) await nextSlice();
//
// All such work of a process shares one slice per turn and takes turns, because twenty calls
// that each block the loop for 10 ms would together block it for 200.

const SLICE_MS = 10;

const waiting: (() => void)[] = [];
/** A turn for the waiting callers is scheduled or running. */
let giving = false;
/** When the work of this turn began; null before there is any. */
let began: number | null = null;

/** Cheap enough to call for every piece that takes a microsecond or more. */
export function sliceIsOver(): boolean {
  const now = performance.now();
  if (began === null) {
    began = now;
    if (!giving) setImmediate(endTurn);
  }
  return now - began >= SLICE_MS;
}

/** Resolves in a later turn of the event loop, when it is this caller's turn. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!giving) setImmediate(giveTurn);
    giving = true;
  });
}

function endTurn(): void {
  if (!giving) began = null;
}

/** Resumes waiting callers one after the other until this turn's slice is over. */
async function giveTurn(): Promise<void> {
  began = performance.now();
  do {
    waiting.shift()?.();
    // A tick runs after everything that the resumed caller does before it waits again.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  } while (waiting.length > 0 && !sliceIsOver());
  giving = waiting.length > 0;
  // Scheduled in this phase, it runs in the next turn, after everything else that is due.
  setImmediate(giving ? giveTurn : endTurn);
}

/** For callers that cannot inline the check. */
export async function pauseIfDue(): Promise<void> {
  if (sliceIsOver()) await nextSlice();
}

/** Runs work that pauses with `yield` between its pieces. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (sliceIsOver()) await nextSlice();
  }
}
