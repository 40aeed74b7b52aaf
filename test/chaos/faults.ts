// What is done to the servers while clients work: kills, most of all; processes that are
// stopped for a while as by a debugger or a sleeping machine; clocks that step forward and
// back by hours.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import type { Recorder } from './history.ts';
import type { Slot } from './servers.ts';

export interface FaultSetup {
  readonly root: string;
  readonly slots: readonly Slot[];
  readonly clockFile: string;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly kills: number;
  /** True when a client has failed: there is no use in going on. */
  stopped(): boolean;
}

const HOUR_MS = 3_600_000;
const LONGEST_STOP_MS = 3000;
/** How long to wait for a moment that matters before killing anyway. */
const WAIT_FOR_WRITE_MS = 60;

export interface FaultCounts {
  kills: number;
  stops: number;
  clockSteps: number;
}

export async function injectFaults(setup: FaultSetup): Promise<FaultCounts> {
  const { slots, random, recorder, clockFile, kills, stopped } = setup;
  const counts: FaultCounts = { kills: 0, stops: 0, clockSteps: 0 };
  const stops = new Set<Promise<void>>();
  const restarts = new Map<Slot, Promise<void>>();

  async function kill(slot: Slot): Promise<void> {
    await restarts.get(slot);
    // What matters most is over in a moment that chance alone would rarely hit: the event
    // is on disk, and the answer is not out.
    if (random.chance(0.4)) await journalGrows(setup.root);
    counts.kills += 1;
    recorder.fault(`kill -9 of ${slot.name}`);
    restarts.set(slot, slot.replace());
  }

  function stop(slot: Slot): void {
    const pid = slot.pid();
    if (pid === null || !signal(pid, 'SIGSTOP')) return;
    const isLong = random.chance(0.15);
    const milliseconds = Math.round(50 + random.part() * (isLong ? LONGEST_STOP_MS - 50 : 300));
    counts.stops += 1;
    recorder.fault(`${slot.name} is stopped for ${milliseconds} ms`);
    const over = pause(milliseconds).then(() => void signal(pid, 'SIGCONT'));
    stops.add(over);
    over.then(() => stops.delete(over));
  }

  function stepClock(): void {
    const offset = random.pick([
      0,
      Math.round((random.part() - 0.5) * 10 * HOUR_MS),
      Math.round((random.part() - 0.5) * 10_000),
    ]);
    counts.clockSteps += 1;
    writeFileSync(clockFile, String(offset));
    recorder.fault(`the clock is ${offset} ms off`);
  }

  // The server over HTTP has most of the clients, and takes longest to come back.
  const [http] = slots as [Slot];
  while (counts.kills < kills && !stopped()) {
    await pause(20 + random.below(380));
    const roll = random.part();
    const slot = random.chance(0.25) ? http : random.pick(slots);
    if (roll < 0.72) await kill(slot);
    else if (roll < 0.87) stop(slot);
    else stepClock();
  }
  await Promise.all([...stops, ...restarts.values()]);
  return counts;
}

/** False if it was gone already. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function journalGrows(root: string): Promise<void> {
  const folder = path.join(root, '.deepwork/journal');
  const size = () => {
    let sum = 0;
    for (const kind of ['team', 'session']) {
      try {
        for (const name of readdirSync(path.join(folder, kind)).slice(-20)) {
          sum += statSync(path.join(folder, kind, name)).size;
        }
      } catch {
        // Not there yet.
      }
    }
    return sum;
  };
  const before = size();
  const until = performance.now() + WAIT_FOR_WRITE_MS;
  while (size() === before && performance.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
