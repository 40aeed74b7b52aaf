// What is done to the servers while clients work: mostly kills; also processes that are stopped
// for a while, as by a debugger or a sleeping machine, and clocks that jump by hours.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Loss } from './epochs.ts';
import type { Recorder } from './history.ts';
import { backUpJournal, hasDamage, loseJournal, repairJournal, signal } from './journal-losses.ts';
import type { Slot } from './servers.ts';

export interface FaultSetup {
  readonly root: string;
  readonly slots: readonly Slot[];
  readonly clockFile: string;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly kills: number;
  readonly home: string;
  /** Whether the journal is lost now and then. */
  readonly losesJournal: boolean;
  /** True if a client has failed, so that continuing is pointless. */
  stopped(): boolean;
}

/** Between two faults: this many calls are answered, unless it takes longer than this. */
const MAX_CALLS_BETWEEN = 24;
const MAX_MS_BETWEEN = 1000;
/** If the journal is to be lost, it is lost at least this often. */
const MAX_KILLS_BETWEEN_LOSSES = 4;
const AFTER_LAST_LOSS_MS = 1000;
const HOUR_MS = 3_600_000;
const MAX_STOP_MS = 3000;
/** How long to wait for a critical moment before killing anyway. */
const WAIT_FOR_WRITE_MS = 60;

export interface FaultCounts {
  kills: number;
  stops: number;
  clockSteps: number;
  readonly losses: Loss[];
}

export async function injectFaults(setup: FaultSetup): Promise<FaultCounts> {
  const { slots, random, recorder, clockFile, kills, stopped } = setup;
  const counts: FaultCounts = { kills: 0, stops: 0, clockSteps: 0, losses: [] };
  const stops = new Set<Promise<void>>();
  const restarts = new Map<Slot, Promise<void>>();

  async function kill(slot: Slot): Promise<void> {
    await restarts.get(slot);
    // The critical moment is too short to hit by chance: the event is on disk, and the answer is not
    // sent.
    if (random.chance(0.4)) await journalGrows(setup.root);
    counts.kills += 1;
    recorder.fault(`kill -9 of ${slot.name}`);
    restarts.set(slot, slot.replace());
  }

  function stop(slot: Slot): void {
    const pid = slot.pid();
    if (pid === null || !signal(pid, 'SIGSTOP')) return;
    const isLong = random.chance(0.15);
    const milliseconds = Math.round(50 + random.part() * (isLong ? MAX_STOP_MS - 50 : 300));
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

  const backup = path.join(setup.home, 'backup');
  const setAside = new Set<string>();

  async function lose(): Promise<void> {
    if (random.chance(0.4)) return backUpJournal({ ...setup, backup });
    await comeToRest();
    counts.losses.push(await loseJournal({ ...setup, backup }));
  }

  async function repair(): Promise<void> {
    const last = counts.losses.at(-1);
    if (last === undefined) return;
    await comeToRest();
    const longer = await repairJournal({ ...setup, setAside }, last);
    if (longer !== null) counts.losses.splice(-1, 1, longer);
  }

  /** A process that is stopped or starting would continue in the middle of what follows. */
  async function comeToRest(): Promise<void> {
    await Promise.all([...stops, ...restarts.values()]);
  }

  async function someCalls(count: number): Promise<void> {
    const until = recorder.now() + MAX_MS_BETWEEN;
    const enough = recorder.answered() + count;
    do await pause(5 + random.below(20));
    while (recorder.answered() < enough && recorder.now() < until && !stopped());
  }

  /** One that has done something since its start; sometimes any. */
  function pickTarget(): Slot | undefined {
    const ready = random.chance(0.15) ? slots : slots.filter((slot) => slot.answered() > 0);
    if (ready.length === 0) return undefined;
    return random.chance(0.25) && ready.includes(http) ? http : random.pick(ready);
  }

  // The HTTP server has most of the clients, and takes longest to restart.
  const [http] = slots as [Slot];
  while (counts.kills < kills && !stopped()) {
    await someCalls(random.below(MAX_CALLS_BETWEEN));
    const slot = pickTarget();
    const roll = random.part();
    if (slot === undefined) continue;
    const isDue = counts.losses.length * MAX_KILLS_BETWEEN_LOSSES < counts.kills;
    if (hasDamage(setup.root, setAside)) await repair();
    if (setup.losesJournal && (isDue || random.chance(0.1))) await lose();
    else if (roll < 0.72) await kill(slot);
    else if (roll < 0.87) stop(slot);
    else stepClock();
  }
  await comeToRest();
  // A writer may have been in the middle of a line when the journal was lost for the last time.
  if (counts.losses.length > 0) await pause(AFTER_LAST_LOSS_MS);
  if (hasDamage(setup.root, setAside)) await repair();
  return counts;
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
        // It does not exist yet.
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
