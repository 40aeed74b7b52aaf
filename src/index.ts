// The library: a deepwork server to connect to a transport, of ours or of your own. What it
// exports is described in docs/library.md; the types of it all stand in this file.
//
//   import { createServer, stdioTransport } from 'deepwork';
//   const server = createServer({ projectRoot: '.' });
//   await server.connect(stdioTransport());

import type { Readable, Writable } from 'node:stream';
import { openWorkspace } from './engine/workspace.ts';
import { TOOLSETS } from './operations/toolsets.ts';
import { ownSpeaker } from './server/caller-identity.ts';
import { type Connection, openConnection } from './server/library/connection.ts';
import { judgeOptions } from './server/library/options.ts';
import { memoryTransports, streamTransport } from './server/library/transports.ts';
import { logTo } from './server/log.ts';

export interface ServerOptions {
  /** The project that the server works in; made absolute. */
  readonly projectRoot: string;
  /** False: reviews are not asked for. Rules still hold. */
  readonly enableQualityGate?: boolean;
  /** Seconds that one review may take, before it grows with the size of the files. */
  readonly qualityGateTimeout?: number;
  readonly qualityGateMaxAttempts?: number;
  /** `claude`: reviews by the Claude CLI. Null: self-review. */
  readonly externalRunner?: 'claude' | null;
  /** Reviews by any command. */
  readonly agentReviewCommand?: string | null;
  readonly maxParallelReviews?: number;
  readonly gitBranch?: 'create' | 'checkout' | 'off';
  /** Where bundled jobs are; null for none. */
  readonly standardJobsDir?: string | null;
  /** Where bundled guides are; null for none. */
  readonly standardGuidesDir?: string | null;
  /** Which agent of a team its clients are; SGAI_AGENT_IDENTITY or the coordinator if absent. */
  readonly agent?: string;
  /** Takes each line of the log; null: no log. Lines go to stderr if absent. */
  readonly log?: ((line: string) => void) | null;
}

/** A transport as MCP's own libraries have it; theirs can be used as well. */
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
  /** Serves one client; several may be connected at a time. */
  connect(transport: Transport): Promise<void>;
  /** Lets running calls end, for two seconds at most, and closes every connection. */
  close(): Promise<void>;
}

/** Throws a TypeError that names the option which does not fit. */
export function createServer(options: ServerOptions): DeepworkServer {
  judgeOptions(options);
  const { projectRoot, standardJobsDir, standardGuidesDir, agent, log, ...overrides } = options;
  const workspace = openWorkspace({
    projectRoot,
    overrides,
    standardJobsDir: standardJobsDir ?? null,
    standardGuidesDir: standardGuidesDir ?? null,
  });
  const shared = {
    workspace,
    faces: TOOLSETS,
    speaker: ownSpeaker(agent ?? process.env.SGAI_AGENT_IDENTITY),
    log: logTo(log === undefined ? toStderr : (log ?? (() => {}))),
  };
  const connections = new Set<Connection>();
  let closed = false;
  return {
    async connect(transport) {
      if (closed) throw new Error('This server is closed. Make another one with createServer');
      // Our type of a transport and the SDK's describe the same thing.
      const connection = await openConnection(transport as SdkTransport, shared);
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

/** A readable stream of Node. Said by its shape, so that types of Node are not needed here. */
export interface InputStream {
  readonly readable: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as Node types it
  on(event: string, listener: (...args: any[]) => void): unknown;
  read(size?: number): unknown;
}

/** A writable stream of Node. */
export interface OutputStream {
  readonly writable: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as Node types it
  on(event: string, listener: (...args: any[]) => void): unknown;
  write(text: string): boolean;
}

/** Lines on two streams: how MCP clients talk to a server that they start. */
export function stdioTransport(
  input: InputStream = process.stdin,
  output: OutputStream = process.stdout,
): Transport {
  return streamTransport(input as Readable, output as Writable);
}

/** Two ends in one process: what one sends, the other receives. */
export function memoryTransport(): readonly [client: Transport, server: Transport] {
  return memoryTransports();
}

type SdkTransport = Parameters<typeof openConnection>[0];

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
