// The library: a deepwork server to connect to a transport, ours or your own. Described in
// docs/library.md; this file declares all of its types.
//
//   import { createServer, stdioTransport } from 'deepwork';
//   const server = createServer({ projectRoot: '.' });
//   await server.connect(stdioTransport());

import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openWorkspace } from './engine/workspace.ts';
import { TOOLSETS } from './operations/toolsets.ts';
import { type Connection, serveOverTransport } from './server/any-transport.ts';
import { libraryIdentity } from './server/caller-identity.ts';
import { checkOptions } from './server/embedded/options.ts';
import { memoryTransports, streamTransport } from './server/embedded/transports.ts';
import { logTo } from './server/log.ts';

export interface ServerOptions {
  /** The project that the server works in; resolved to an absolute path. */
  readonly projectRoot: string;
  /** False: no reviews. Rules still apply. */
  readonly enableQualityGate?: boolean;
  /** Base time limit of one review in seconds; it grows with the size of the files. */
  readonly qualityGateTimeout?: number;
  readonly qualityGateMaxAttempts?: number;
  /** `claude`: reviews by the Claude CLI. Null: self-review, whatever the project's config says. */
  readonly externalRunner?: 'claude' | null;
  /** Reviews by any command. Null: not by the command in the project's config. */
  readonly agentReviewCommand?: string | null;
  readonly maxParallelReviews?: number;
  readonly gitBranch?: 'create' | 'checkout' | 'off';
  /** Which tools its clients see; default: all three. */
  readonly tools?: readonly ('jobs' | 'guides' | 'team')[];
  /** True: the jobs and guides that ship with deepwork are there, as with `deepwork serve`. */
  readonly bundledJobs?: boolean;
  /** A folder of jobs that ship with your program; null for none. */
  readonly standardJobsDir?: string | null;
  /** A folder of guides that ship with your program; null for none. */
  readonly standardGuidesDir?: string | null;
  /** Which agent of a team its clients are; default: SGAI_AGENT_IDENTITY, else the coordinator. */
  readonly agent?: string;
  /** Receives each log line; null: no log. Default: stderr. */
  readonly log?: ((line: string) => void) | null;
}

/** A transport as the MCP SDKs define it; theirs can be used, too. */
export interface Transport {
  start(): Promise<void>;
  send(message: object, options?: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?(message: object, extra?: object): void;
}

export interface DeepworkServer {
  /** Serves one client; several may be connected at once. */
  connect(transport: Transport): Promise<void>;
  /** Gives running calls up to two seconds to end, then closes every connection. */
  close(): Promise<void>;
}

/** Throws a TypeError that names the invalid option. */
export function createServer(options: ServerOptions): DeepworkServer {
  checkOptions(options);
  const { projectRoot, tools, bundledJobs, agent, log, ...others } = options;
  const { standardJobsDir, standardGuidesDir, ...overrides } = others;
  const shipped = (folder: string) => (bundledJobs ? inPackage(folder) : null);
  const workspace = openWorkspace({
    projectRoot,
    overrides,
    standardJobsDir: standardJobsDir ?? shipped('standard_jobs'),
    standardGuidesDir: standardGuidesDir ?? shipped('standard_workflows'),
  });
  const shared = {
    workspace,
    toolsets: tools ?? TOOLSETS,
    identity: libraryIdentity(agent ?? process.env.SGAI_AGENT_IDENTITY),
    log: logTo(log === undefined ? toStderr : (log ?? (() => {}))),
  };
  const connections = new Set<Connection>();
  let closed = false;
  return {
    async connect(transport) {
      if (closed) throw new Error('This server is closed. Make another one with createServer');
      const connection = await serveOverTransport(transport, shared);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    },
    async close() {
      closed = true;
      await Promise.all([...connections].map((each) => each.close()));
      workspace.stop();
      await workspace.close();
    },
  };
}

export { createServer as create_server };

/** The library is one folder below. */
function inPackage(folder: string): string {
  return fileURLToPath(new URL(`../${folder}`, import.meta.url));
}

/** A readable Node stream. Declared by its shape, so that users need no Node types. */
export interface InputStream {
  readonly readable: boolean;
  on(event: string, listener: (...args: never[]) => void): unknown;
  read(size?: number): unknown;
}

/** A writable Node stream. */
export interface OutputStream {
  readonly writable: boolean;
  on(event: string, listener: (...args: never[]) => void): unknown;
  write(text: string): boolean;
}

/** Lines on two streams, as MCP clients talk to a server that they start. */
export function stdioTransport(
  input: InputStream = process.stdin,
  output: OutputStream = process.stdout,
): Transport {
  return streamTransport(input as Readable, output as Writable);
}

/** Two connected ends in one process: each receives what the other sends. */
export function memoryTransport(): readonly [client: Transport, server: Transport] {
  return memoryTransports();
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
