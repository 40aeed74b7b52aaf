// A real client on a real server. What a tool answers is tested on a server of the built library in
// the test's own process: a process for each of a thousand servers would take most of the time. A
// server that needs arguments or an environment that no server in this process can have, and a test
// that is about processes, gets the built binary over stdio; with DEEPWORK_TEST_STDIO=1 every test does.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { type Calls, callsOf, type Era, newClient } from './calls.ts';
import { connectInMemory, type ServerOptions } from './in-memory.ts';
import { connectToStdioHere } from './in-process-stdio.ts';

const inRepository = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
export const BINARY = inRepository('dist/main.cjs');

/** The jobs and guides that the binary finds by itself. */
export const BUNDLED = {
  standardJobsDir: inRepository('standard_jobs'),
  standardGuidesDir: inRepository('standard_workflows'),
};

export interface Connection extends Calls {
  readonly client: Client;
  /** Everything the server has logged so far; of a process all that it wrote to stderr. */
  log(): string;
  close(): Promise<void>;
}

export interface ProcessConnection extends Connection {
  /** The server's process id, to kill it with. */
  readonly pid: number;
}

export interface ConnectOptions {
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly client?: ClientOptions;
  /** True if the client names its conversation with each call, as Codex does. */
  readonly namesConversations?: boolean;
}

export interface ProcessOptions extends ConnectOptions {
  /** False if the caller closes the connection itself, e.g. after killing the server. */
  readonly closeAfterTest?: boolean;
}

export async function connect(root: string, options: ConnectOptions = {}): Promise<Connection> {
  const args = options.args ?? [];
  const sameAs = libraryOptions(args.filter((arg) => arg !== '--trust'));
  const env = { ...options.env, ...(args.includes('--trust') && { DEEPWORK_TRUST: '1' }) };
  const isAsked = process.env.DEEPWORK_TEST_STDIO === '1';
  const isPossible = sameAs !== null && Object.keys(env).every((name) => POSSIBLE.has(name));
  if (isAsked || !isPossible || !useLookedUp(env)) return connectToProcess(root, options);
  let log = '';
  const server: ServerOptions = {
    projectRoot: root,
    ...BUNDLED,
    log: (line) => {
      log += `${line}\n`;
    },
    ...sameAs,
  };
  const isForConversation = SESSION in env || options.namesConversations === true;
  const connectHere = isForConversation ? connectToStdioHere : connectInMemory;
  return { ...(await connectHere(server, { ...options, env })), log: () => log };
}

/** The conversation of a client that the server is for. */
const SESSION = 'CLAUDE_CODE_SESSION_ID';
const POSSIBLE: ReadonlySet<string> = new Set([
  SESSION,
  // Looked up for every call, in the whole process.
  'HOME',
  'PATH',
  // Read when a server is made.
  'DEEPWORK_TRUST',
  'DEEPWORK_ADDITIONAL_JOBS_FOLDERS',
  'DEEPWORK_WORKFLOW_FOLDERS',
  'SGAI_AGENT_IDENTITY',
]);

const DEFAULT_HOME = process.env.HOME ?? '/';
let inUse: { readonly home: string; readonly searched: string | undefined } | null = null;

/** All servers in this process look up the same. False: this test already has one with others. */
function useLookedUp(env: Readonly<Record<string, string>>): boolean {
  const { HOME: home = DEFAULT_HOME, PATH: searched } = env;
  if (inUse !== null) return inUse.home === home && inUse.searched === searched;
  const { PATH: before } = process.env;
  inUse = { home, searched };
  process.env.HOME = home;
  // Otherwise it is the test's, which may have changed it.
  if (searched !== undefined) process.env.PATH = searched;
  onTestFinished(() => {
    inUse = null;
    process.env.HOME = DEFAULT_HOME;
    if (searched !== undefined) process.env.PATH = before;
  });
  return true;
}

/** What arguments of `deepwork serve` are called in the library; null if it has no such option. */
function libraryOptions(args: readonly string[]): Partial<ServerOptions> | null {
  const [name, value, ...more] = args;
  if (name === undefined) return {};
  if (name === '--no-quality-gate') return withOption({ enableQualityGate: false }, args.slice(1));
  if (value === undefined) return null;
  if (name === '--agent') return withOption({ agent: value }, more);
  if (name === '--external-runner' && value === 'claude') {
    return withOption({ externalRunner: value }, more);
  }
  if (name === '--quality-gate') return withOption({ agentReviewCommand: value }, more);
  return null;
}

function withOption(
  option: Partial<ServerOptions>,
  others: readonly string[],
): Partial<ServerOptions> | null {
  const rest = libraryOptions(others);
  return rest && { ...option, ...rest };
}

/** The built binary over stdio, as a client starts it. */
export async function connectToProcess(
  root: string,
  options: ProcessOptions = {},
): Promise<ProcessConnection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, 'serve', '--path', root, ...(options.args ?? [])],
    env: { ...(process.env as Record<string, string>), ...options.env },
    stderr: 'pipe',
    cwd: path.dirname(BINARY),
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const client = newClient(options.era, options.client);
  await client.connect(transport);
  const close = () => client.close();
  if (options.closeAfterTest !== false) onTestFinished(close);
  return {
    client,
    close,
    pid: transport.pid as number,
    log: () => log,
    ...callsOf(client),
  };
}
