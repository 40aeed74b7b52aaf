// What became of the answers of this process. A client that lost the answer of a call
// makes the same call again, and it must not count twice; but two equal calls of which
// the first was answered are two. So who changes something notes it here by a key, and an
// equal call waits for the fate of the one before.

type Fate = 'pending' | 'delivered' | 'lost';

/** How an operation asks to hear what became of its answer. */
export type AfterAnswer = (work: (delivered: boolean) => Promise<void>) => void;

export interface Answers {
  /** The answer that is being made tells of what `key` names. */
  expect(key: string, afterAnswer: AfterAnswer): void;
  /** Null: this process has not answered with it, or long ago. */
  fate(key: string): Fate | null;
  /** Waits until the answer is written or lost; not for ever, since a client may never read. */
  settled(key: string): Promise<void>;
  /** Keys of answers that arrived, oldest first. */
  delivered(): readonly string[];
  /** Runs a call; it is told whether an equal one is running, and so has no answer yet. */
  overlapping<T>(call: string, run: (isOverlapping: boolean) => Promise<T>): Promise<T>;
  /** Equal calls one after the other: the next begins when the answer before is written, or lost. */
  inTurn<T>(call: string, afterAnswer: AfterAnswer, run: () => Promise<T>): Promise<T>;
}

const KEPT = 1000;
/** An answer is written or given up in much less, unless its client does not read. */
const PATIENCE_MS = 10_000;

export function openAnswers(): Answers {
  // Several answers may tell of one thing, of which one is enough to arrive.
  const fates = new Map<string, Fate>();
  const waiting = new Map<string, Set<Promise<void>>>();
  const last = new Map<string, Promise<void>>();
  const running = new Map<string, number>();

  function note(key: string, fate: Fate): void {
    const before = fates.get(key);
    fates.delete(key);
    fates.set(key, before === 'delivered' ? before : fate);
    const [oldest] = fates.keys();
    if (fates.size > KEPT && oldest !== undefined) fates.delete(oldest);
  }

  return {
    expect(key, afterAnswer) {
      note(key, 'pending');
      const { promise, end } = patience();
      const others = waiting.get(key) ?? new Set();
      waiting.set(key, others.add(promise));
      afterAnswer(async (delivered) => {
        others.delete(promise);
        if (others.size === 0) waiting.delete(key);
        note(key, delivered ? 'delivered' : others.size > 0 ? 'pending' : 'lost');
        end();
      });
    },
    fate: (key) => fates.get(key) ?? null,
    settled: async (key) => void (await Promise.all(waiting.get(key) ?? [])),
    delivered: () => [...fates].flatMap(([key, fate]) => (fate === 'delivered' ? [key] : [])),

    async overlapping(call, run) {
      const others = running.get(call) ?? 0;
      running.set(call, others + 1);
      try {
        return await run(others > 0);
      } finally {
        const left = (running.get(call) ?? 1) - 1;
        if (left > 0) running.set(call, left);
        else running.delete(call);
      }
    },

    async inTurn(call, afterAnswer, run) {
      const before = last.get(call);
      let end = () => {};
      const mine = new Promise<void>((resolve) => {
        end = resolve;
      });
      last.set(call, mine);
      mine.then(() => last.get(call) === mine && last.delete(call));
      await before;
      try {
        const answer = await run();
        const timed = patience();
        timed.promise.then(end);
        afterAnswer(async () => timed.end());
        return answer;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

/** A promise that ends by itself after a while. */
function patience(): { readonly promise: Promise<void>; end(): void } {
  let end = () => {};
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS).unref();
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { promise, end: () => end() };
}
