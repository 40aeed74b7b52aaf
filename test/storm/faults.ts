// What is done to the servers while clients work: mostly kills; also processes that are stopped
// for a while, as by a debugger or a sleeping machine, clocks that jump by hours, a database that is
// killed, and journals that are lost.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres-server.ts';
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
  /** Where the streams are, if not in files. */
  readonly database: PostgresServer | null;
  /** True if a client has failed, so that continuing is pointless. */
  stopped(): boolean;
}

/** Between two faults: this many calls are answered, unless it takes longer than this. */
const MAX_CALLS_BETWEEN = 12;
const MAX_MS_BETWEEN = 1000;
/** If the journal is to be lost, it is lost at least this often. */
const MAX_KILLS_BETWEEN_LOSSES = 4;
const AFTER_LAST_LOSS_MS = 1000;
const HOUR_MS = 3_600_000;
const MAX_STOP_MS = 3000;
const MAX_AWAY_MS = 1500;
/** How long to wait for a critical moment before killing anyway. */
const MAX_WAIT_MS = 60;

/**
 * The critical moments are too short to hit by chance: a call has been sent; the event is on disk, and
 * the view and the answer are not there; the view is being written; the answer has just come.
 */
const MOMENTS = [
  'any',
  'sent',
  'within',
  'within',
  'written',
  'written',
  'shown',
  'answered',
] as const;

export interface FaultCounts {
  kills: number;
  stops: number;
  clockSteps: number;
  databaseKills: number;
  readonly losses: Loss[];
}

export async function injectFaults(setup: FaultSetup): Promise<FaultCounts> {
  const { slots, random, recorder, clockFile, kills, stopped, database } = setup;
  const counts: FaultCounts = { kills: 0, stops: 0, clockSteps: 0, databaseKills: 0, losses: [] };
  const stops = new Set<Promise<void>>();
  const restarts = new Map<Slot, Promise<void>>();

  async function kill(slot: Slot): Promise<void> {
    await restarts.get(slot);
    const moment = random.pick(MOMENTS);
    await comes(moment, slot);
    // Now and then all at once, as if the machine were switched off.
    for (const each of random.chance(0.15) ? slots : [slot]) {
      counts.kills += 1;
      recorder.fault(`kill -9 of ${each.name} (${moment})`);
      const before = restarts.get(each);
      restarts.set(each, Promise.resolve(before).then(each.replace));
    }
  }

  async function comes(moment: (typeof MOMENTS)[number], slot: Slot): Promise<void> {
    const [sent, answered] = [slot.sent(), slot.answered()];
    const [bytes, views] = [bytesOfStreams(setup.root), viewsIn(setup.root)];
    const until = performance.now() + MAX_WAIT_MS;
    const has = {
      any: () => true,
      sent: () => slot.sent() > sent,
      within: () => slot.sent() > sent,
      written: () => bytesOfStreams(setup.root) !== bytes,
      shown: () => viewsIn(setup.root) > views,
      answered: () => slot.answered() > answered,
    }[moment];
    // Without a timer, because timers are exact to a millisecond at best.
    const wait = async (isOver: () => boolean) => {
      while (!isOver() && performance.now() < until) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await wait(has);
    const end = performance.now() + random.part() * 15;
    if (moment === 'within') await wait(() => performance.now() > end);
  }

  function stop(slot: Slot): void {
    const pid = slot.pid();
    if (pid === null || !signal(pid, 'SIGSTOP')) return;
    const isLong = random.chance(0.1);
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

  async function killDatabase(server: PostgresServer): Promise<void> {
    counts.databaseKills += 1;
    recorder.fault('kill -9 of the database');
    await server.kill();
    await pause(random.part() * MAX_AWAY_MS);
    await server.start();
    recorder.fault('the database is back');
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
    else if (database !== null && counts.databaseKills * 4 < counts.kills) {
      await killDatabase(database);
    } else if (roll < 0.8) await kill(slot);
    else if (roll < 0.9) stop(slot);
    else stepClock();
  }
  await comeToRest();
  // A writer may have been in the middle of a line when the journal was lost for the last time.
  if (counts.losses.length > 0) await pause(AFTER_LAST_LOSS_MS);
  if (hasDamage(setup.root, setAside)) await repair();
  return counts;
}

function bytesOfStreams(root: string): number {
  let sum = 0;
  for (const kind of ['team', 'session']) {
    const folder = path.join(root, '.deepwork/journal', kind);
    for (const name of namesIn(folder).slice(-20)) {
      sum += statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return sum;
}

const viewsIn = (root: string) => namesIn(path.join(root, '.deepwork/tmp')).length;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
