// deepwork serve --transport http: listens first, registers so that launches find it,
// loads the engine while the socket is open, and serves until it is stopped.

import { randomBytes } from 'node:crypto';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { homeOf } from '../../environment/home.ts';
import { firstSignal } from '../../environment/process/signals.ts';
import type { Overrides } from '../../environment/settings/settings.ts';
import { openRegistry, type Registration, type Registry } from '../../launch/registry.ts';
import { startRun } from '../../launch/start-run.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import { openSocket } from '../../server/http/socket.ts';
import { stopRequested } from '../../server/stop.ts';
import { pageFolder, UsageError } from '../command-line.ts';
import type { Io } from '../io.ts';
import { projectOptions } from '../project.ts';
import { greetPerson } from './connect-help.ts';
import { reportHeldBack, reportSettings } from './report-settings.ts';

export interface ServeHttp {
  readonly projectRoot: string;
  readonly toolsets: readonly Toolset[];
  readonly overrides: Overrides;
  readonly trusted: boolean;
  readonly host: string;
  readonly port: number;
  /** Which address to show: /mcp or /sse. */
  readonly transport: 'http' | 'sse';
  /** The number of the previous server, if a launch started this one: it ends with its last launch. */
  readonly launchedAfter: number | null;
  /** Called once this server handles signals itself. */
  started(): void;
}

/** The variable that holds the owner's token. */
const TOKEN = 'DEEPWORK_TOKEN';

/** How long a server started by a launch waits for that launch to attach. */
const LAUNCH_TIMEOUT_MS = 10_000;

/** Retries after another server registered first. */
const MAX_TRIES = 100;

export async function serveHttp(io: Io, options: ServeHttp): Promise<number> {
  const { projectRoot, host, port, launchedAfter } = options;
  // A launch waits for the socket; a person has to see problems first.
  const early = launchedAfter === null ? await prepare(io, options) : null;
  const socket = await openSocket(host, port).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(cannotListen(io, error, options));
  });
  const name = host === '::1' ? '[::1]' : isLoopback(host) ? host : '127.0.0.1';
  const url = `http://${name}:${socket.port}`;
  const pass = newSecret();
  const registry = openRegistry(projectRoot, homeOf(io.env));
  let prepared: Prepared;
  try {
    const own = { url, pass, launched: launchedAfter !== null };
    if (!register(io, registry, own, launchedAfter)) return 0;
    prepared = early ?? (await prepare(io, options));
  } catch (error) {
    // Its log shows one line, whatever kind of error it is.
    io.stderr.write(`deepwork: ${(error as Error).message}\n`);
    return 1;
  }
  const { engine, workspace, tokens, owner } = prepared;
  const stop = new AbortController();
  const service = engine.openHttpService(socket.server, {
    workspace,
    toolsets: options.toolsets,
    pass,
    tokens: { on: tokens, owners: owner === null ? [pass] : [owner, pass] },
    allowedHosts: async () => (await workspace.settings()).team.allowedHosts,
    page: engine.openPage({
      workspace,
      board: engine.openProjectBoard({
        ...projectOptions(io, projectRoot),
        database: workspace.database,
      }),
      folder: pageFolder(),
      startRun: (args) => startRun({ projectRoot, pass, env: io.env, args }),
    }),
    ...(launchedAfter === null ? {} : endWithLaunches(stop)),
  });
  socket.handOver(service.handle);
  if (launchedAfter === null) {
    const token = tokens ? howToSetToken(registry, pass, owner !== null) : null;
    io.stdout.write(greetPerson({ ...options, url, token }));
  }
  const signalled = stopRequested(io.signals, io.env, stop.signal);
  options.started();
  await Promise.race([signalled, aborted(stop.signal)]);
  stop.abort();
  // A second signal ends the process at once.
  const again = firstSignal(io.signals, 'SIGTERM', 'SIGINT');
  return Promise.race([service.stop().then(() => 0), again.then(() => 1)]);
}

/** The shell command that sets the token for the lines to paste, without showing the token. */
function howToSetToken(registry: Registry, pass: string, chosen: boolean): string {
  if (chosen)
    return `Where you connect an agent, set ${TOKEN} to the value this server was started with.`;
  const found = registry.current();
  const own = `${TOKEN}=$(openssl rand -hex 32)`;
  if (found?.pass !== pass) {
    return `The token of this server cannot be read: start it again with a ${TOKEN} that you choose (${own}).`;
  }
  const file = `'${registry.fileOf(found.number).replaceAll("'", `'\\''`)}'`;
  return `In the shell where you connect an agent, run this first; it sets the token without showing it:
  export ${TOKEN}="$(sed 's/.*"pass":"\\([^"]*\\)".*/\\1/' ${file})"
The token changes with every start; to choose it yourself, start with: ${own}`;
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Opens the workspace and reads the settings that decide who may connect. */
async function prepare(io: Io, { projectRoot, trusted, overrides, host }: ServeHttp) {
  const engine = loadBundle('engine-http');
  const workspace = engine.openWorkspace({
    ...projectOptions(io, projectRoot),
    trusted,
    overrides,
    onHeld: reportHeldBack(io, projectRoot),
  });
  reportSettings(workspace);
  const { team } = await workspace.settings();
  const owner = io.env[TOKEN] || null;
  const local = isLoopback(host);
  if (!local && owner === null && !team.tokens) {
    throw new UsageError(
      `--host ${host} can be reached from other machines, so it needs tokens. Set ${TOKEN} to a long random text, or team.tokens: true in .deepwork/config.yml`,
    );
  }
  return { engine, workspace, owner, tokens: team.tokens || !local };
}

/** Whether launches will find this server: false if another one was faster. */
function register(
  io: Io,
  registry: Registry,
  server: Omit<Registration, 'number'>,
  launchedAfter: number | null,
): boolean {
  if (launchedAfter !== null) return registry.add(launchedAfter, server) !== null;
  // A person started this server, so later launches use it.
  try {
    for (let tries = 0; registry.add(registry.current()?.number ?? 0, server) === null; tries++) {
      if (tries === MAX_TRIES) throw new Error(`${registry.folder} cannot be used. Remove it`);
    }
  } catch (error) {
    const reason = (error as Error).message;
    io.stderr.write(`deepwork: launches will not find this server: ${reason}\n`);
  }
  return true;
}

/** Ends the server with its last launch, or if the launch that started it never attaches. */
function endWithLaunches(stop: AbortController) {
  const attachTimeout = setTimeout(() => stop.abort(), LAUNCH_TIMEOUT_MS).unref();
  return {
    launchesChanged(open: number) {
      clearTimeout(attachTimeout);
      if (open === 0) stop.abort();
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

function cannotListen(
  { env }: Io,
  { code, message }: NodeJS.ErrnoException,
  { host, port }: ServeHttp,
): string {
  if (code === 'EADDRINUSE') {
    // npm needs a -- before the options.
    const how = env.npm_lifecycle_event === 'start' ? ': npm start -- --port 0' : '';
    return `port ${port} is taken. Choose another with --port, or --port 0 for any free port${how}`;
  }
  return `cannot listen on ${host} port ${port}: ${message}`;
}
