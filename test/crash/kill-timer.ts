// When a server dies: after how many calls, and at which moment of the last one. Some moments are
// anywhere within the usual time of such a call; others wait for a sign on disk, because the
// critical one (the event is there and the answer is not) lasts a fraction of a millisecond that
// chance alone would rarely hit.

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

export interface KillTimer {
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
  'written',
  'written',
  'written',
  'written',
  'shown',
  'answered',
];

export function startKillTimer(random: Random): KillTimer {
  const onAnyCall = random.chance(0.25);
  return {
    onAnyCall,
    calls: random.below(onAnyCall ? 8 : 4),
    moment: random.pick(MOMENTS),
    depth: random.part() * 1.2,
  };
}

/** How long calls take on this machine, by name; newer ones count more. */
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

/** Polls without a timer, because timers are exact to a millisecond at best. */
export async function waitUntil(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setImmediate(resolve));
}
