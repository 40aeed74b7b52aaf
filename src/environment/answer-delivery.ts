// Tracks whether the answers of this process reached their clients. A client that lost an
// answer repeats the call, which must not count twice; but two equal calls with the first one
// answered are two calls. So every change is recorded here under a key, and an equal call
// waits for the outcome of the earlier answer.

type Fate = 'pending' | 'delivered' | 'lost';

/** What is left to do once it is known whether the answer was delivered. */
export type DeliveryWork = (delivered: boolean) => Promise<void>;

/** Registers such work for the answer in progress. */
export type AfterAnswer = (work: DeliveryWork) => void;

export interface Answers {
  /** The answer in progress reports the change that `key` identifies. */
  expect(key: string, afterAnswer: AfterAnswer): void;
  /** The change may have been made, but its call failed: no answer reports it. */
  lose(key: string): void;
  /** The caller knows of the change without an answer. */
  makeKnown(key: string): void;
  /** Null if this process has not answered with it, or too long ago. */
  fate(key: string): Fate | null;
  /** Waits until the answer is written or lost, with a limit, since a client may never read. */
  writtenOrLost(key: string): Promise<void>;
  /** Keys of delivered answers, oldest first. */
  delivered(): readonly string[];
  /** Runs a call and passes whether an equal one is running, which has no answer yet. */
  overlapping<T>(call: string, run: (isOverlapping: boolean) => Promise<T>): Promise<T>;
  /** Runs equal calls one after the other: each starts once the earlier answer is written or lost. */
  inTurn<T>(call: string, afterAnswer: AfterAnswer, run: () => Promise<T>): Promise<T>;
}

const MAX_KEPT = 1000;
/** Far longer than writing an answer takes, unless the client does not read. */
const MAX_WAIT_MS = 10_000;

export function openAnswers(): Answers {
  // Several answers may report the same change; one delivered answer is enough.
  const fates = new Map<string, Fate>();
  const waiting = new Map<string, Set<Promise<void>>>();
  /** The last of the equal calls that run in turn. */
  const last = new Map<string, Promise<void>>();
  const running = new Map<string, number>();

  function note(key: string, fate: Fate): void {
    const before = fates.get(key);
    fates.delete(key);
    fates.set(key, before === 'delivered' ? before : fate);
    const [oldest] = fates.keys();
    if (fates.size > MAX_KEPT && oldest !== undefined) fates.delete(oldest);
  }

  return {
    expect(key, afterAnswer) {
      note(key, 'pending');
      const { promise, end } = boundedWait();
      const others = waiting.get(key) ?? new Set();
      waiting.set(key, others.add(promise));
      afterAnswer(async (delivered) => {
        others.delete(promise);
        if (others.size === 0) waiting.delete(key);
        note(key, delivered ? 'delivered' : others.size > 0 ? 'pending' : 'lost');
        end();
      });
    },
    lose: (key) => note(key, 'lost'),
    makeKnown: (key) => note(key, 'delivered'),
    fate: (key) => fates.get(key) ?? null,
    writtenOrLost: async (key) => void (await Promise.all(waiting.get(key) ?? [])),
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
        const wait = boundedWait();
        wait.promise.then(end);
        afterAnswer(async () => wait.end());
        return answer;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

/** A promise that resolves by itself after the timeout. */
function boundedWait(): { readonly promise: Promise<void>; end(): void } {
  let end = () => {};
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS).unref();
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { promise, end: () => end() };
}
