// Finds the workspace's server for a launch, or starts one. If several are started at once,
// one registers and the others exit, so all launches end up at the same server. A server that
// replaces a dead one takes over its port if possible, because agents launched earlier still
// call it there.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { homeOf } from '../environment/home.ts';
import { readSmallText } from '../files/read-contained.ts';
import { type AttachOptions, attach, type Lease } from './attach.ts';
import { logFileOf, openRegistry, type Registration, type Registry } from './registry.ts';

declare const __dirname: string;

export interface Reached {
  readonly url: string;
  readonly lease: Lease;
  /** Started by a launch, not by a person. */
  readonly launched: boolean;
  /** Started by this call. */
  readonly started: boolean;
}

/** A server that takes longer to answer counts as dead. */
export const ANSWER_MS = 10_000;
const START_MS = 20_000;
const MAX_STARTS = 3;
const POLL_MS = 10;
const MAX_LOG_BYTES = 1024 * 1024;

export interface Reach extends Pick<AttachOptions, 'identity' | 'isDashboard'> {
  readonly projectRoot: string;
  readonly env: NodeJS.ProcessEnv;
  /** The only port that a server to be started may use; null: any. */
  readonly port?: number | null;
}

export async function reachServer(reach: Reach): Promise<Reached> {
  const { projectRoot, env, identity, isDashboard = false, port: wanted = null } = reach;
  const registry = openRegistry(projectRoot, homeOf(env));
  for (let starts = 0; ; starts++) {
    const server = registry.current();
    const attachment = { identity, isDashboard, timeoutMs: ANSWER_MS };
    const lease = server && (await attach(server, attachment));
    if (server !== null && lease !== null)
      return { url: server.url, lease, launched: server.launched, started: starts > 0 };
    const number = server?.number ?? 0;
    if (starts === MAX_STARTS) {
      throw new Error(`No server could be reached. ${lastLogLine(registry, number)}`);
    }
    const port = wanted ?? (starts === 0 && server?.launched ? portOf(server) : 0);
    await startServer({ projectRoot, env, registry, after: number, port }).catch((error: Error) => {
      // Another program may hold the port by now; a new agent can use any other.
      if (port === 0 || wanted !== null) throw error;
    });
  }
}

export function portOf({ url }: Pick<Registration, 'url'>): number {
  return URL.canParse(url) ? Number(new URL(url).port) : 0;
}

/** The last log line of a server that is gone, and where its log is. */
function lastLogLine({ folder }: Registry, number: number): string {
  const file = logFileOf(folder, number);
  const lines = readSmallText(file, MAX_LOG_BYTES)?.trim().split('\n') ?? [];
  return `${lines.at(-1) ?? ''} (its log: ${file})`.trim();
}

interface Start {
  readonly projectRoot: string;
  readonly env: NodeJS.ProcessEnv;
  readonly registry: Registry;
  /** The number of the dead server. */
  readonly after: number;
  /** 0: any free port. */
  readonly port: number;
  readonly signal?: AbortSignal;
}

/** Resolves when a server with a higher number has registered, no matter who started it. */
export async function startServer(start: Start): Promise<void> {
  const { registry, after, signal } = start;
  mkdirSync(registry.folder, { recursive: true, mode: 0o700 });
  const logFile = logFileOf(registry.folder, after + 1);
  const child = spawnServer(start, logFile);
  const deadline = Date.now() + START_MS;
  while ((registry.current()?.number ?? 0) <= after) {
    signal?.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw new Error(`The server did not start. ${lastLogLine(registry, after + 1)}`);
    }
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not start in ${START_MS / 1000} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function spawnServer(
  { projectRoot, after, port, env: given }: Start,
  logFile: string,
): ChildProcess {
  const {
    SGAI_AGENT_IDENTITY: _identity,
    SGAI_MCP_URL: _url,
    DEEPWORK_AGENT_TOKEN: _token,
    ...env
  } = given;
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(
      process.execPath,
      [
        path.join(__dirname, 'main.cjs'),
        ...['serve', '--transport', 'http', '--port', String(port)],
        ...['--path', projectRoot, '--launched-after', String(after)],
      ],
      { cwd: projectRoot, env, detached: true, stdio: ['ignore', log, log] },
    );
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}
