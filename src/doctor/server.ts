// Whether the project's HTTP server, if one was started, is healthy: by its health request, which
// writes and syncs. Most projects have none, because clients start their own server over stdio.

import { connect } from 'node:net';
import { jsonObjectIn } from '../core/is-record.ts';
import { realPathOf } from '../files/real-path.ts';
import { launchedLog, openRegistry, type Registration, type Registry } from '../launch/registry.ts';
import { type Checker, ok, problem, type Result, warning } from './check.ts';
import { getText } from './http-request.ts';
import { provesItself } from './server-proof.ts';

/** The default port of `deepwork serve --transport http`. */
const DEFAULT_PORT = 8000;
const TIMEOUT_MS = 10_000;

export const server: Checker = {
  name: 'server',
  timeoutMs: TIMEOUT_MS,
  async run({ root, home, signal }) {
    const registry = openRegistry(root, home);
    const result = await examine(root, registry.current(), signal);
    return { ...result, detail: `${result.detail}${logOf(registry)}` };
  },
};

async function examine(
  root: string,
  registered: Registration | null,
  signal: AbortSignal,
): Promise<Result> {
  const url = registered?.url ?? '';
  const text = url === '' ? null : await getText(`${url}/healthz`, signal);
  if (registered === null || text === null) return notRunning(await isTaken(DEFAULT_PORT));
  const health = readHealth(text);
  if (health === null && (await provesItself(registered, signal))) {
    return ok(`answers at ${url}; it needs a token`);
  }
  return judge(url, root, health);
}

/** The log file of the server that was launched last, even if it has ended. */
function logOf(registry: Registry): string {
  const file = launchedLog(registry);
  return file !== null ? `; log of the launched server: ${file}` : '';
}

function notRunning(taken: boolean): Result {
  const port = taken
    ? `port ${DEFAULT_PORT} is taken; serve takes another with --port`
    : `port ${DEFAULT_PORT} is free`;
  return ok(`none is running over HTTP; ${port}`);
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(true));
    socket.on('error', () => end(false));
  });
}

export interface ReportedHealth {
  readonly status: unknown;
  readonly reason: unknown;
  readonly root: unknown;
  readonly write_ms: unknown;
}

/** Null if the text is not a health report of ours. */
export function readHealth(text: string): ReportedHealth | null {
  const { status, reason, root, write_ms } = jsonObjectIn(text) ?? {};
  return typeof status === 'string' && typeof root === 'string'
    ? { status, reason, root, write_ms }
    : null;
}

function judge(url: string, root: string, health: ReportedHealth | null): Result {
  if (health === null || realPathOf(String(health.root)) !== realPathOf(root)) {
    return ok(`none is running over HTTP; another program uses its last address, ${url}`);
  }
  if (health.status === 'ok') return ok(`answers at ${url}, writes in ${health.write_ms} ms`);
  if (health.status === 'failing') {
    return problem(
      `at ${url} cannot write: ${health.reason}`,
      'check the disk and the permissions of its folders',
    );
  }
  return warning(`at ${url} answers '${health.status}'`, 'restart it');
}
