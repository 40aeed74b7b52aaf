// A real client on a real server: the built binary over stdio, in either era.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { expectListedShape } from './output-schemas.ts';

export const BINARY = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));

/** `handshake` opens with initialize, `stateless` with server/discover (2026-07-28). */
export type Era = 'handshake' | 'stateless';
export const ERAS: readonly Era[] = ['handshake', 'stateless'];

export interface Answer {
  readonly isError: boolean;
  /** The one text block. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly data: any;
}

export interface Connection {
  readonly client: Client;
  /** The server's process id, to kill it with. */
  readonly pid: number;
  /** Everything the server wrote to stderr so far. */
  log(): string;
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  /** Calls and expects success: the structured answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  ok(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** Calls and expects a refusal: its text. */
  refused(tool: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly client?: ClientOptions;
  /** False if the caller closes the connection itself, e.g. after killing the server. */
  readonly closeAfterTest?: boolean;
}

export async function connect(root: string, options: ConnectOptions = {}): Promise<Connection> {
  const { CLAUDE_CODE_SESSION_ID: _own, NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, 'serve', '--path', root, ...(options.args ?? [])],
    env: { ...(env as Record<string, string>), ...options.env },
    stderr: 'pipe',
    cwd: path.dirname(BINARY),
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const client = new Client(
    { name: 'deepwork-tests', version: '1' },
    options.era === 'stateless'
      ? { ...options.client, versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : options.client,
  );
  await client.connect(transport);

  async function call(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = await client.callTool({ name: tool, arguments: args });
    expectListedShape(tool, result.structuredContent);
    const block = (result.content as { type: string; text: string }[])[0];
    return {
      isError: result.isError === true,
      text: block?.text ?? '',
      data: result.structuredContent,
    };
  }

  const connection: Connection = {
    client,
    pid: transport.pid as number,
    log: () => log,
    call,
    async ok(tool, args) {
      const answer = await call(tool, args);
      if (answer.isError) throw new Error(`${tool} was refused: ${answer.text}`);
      return answer.data;
    },
    async refused(tool, args) {
      const answer = await call(tool, args);
      if (!answer.isError) throw new Error(`${tool} was not refused: ${answer.text}`);
      return answer.text;
    },
    close: () => client.close(),
  };
  if (options.closeAfterTest !== false) onTestFinished(() => connection.close());
  return connection;
}
