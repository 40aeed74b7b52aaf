// Long work in short slices. Work that is made of many pieces asks between them whether
// its slice of the event loop's turn is over, and if so lets everything else go first:
//
//   if (sliceIsOver()) await nextSlice();
//
// All such work of a process shares one slice per turn and goes on one at a time, because
// twenty calls that each held the loop for 10 ms would together hold it for 200.

const SLICE_MS = 10;

const waiting: (() => void)[] = [];
/** When the work of this turn began; null before there is any. */
let began: number | null = null;

/** Cheap enough to be asked for every piece of a microsecond or more. */
export function sliceIsOver(): boolean {
  const now = performance.now();
  if (began === null) {
    began = now;
    if (waiting.length === 0) setImmediate(endTurn);
  }
  return now - began >= SLICE_MS;
}

/** Resolves in a later turn of the event loop, when it is this caller's turn. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function endTurn(): void {
  if (waiting.length === 0) began = null;
}

function giveTurn(): void {
  began = null;
  waiting.shift()?.();
  // Set while in this phase, it runs in the next turn, after whatever else is due.
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** For those who cannot tell what they do between two pieces from what they wait for. */
export async function pauseIfDue(): Promise<void> {
  if (sliceIsOver()) await nextSlice();
}

/** Drives work that pauses by `yield` between its pieces. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    if (sliceIsOver()) await nextSlice();
  }
}
