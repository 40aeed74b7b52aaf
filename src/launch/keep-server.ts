// Keeps an agent's server running for as long as its command runs. The address and the token
// are in the command's environment and cannot change any more, so a dead server is restarted
// on the same port and given the hash of the token, which keeps it valid. If several launches
// shared the server, one gets the port and the others attach to it. A server that a person
// started is not restarted but waited for, because only they know its options. Progress is
// reported on stderr.

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { homeOf } from '../environment/home.ts';
import { attach, type Lease } from './attach.ts';
import { ANSWER_MS, portOf, type Reached, startServer } from './reach-server.ts';
import { openRegistry } from './registry.ts';

export interface Keep {
  readonly projectRoot: string;
  readonly env: NodeJS.ProcessEnv;
  readonly identity: string;
  readonly reached: Reached;
  say(text: string): void;
}

/** A server that dies more often than this within RESTARTS_MS is not restarted. */
const MAX_RESTARTS = 5;
const RESTARTS_MS = 60_000;
/** Another launch may hold the port without having registered yet. */
const MAX_TRIES = 10;
const TRY_AGAIN_MS = 300;
/** How often to check whether someone has restarted the server. */
const POLL_MS = 500;

export function keepServer(keep: Keep): { end(): void } {
  const { projectRoot, env, identity, reached, say } = keep;
  const { url, launched } = reached;
  const { token } = reached.lease;
  const registry = openRegistry(projectRoot, homeOf(env));
  const ended = new AbortController();
  const { signal } = ended;
  let { lease } = reached;
  let restarts: number[] = [];

  async function run(): Promise<void> {
    for (;;) {
      await lease.over;
      if (signal.aborted) return;
      lease = (await restarted()) ?? (await returned());
      if (signal.aborted) return lease.end();
      say(
        lease.token === null || token !== null
          ? `the server is back at ${url}/mcp.`
          : `the server is back at ${url}/mcp and now requires tokens, which the command does not have. End it and launch it again.`,
      );
    }
  }

  /** Null if it could not be restarted; the reason is reported. */
  async function restarted(): Promise<Lease | null> {
    if (!launched) {
      say(
        `the server at ${url}/mcp has ended. To go on, start it again: deepwork serve --transport http --port ${portOf(reached)} --path ${projectRoot}`,
      );
      return null;
    }
    const now = performance.now();
    restarts = [...restarts.filter((at) => now - at < RESTARTS_MS), now];
    if (restarts.length > MAX_RESTARTS) {
      const seconds = RESTARTS_MS / 1000;
      return cannot(`it has ended ${restarts.length} times within ${seconds} s`);
    }
    say(`the server at ${url}/mcp has ended. Starting it again.`);
    let why = '';
    let dead: number | null = null;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = registry.current();
      // Another program on the port may never answer: wait for it only once.
      const again = found && found.number !== dead ? await attachTo(found) : null;
      if (again) return again;
      dead = found?.number ?? null;
      if (found !== null && found.url !== url && (await isListening(portOf(found)))) {
        return cannot(`the server of this project is now at ${found.url}/mcp`);
      }
      const start = {
        projectRoot,
        env,
        registry,
        after: found?.number ?? 0,
        port: portOf(reached),
      };
      const problem = await startServer({ ...start, signal }).catch((error: Error) => error);
      if (problem === undefined) continue;
      signal.throwIfAborted();
      why = problem.message;
      await pause(TRY_AGAIN_MS, undefined, { signal });
    }
    return cannot(why);
  }

  function cannot(why: string): null {
    say(
      `the server could not be started again at ${url}/mcp: ${why.replace(/\.$/, '')}. The command can no longer reach deepwork: end it and launch it again.`,
    );
    return null;
  }

  /** Waits until someone has started the server again. */
  async function returned(): Promise<Lease> {
    for (let last = 0; ; await pause(POLL_MS, undefined, { signal })) {
      const found = registry.current();
      if (found === null || found.number === last) continue;
      last = found.number;
      const again = await attachTo(found);
      if (again !== null) return again;
    }
  }

  async function attachTo(found: Parameters<typeof attach>[0]): Promise<Lease | null> {
    if (found.url !== url) return null;
    return attach(found, { identity, timeoutMs: ANSWER_MS, keep: token, signal });
  }

  // Errors after the command has ended do not matter; earlier ones are reported.
  run().catch((error: Error) => {
    if (!signal.aborted) cannot(error.message);
  });
  return {
    end() {
      ended.abort();
      lease.end();
    },
  };
}

/** Only connects: attaching would count as a launch, and its end would end that server. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_MS });
    const found = (there: boolean) => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', () => found(true));
    socket.once('timeout', () => found(false));
    socket.once('error', () => found(false));
  });
}
