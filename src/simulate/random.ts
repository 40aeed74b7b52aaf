// Seeded randomness: the same seed draws the same numbers on every machine.

export interface Draw {
  /** A whole number from 0 to `end`, excluding `end`. */
  below(end: number): number;
  pick<T>(things: readonly T[]): T | undefined;
}

/** The mulberry32 generator. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const below = (end: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return { below, pick: (things) => things[below(things.length)] };
}
