// When a server dies: after how many calls, and at which moment of the last one. Some
// moments lie anywhere within the time that such a call has taken so far; others wait for
// a sign on disk, because what matters most (the event is there and the answer is not)
// is over in a fraction of a millisecond that chance alone would rarely hit.

import type { Random } from '../support/random.ts';

type Moment =
  /** Before the call is sent: the server is idle. */
  | 'idle'
  /** As soon as the call is sent. */
  | 'sent'
  /** Somewhere within the call. */
  | 'within'
  /** As soon as the journal has grown: before the sync, the view and the answer. */
  | 'written'
  /** As soon as there is a new file among the views: before the rename and the answer. */
  | 'shown'
  /** As soon as the answer has come. */
  | 'answered';

export interface Fuse {
  /** Calls that are still answered before the fatal one. */
  calls: number;
  /** Whether calls count that change nothing. */
  readonly onAnyCall: boolean;
  readonly moment: Moment;
  /** How far into the call, 0 to 1 and a little beyond. */
  readonly depth: number;
}

const MOMENTS: readonly Moment[] = [
  'idle',
  'sent',
  'within',
  'within',
  'within',
  'within',
  'written',
  'written',
  'shown',
  'answered',
];

export function layFuse(random: Random): Fuse {
  const onAnyCall = random.chance(0.25);
  return {
    onAnyCall,
    calls: random.below(onAnyCall ? 8 : 4),
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

/** Looks again and again, without a timer: those are exact to a millisecond at best. */
export async function waitUntil(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setImmediate(resolve));
}
