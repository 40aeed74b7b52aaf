// Chance with a seed: a run that failed can be tried again from the number it printed.
// The same numbers are drawn again; which side wins a race is still the machine's affair,
// and from the first race that ends otherwise the run takes another course.

import { randomInt } from 'node:crypto';

export interface Random {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from 0 up to and without `end`. */
  below(end: number): number;
  /** Any number from 0 to 1. */
  part(): number;
  pick<T>(choices: readonly T[]): T;
  /** At least one of the choices, in their order. */
  some<T>(choices: readonly T[]): T[];
}

/** The seed of this run: DEEPWORK_SEED, or a new one. */
export function chooseSeed(): number {
  const given = Number.parseInt(process.env.DEEPWORK_SEED ?? '', 10);
  return Number.isSafeInteger(given) ? given : randomInt(2 ** 31);
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;

  function part(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  const below = (end: number) => Math.floor(part() * end);
  const pick = <T>(choices: readonly T[]) => choices[below(choices.length)] as T;

  return {
    part,
    below,
    pick,
    chance: (probability) => part() < probability,
    some(choices) {
      const chosen = choices.filter(() => part() < 0.5);
      return chosen.length > 0 ? chosen : [pick(choices)];
    },
  };
}
