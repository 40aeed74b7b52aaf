// Seeded randomness: the same seed draws the same numbers on every machine, so that a failed run can
// be repeated from the printed number. Where processes race, the winner still depends on the machine,
// and the run may differ from there.

import { randomInt } from 'node:crypto';
import { onTestFailed } from 'vitest';

export interface Random {
  /** From 0 to 1, excluding 1. */
  part(): number;
  /** A whole number from 0 to `end`, excluding `end`. */
  below(end: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(things: readonly T[]): T;
  /** Each item is kept with this probability, order unchanged. */
  some<T>(things: readonly T[], probability: number): T[];
  /** At least one of the items, order unchanged. */
  oneOrMore<T>(things: readonly T[]): T[];
  shuffle<T>(things: readonly T[]): T[];
  /** One of the keys, in proportion to its weight; a weight of 0 is never chosen. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** The seed of this test: DEEPWORK_SEED, or a new one. Printed first if the test fails. */
export function chooseSeed(): number {
  const given = Number.parseInt(process.env.DEEPWORK_SEED ?? '', 10);
  const seed = Number.isSafeInteger(given) ? given : randomInt(2 ** 31);
  onTestFailed(({ task }) => {
    for (const error of task.result?.errors ?? []) {
      error.message = `DEEPWORK_SEED=${seed}: ${error.message}`;
    }
  });
  return seed;
}

/** The mulberry32 generator: 32 bits of state, good enough for tests. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;

  function part(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (end: number) => Math.floor(part() * end);

  function pick<T>(things: readonly T[]): T {
    if (things.length === 0) throw new RangeError('nothing to pick from');
    return things[below(things.length)] as T;
  }

  return {
    part,
    below,
    pick,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => part() < probability,
    some: (things, probability) => things.filter(() => part() < probability),
    oneOrMore(things) {
      const chosen = things.filter(() => part() < 0.5);
      return chosen.length > 0 ? chosen : [pick(things)];
    },
    shuffle<T>(things: readonly T[]): T[] {
      const shuffled = [...things];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
      }
      return shuffled;
    },
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
      const entries = Object.entries(weights) as [Key, number][];
      let left = part() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      throw new RangeError('every weight is 0');
    },
  };
}
