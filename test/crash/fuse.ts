// When a server dies: after how many calls, and at which moment of the last one. Most
// moments lie within the time that such a call has taken so far, spread evenly, so that
// the kill falls on reading, deciding, writing, syncing, renaming and answering alike.

import type { Random } from './random.ts';

export type Moment =
  /** Before the call is sent: the server is idle. */
  | 'idle'
  /** As soon as the call is sent. */
  | 'sent'
  /** Somewhere within the call. */
  | 'within'
  /** As soon as the answer has come. */
  | 'answered';

export interface Fuse {
  /** Calls that are still answered before the fatal one. */
  calls: number;
  readonly moment: Moment;
  /** How far into the call, 0 to 1 and a little beyond. */
  readonly depth: number;
}

const MOMENTS: readonly Moment[] = ['idle', 'sent', 'answered', ...repeat<Moment>('within', 7)];

export function layFuse(random: Random): Fuse {
  return {
    calls: random.below(7),
    moment: random.pick(MOMENTS),
    depth: random.part() * 1.2,
  };
}

/** How long calls take here and now, by name; newer ones count more. */
export interface Durations {
  add(name: string, milliseconds: number): void;
  of(name: string): number;
}

export function observeDurations(): Durations {
  const known = new Map<string, number>();
  return {
    add(name, milliseconds) {
      const before = known.get(name);
      known.set(name, before === undefined ? milliseconds : before * 0.7 + milliseconds * 0.3);
    },
    of: (name) => known.get(name) ?? 10,
  };
}

/** Exact to a fraction of a millisecond, which a timer is not. */
export async function pass(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
}

function repeat<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}
