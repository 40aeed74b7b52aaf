// Chance that can be had again: the same seed gives the same throws on every machine,
// so that one integer stands for a whole history.

export interface Dice {
  /** 0 to 1, without 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(things: readonly T[]): T;
  /** Each thing is kept with the given probability, order unchanged. */
  some<T>(things: readonly T[], probability: number): T[];
  shuffle<T>(things: readonly T[]): T[];
  /** One of the keys, in proportion to its weight; weights of 0 never come. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** Dice on the mulberry32 generator: 32 bits of state, good enough to wander about. */
export function rollFrom(seed: number): Dice {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick<T>(things: readonly T[]): T {
      if (things.length === 0) throw new RangeError('nothing to pick from');
      return things[between(0, things.length - 1)] as T;
    },
    some: (things, probability) => things.filter(() => next() < probability),
    shuffle<T>(things: readonly T[]): T[] {
      const shuffled = [...things];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = between(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
      }
      return shuffled;
    },
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
      const entries = Object.entries(weights) as [Key, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      throw new RangeError('every weight is 0');
    },
  };
}
