// Long work in short slices. Work that is made of many pieces asks between them whether
// its slice of the event loop's turn is over, and if so lets everything else go first:
//
//   if (sliceIsOver()) await nextSlice();
//
// All such work of a process shares one slice per turn and goes on one at a time, because
// twenty calls that each held the loop for 10 ms would together hold it for 200.

const SLICE_MS = 10;

const waiting: (() => void)[] = [];
/** Those who wait will be given a turn. */
let giving = false;
/** When the work of this turn began; null before there is any. */
let began: number | null = null;

/** Cheap enough to be asked for every piece of a microsecond or more. */
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

/** Lets those who wait go on, one after the other, until the slice of this turn is over. */
async function giveTurn(): Promise<void> {
  began = performance.now();
  do {
    waiting.shift()?.();
    // A tick comes after all that the one who went on does before it waits for anything.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  } while (waiting.length > 0 && !sliceIsOver());
  giving = waiting.length > 0;
  // Set while in this phase, it runs in the next turn, after whatever else is due.
  setImmediate(giving ? giveTurn : endTurn);
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
