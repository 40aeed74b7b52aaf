// A server process and a minimal client for it: lines of JSON without a library, so that a test
// can end the process at any moment of a call and still knows what was sent before. An answer
// counts as given once its whole line has left the server.

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Answer } from './calls.ts';
import { BINARY } from './connect.ts';

/** Longer than any call takes on a working machine. */
const PATIENCE_MS = 60_000;
const LOG_KEPT = 8192;

export interface RawServer {
  readonly pid: number;
  /** Sends a call now. The answer is null if the server died without giving one. */
  send(tool: string, args: object): Promise<Answer | null>;
  /** Sends a call and expects the server to survive it. */
  call(tool: string, args: object): Promise<Answer>;
  isAlive(): boolean;
  /** SIGKILL; resolves when all output of the server has been read. */
  kill(): Promise<void>;
}

export type Identity = { readonly clientSession: string } | 'own process';

export interface ServerOptions {
  /** Arguments for the server, after `serve --path …`. */
  readonly args?: readonly string[];
  /** For node, before the program. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function startServer(
  root: string,
  identity: Identity,
  { args = [], nodeArgs = [], env: more = {} }: ServerOptions = {},
): RawServer {
  const env =
    identity === 'own process'
      ? process.env
      : { ...process.env, CLAUDE_CODE_SESSION_ID: identity.clientSession };
  const command = [...nodeArgs, BINARY, 'serve', '--path', root, ...args];
  const child = spawn(process.execPath, command, {
    env: { ...env, ...more },
    cwd: path.dirname(BINARY),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return converse(child);
}

/** Ends every server that a failed test left running. Call it inside a test. */
export function killAfterTest(servers: Iterable<RawServer>): void {
  onTestFinished(async () => {
    await Promise.all([...servers].map((server) => server.kill()));
  });
}

interface Waiting {
  give(answer: Answer | null): void;
  fail(error: Error): void;
}

function converse(child: ChildProcess): RawServer {
  const waiting = new Map<number, Waiting>();
  let log = '';
  let unread = '';
  let nextId = 1;
  let alive = true;
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      alive = false;
      for (const [, { give }] of waiting) give(null);
      waiting.clear();
      resolve();
    });
  });
  child.once('exit', () => {
    alive = false;
  });
  // Ignore errors of writing to a dead process: `close` reports its end.
  child.stdin?.on('error', () => {});
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_KEPT);
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unread + text).split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) read(line);
  });

  function read(line: string): void {
    const message = JSON.parse(line);
    const call = waiting.get(message.id);
    if (call === undefined) return;
    waiting.delete(message.id);
    if (message.result === undefined) {
      call.fail(new Error(`Not a tool's result: ${line}`));
      return;
    }
    const { isError, content, structuredContent } = message.result;
    call.give({ isError: isError === true, text: content[0].text, data: structuredContent });
  }

  function write(message: object): void {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async function send(tool: string, args: object): Promise<Answer | null> {
    const id = nextId++;
    const answer = new Promise<Answer | null>((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(late);
        reject(error);
      };
      const late = setTimeout(
        () => fail(new Error(`No answer to ${tool} in ${PATIENCE_MS} ms.\n${log}`)),
        PATIENCE_MS,
      );
      const give = (given: Answer | null) => {
        clearTimeout(late);
        resolve(given);
      };
      waiting.set(id, { give, fail });
    });
    if (alive) write({ id, method: 'tools/call', params: { name: tool, arguments: args } });
    else waiting.get(id)?.give(null);
    return answer;
  }

  write({
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'deepwork-tests', version: '1' },
    },
  });
  write({ method: 'notifications/initialized' });

  return {
    pid: child.pid as number,
    send,
    async call(tool, args) {
      const answer = await send(tool, args);
      if (answer === null) throw new Error(`The server died of ${tool}.\n${log}`);
      return answer;
    },
    isAlive: () => alive,
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
