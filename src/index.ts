// The library: a deepwork server to connect to a transport, ours or your own. Described in
// docs/library.md; this file declares all of its types.
//
//   import { createServer, stdioTransport } from 'deepwork';
//   const server = createServer({ projectRoot: '.' });
//   await server.connect(stdioTransport());

import type { Readable, Writable } from 'node:stream';
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
  /** The folder of bundled jobs; null for none. */
  readonly standardJobsDir?: string | null;
  /** The folder of bundled guides; null for none. */
  readonly standardGuidesDir?: string | null;
  /** Which agent of a team its clients are; default: SGAI_AGENT_IDENTITY, else the coordinator. */
  readonly agent?: string;
  /** Receives each log line; null: no log. Default: stderr. */
  readonly log?: ((line: string) => void) | null;
}

/** A transport as the MCP SDKs define it; theirs can be used, too. */
export interface Transport {
  start(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: each library types messages in its own way
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: each library types messages in its own way
  onmessage?: ((message: any, extra?: any) => void) | undefined;
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
  const { projectRoot, standardJobsDir, standardGuidesDir, agent, log, ...overrides } = options;
  const workspace = openWorkspace({
    projectRoot,
    overrides,
    standardJobsDir: standardJobsDir ?? null,
    standardGuidesDir: standardGuidesDir ?? null,
  });
  const shared = {
    workspace,
    toolsets: TOOLSETS,
    identity: libraryIdentity(agent ?? process.env.SGAI_AGENT_IDENTITY),
    log: logTo(log === undefined ? toStderr : (log ?? (() => {}))),
  };
  const connections = new Set<Connection>();
  let closed = false;
  return {
    async connect(transport) {
      if (closed) throw new Error('This server is closed. Make another one with createServer');
      // Our transport type and the SDK's describe the same thing.
      const connection = await serveOverTransport(transport as SdkTransport, shared);
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

/** A readable Node stream. Declared by its shape, so that users need no Node types. */
export interface InputStream {
  readonly readable: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as Node types it
  on(event: string, listener: (...args: any[]) => void): unknown;
  read(size?: number): unknown;
}

/** A writable Node stream. */
export interface OutputStream {
  readonly writable: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as Node types it
  on(event: string, listener: (...args: any[]) => void): unknown;
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

type SdkTransport = Parameters<typeof serveOverTransport>[0];

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
