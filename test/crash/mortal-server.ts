// A server that is killed in every life, at a random moment, and can be restarted. For its caller
// a kill is one of two things: the call throws `Killed`, with an unknown outcome; or the answer
// was already sent and arrives as usual, and only the next call throws.

import type { Answer } from '../support/calls.ts';
import { type KillTimer, observeDurations, waitUntil } from './kill-timer.ts';
import { type Identity, killAfterTest, type RawServer, startServer } from './raw-server.ts';

export class Killed extends Error {
  /** False if the server was dead before the call could be sent. */
  readonly sent: boolean;

  constructor(sent: boolean) {
    super('The server was killed');
    this.sent = sent;
  }
}

export interface MortalServer {
  /** Begins a life; without a kill timer it lasts until `end`. */
  begin(killTimer: KillTimer | null): void;
  call(tool: string, args: object): Promise<Answer>;
  /** Closes the connection, and expects the server to exit cleanly. */
  end(): Promise<void>;
  readonly counts: { calls: number; kills: number };
}

/** What is visible on disk of a call in progress, since the signs were taken. */
export interface Signs {
  written(): boolean;
  shown(): boolean;
}

const READING: readonly string[] = ['get_active_workflow', 'validate_step_outputs'];

export function keepServer(root: string, identity: Identity, takeSigns: () => Signs): MortalServer {
  const durations = observeDurations();
  const counts = { calls: 0, kills: 0 };
  const servers = new Set<RawServer>();
  killAfterTest(servers);
  let server: RawServer | null = null;
  let killTimer: KillTimer | null = null;
  let isFirst = true;
  let isKilled = false;

  async function callToDeath(
    { moment, depth }: KillTimer,
    living: RawServer,
    name: string,
    send: () => Promise<Answer | null>,
  ): Promise<Answer> {
    counts.kills += 1;
    isKilled = true;
    if (moment === 'idle') {
      await living.kill();
      throw new Killed(false);
    }
    const signs = takeSigns();
    const end = performance.now() + depth * durations.of(name);
    const reached = {
      sent: () => true,
      within: () => performance.now() >= end,
      written: signs.written,
      shown: signs.shown,
      answered: () => false,
    }[moment];
    let answered = false;
    const answering = send().finally(() => {
      answered = true;
    });
    await waitUntil(() => answered || reached());
    await living.kill();
    const answer = await answering;
    if (answer === null) throw new Killed(true);
    return answer;
  }

  return {
    counts,
    begin(next) {
      if (server !== null) servers.delete(server);
      server = startServer(root, identity);
      servers.add(server);
      killTimer = next;
      isFirst = true;
      isKilled = false;
    },
    async call(tool, args) {
      const living = server;
      if (living === null || isKilled) throw new Killed(false);
      // The first call waits for the server to load, so its time does not count.
      const name = isFirst ? `first ${tool}` : tool;
      isFirst = false;
      counts.calls += 1;
      const isCounted = killTimer !== null && (killTimer.onAnyCall || !READING.includes(tool));
      if (killTimer !== null && isCounted && killTimer.calls-- <= 0) {
        return callToDeath(killTimer, living, name, () => living.send(tool, args));
      }
      const began = performance.now();
      const answer = await living.call(tool, args);
      durations.add(name, performance.now() - began);
      return answer;
    },
    async end() {
      const code = await server?.close();
      if (code !== 0) throw new Error(`The server left with ${code}.\n${server?.log()}`);
    },
  };
}
