// Many clients on several processes that are killed at any moment: ids have no gap, acknowledged
// messages exist, and every message is in one answer or marked.
//
//   DEEPWORK_TEAM_MESSAGES=20000   how many are sent
//   DEEPWORK_SEED=1234             which moments

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { killServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  inboxOf,
  inThisProcess,
  newTeam,
  overHttp,
  overStdio,
  type ReadMessage,
  type Seat,
  type Sit,
} from './support.ts';

const MESSAGES = Number(process.env.DEEPWORK_TEAM_MESSAGES ?? 64);
const PROCESSES = MESSAGES > 64 ? 4 : 3;
const CLIENTS = 4 * PROCESSES;
const AGENTS = { p0: [], p1: [], p2: [], p3: [], sink: [] };

/** A connection that is reopened whenever its server was killed. */
function lastingSeat(sit: Sit, project: Project, identity: string) {
  const take = () => sit(project.root, identity, { closeAfterTest: false });
  let seat: Promise<Seat> = take();
  return {
    /** The text, or null if the outcome of the call is unknown. */
    async tryTo(tool: string, args?: Record<string, unknown>): Promise<string | null> {
      const used = seat;
      try {
        return await (await used).says(tool, args);
      } catch (error) {
        if (/failed: Error:/.test(String(error))) throw error;
        if (seat === used) seat = take();
        return null;
      }
    },
    /** False if no one has noticed yet that it is dead. */
    async kill(): Promise<boolean> {
      try {
        return killServer((await seat).server);
      } catch {
        return false;
      }
    },
    async close() {
      await (await seat).close();
    },
  };
}

type LastingSeat = ReturnType<typeof lastingSeat>;

/** Kills one of them after some more messages, however long a busy machine takes for those. */
async function killNowAndThen(seats: readonly LastingSeat[], chance: Random, sent: () => number) {
  let kills = 0;
  for (let next = chance.between(5, 25); next < MESSAGES; next += chance.between(10, 40)) {
    await until(() => sent() >= next, 600_000);
    if (await chance.pick(seats).kill()) kills += 1;
  }
  return kills;
}

test.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])(
  `${CLIENTS} clients on ${PROCESSES} processes over %s that are killed lose no message`,
  { timeout: 1_800_000 },
  async (_way, sit) => {
    verifies('TEAM-20', 'TEAM-21', 'TEAM-22');
    const chance = randomFrom(chooseSeed());
    const project = newTeam(AGENTS);
    const senders = Array.from({ length: PROCESSES }, (_, index) =>
      lastingSeat(sit, project, `p${index}`),
    );
    const sink = lastingSeat(sit, project, 'sink');
    const acknowledged = new Map<number, string>();
    const read: ReadMessage[] = [];
    let left = MESSAGES;
    let sending = true;

    async function client(number: number): Promise<void> {
      const seat = senders[number % PROCESSES] as LastingSeat;
      while (left > 0) {
        left -= 1;
        const body = `message ${left} of client ${number}`;
        const text = await seat.tryTo('send_message', { toAgent: 'sink', body });
        if (text === null) continue;
        const id = Number(/\(ID: (\d+)\)/.exec(text)?.[1]);
        expect(acknowledged.has(id)).toBe(false);
        acknowledged.set(id, body);
      }
    }

    async function reader(): Promise<void> {
      for (;;) {
        const wasSending = sending;
        const text = await sink.tryTo('check_inbox');
        const found = inboxOf(text ?? 'You have no messages.');
        read.push(...found);
        if (text !== null && found.length === 0 && !wasSending) return;
        if (found.length === 0) await pause(20);
      }
    }

    const reading = reader();
    const killing = killNowAndThen([...senders, sink], chance, () => MESSAGES - left);
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    sending = false;
    expect(await killing).toBeGreaterThan(0);
    await reading;

    const boss = await inThisProcess(project.root, 'coordinator');
    const bus = await boss.says('peek_message_bus');
    const found = bus.matchAll(/^Message \d+ \(ID: (\d+)\): .*\n(?: .*\n)*? {2}Body: (.*)$/gm);
    const stored = [...found]
      .map(([, id, body]) => [Number(id), body as string] as const)
      .reverse();
    expect(stored.map(([id]) => id)).toEqual(stored.map((_, index) => index + 1));
    const bodies = new Map(stored);
    for (const [id, body] of acknowledged) expect(bodies.get(id), `message ${id}`).toBe(body);

    // A killed server may have lost its record of having written an answer; then the answer is
    // repeated, marked. Nothing else is read twice, and nothing is missed.
    const seen = new Set<number>();
    for (const { id, redelivered, body } of read) {
      expect(body).toBe(bodies.get(id));
      if (!redelivered) expect(seen.has(id), `message ${id}`).toBe(false);
      seen.add(id);
    }
    expect(stored.filter(([id]) => !seen.has(id))).toEqual([]);
    expect(bus).not.toContain('Status: pending');
    await Promise.all([...senders, sink].map((seat) => seat.close()));
  },
);
