// What became of the answers of this process. A client that lost the answer of a call
// makes the same call again, and it must not count twice; but two equal calls of which
// the first was answered are two. So who changes something notes it here by a key, and an
// equal call waits for the fate of the one before.

export type Fate = 'pending' | 'delivered' | 'lost';

/** How an operation asks to hear what became of its answer. */
export type AfterAnswer = (work: (delivered: boolean) => Promise<void>) => void;

export interface Answers {
  /** The answer that is being made tells of what `key` names. */
  expect(key: string, afterAnswer: AfterAnswer): void;
  /** Null: this process has not answered with it, or long ago. */
  fate(key: string): Fate | null;
  /** Whether any answer that is remembered was lost. */
  hasLost(): boolean;
  /** Keys of answers that arrived, oldest first. */
  delivered(): readonly string[];
  /**
   * A call begins. `isOverlapping`: an equal one has not been answered yet, so this one
   * cannot follow from its answer.
   */
  begin(call: string, afterAnswer: AfterAnswer): Begun;
  /** Equal calls one after the other: the next begins when the answer before is written, or lost. */
  inTurn<T>(call: string, afterAnswer: AfterAnswer, run: () => Promise<T>): Promise<T>;
}

export interface Begun {
  readonly isOverlapping: boolean;
  /** Of a call that fails: nothing happens after its answer. */
  end(): void;
}

const KEPT = 1000;
/** An answer that is written or given up takes much less; a client that never reads takes longer. */
const PATIENCE_MS = 10_000;

export function openAnswers(): Answers {
  const fates = new Map<string, Fate>();
  const last = new Map<string, Promise<void>>();
  const underway = new Map<string, number>();
  let lost = 0;

  function forget(key: string): void {
    if (fates.get(key) === 'lost') lost -= 1;
    fates.delete(key);
  }

  function note(key: string, fate: Fate): void {
    forget(key);
    fates.set(key, fate);
    if (fate === 'lost') lost += 1;
    const [oldest] = fates.keys();
    if (fates.size > KEPT && oldest !== undefined) forget(oldest);
  }

  return {
    expect(key, afterAnswer) {
      note(key, 'pending');
      afterAnswer(async (delivered) => note(key, delivered ? 'delivered' : 'lost'));
    },
    fate: (key) => fates.get(key) ?? null,
    hasLost: () => lost > 0,
    delivered: () => [...fates].flatMap(([key, fate]) => (fate === 'delivered' ? [key] : [])),

    begin(call, afterAnswer) {
      const isOverlapping = (underway.get(call) ?? 0) > 0;
      underway.set(call, (underway.get(call) ?? 0) + 1);
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        const left = (underway.get(call) ?? 1) - 1;
        if (left > 0) underway.set(call, left);
        else underway.delete(call);
      };
      afterAnswer(async () => end());
      return { isOverlapping, end };
    },

    async inTurn(call, afterAnswer, run) {
      const before = last.get(call);
      let end = () => {};
      const mine = new Promise<void>((resolve) => {
        end = resolve;
      }).then(() => {
        if (last.get(call) === mine) last.delete(call);
      });
      last.set(call, mine);
      await before;
      try {
        const answer = await run();
        const timer = setTimeout(end, PATIENCE_MS).unref();
        afterAnswer(async () => {
          clearTimeout(timer);
          end();
        });
        return answer;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
