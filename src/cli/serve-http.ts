// deepwork serve --transport http: listens first, registers so that launches find it,
// loads the engine behind the open socket, and serves until it is told to stop.

import { randomBytes } from 'node:crypto';
import { loadHttpEngine } from '../bundles/load-engine.ts';
import type { Overrides } from '../environment/settings.ts';
import { openRegistry, type Registration, type Registry } from '../launch/registry.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { openSocket } from '../server/http/socket.ts';
import { bundled, UsageError } from './command-line.ts';
import { greetPerson } from './connect-help.ts';
import { reportSettings, sayHeld } from './say-held.ts';

export interface ServeHttp {
  readonly projectRoot: string;
  readonly faces: readonly Toolset[];
  readonly overrides: Overrides;
  readonly trusted: boolean;
  readonly host: string;
  readonly port: number;
  /** Which address to show: /mcp or /sse. */
  readonly transport: 'http' | 'sse';
  /** Started by a launch, after the server of this number; ends with its last launch. */
  readonly launchedAfter: number | null;
  /** Called when this server listens for signals itself. */
  started(): void;
}

/** The variable that holds the owner's token. */
const TOKEN = 'DEEPWORK_TOKEN';

/** A server that was started for a launch waits so long for it. */
const LAUNCH_MS = 10_000;

/** Each time that another server was first, this one tries again. */
const MAX_TRIES = 100;

export async function serveHttp(options: ServeHttp): Promise<number> {
  const { projectRoot, host, port, launchedAfter } = options;
  // A launch wants to reach the socket soon; a person, to hear first what is wrong.
  const early = launchedAfter === null ? await prepare(options) : null;
  const socket = await openSocket(host, port).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(cannotListen(error, options));
  });
  const name = host === '::1' ? '[::1]' : isLoopback(host) ? host : '127.0.0.1';
  const url = `http://${name}:${socket.port}`;
  const pass = newSecret();
  const registry = openRegistry(projectRoot);
  if (!register(registry, { url, pass, launched: launchedAfter !== null }, launchedAfter))
    process.exit(0);

  const { engine, workspace, tokens, owner } = early ?? (await prepare(options).catch(giveUp));
  const enough = new AbortController();
  const service = engine.openHttpService(socket.server, {
    workspace,
    faces: options.faces,
    pass,
    tokens: { on: tokens, owners: owner === null ? [pass] : [owner, pass] },
    allowedHosts: async () => (await workspace.settings()).team.allowedHosts,
    ...(launchedAfter === null ? {} : endWithLaunches(enough)),
  });
  socket.handOver(service.handle);
  if (launchedAfter === null) {
    const token = tokens ? howToSetToken(registry, pass, owner !== null) : null;
    process.stdout.write(greetPerson({ ...options, url, token }));
  }
  const told = engine.toldToStop(enough.signal);
  options.started();
  await Promise.race([told, aborted(enough.signal)]);
  enough.abort();
  // Whoever asks twice does not want to wait.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  await service.stop();
  process.exit(0);
}

/** What to run in a shell so that the lines to paste work there; the token itself is not shown. */
function howToSetToken(registry: Registry, pass: string, chosen: boolean): string {
  if (chosen)
    return `Where you connect an agent, set ${TOKEN} to what this server was started with.`;
  const found = registry.current();
  const own = `${TOKEN}=$(openssl rand -hex 32)`;
  if (found?.pass !== pass) {
    return `This server's own cannot be read anywhere: start it again with a ${TOKEN} that you choose (${own}).`;
  }
  const file = `'${registry.fileOf(found.number).replaceAll("'", `'\\''`)}'`;
  return `In the shell where you connect an agent, run this first; it sets yours without showing it:
  export ${TOKEN}="$(sed 's/.*"pass":"\\([^"]*\\)".*/\\1/' ${file})"
It is a new one with every start; to choose it yourself, start with: ${own}`;
}

/** A socket that is open would keep us alive, and whoever waits at it waiting. */
function giveUp(error: Error): never {
  process.stderr.write(`deepwork: ${error.message}\n`);
  process.exit(1);
}

/** What has to be known before anybody is let in. */
async function prepare({ projectRoot, trusted, overrides, host }: ServeHttp) {
  const engine = loadHttpEngine();
  const workspace = engine.openWorkspace({
    ...{ projectRoot, ...bundled(), trusted, overrides },
    onHeld: sayHeld(projectRoot),
  });
  reportSettings(workspace);
  const { team } = await workspace.settings();
  const owner = process.env[TOKEN] || null;
  const local = isLoopback(host);
  if (!local && owner === null && !team.tokens) {
    throw new UsageError(
      `--host ${host} can be reached from elsewhere, so it needs tokens. Set ${TOKEN} to a long random text, or team.tokens: true in .deepwork/config.yml`,
    );
  }
  return { engine, workspace, owner, tokens: team.tokens || !local };
}

/** Whether this server is the one that launches find. */
function register(
  registry: Registry,
  server: Omit<Registration, 'number'>,
  launchedAfter: number | null,
): boolean {
  if (launchedAfter !== null) {
    try {
      return registry.add(launchedAfter, server) !== null;
    } catch (error) {
      return giveUp(error as Error);
    }
  }
  // A person asked for this one, so launches come to it from now on.
  try {
    for (let tries = 0; registry.add(registry.current()?.number ?? 0, server) === null; tries++) {
      if (tries === MAX_TRIES) throw new Error(`${registry.folder} cannot be used. Remove it`);
    }
  } catch (error) {
    const reason = (error as Error).message;
    process.stderr.write(`deepwork: launches will not find this server: ${reason}\n`);
  }
  return true;
}

/** Ends the server with its last launch, or when the one it was started for never came. */
function endWithLaunches(enough: AbortController) {
  const giveUp = setTimeout(() => enough.abort(), LAUNCH_MS).unref();
  return {
    launchesChanged(open: number) {
      clearTimeout(giveUp);
      if (open === 0) enough.abort();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function isLoopback(host: string): boolean {
  return ['localhost', '::1'].includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function cannotListen({ code, message }: NodeJS.ErrnoException, { host, port }: ServeHttp): string {
  if (code === 'EADDRINUSE') {
    // After npm, options need a -- before them.
    const how = process.env.npm_lifecycle_event === 'start' ? ': npm start -- --port 0' : '';
    return `port ${port} is taken. Use another one with --port, or --port 0 for any that is free${how}`;
  }
  return `cannot listen on ${host} port ${port}: ${message}`;
}
