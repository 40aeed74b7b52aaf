// Random choices that a seed repeats (mulberry32).

export interface Random {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** 0 … below - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
}

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    chance: (probability) => next() < probability,
    int,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
  };
}
