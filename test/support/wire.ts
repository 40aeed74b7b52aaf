// A server without a client library: lines in, lines out. For what a well-behaved client would never
// send or notice.

import { spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { BINARY, BUNDLED } from './connect.ts';
import { importLibrary } from './in-memory.ts';

export interface Reply {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely by tests
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely by tests
  readonly error?: any;
}

export interface Lines {
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Writes each message as one line, all in a single write. */
  send(...messages: unknown[]): void;
  /** The next replies, in order of arrival; each is returned once. */
  next(count: number): Promise<Reply[]>;
  /** Everything on stdout so far, line by line. */
  lines(): string[];
  /** Everything that was logged so far. */
  log(): string;
}

export interface Wire extends Lines {
  readonly pid: number;
  endInput(): void;
  /** As a client that is gone does. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const PATIENCE_MS = 60_000;

export function openWire(
  root: string,
  binary: string = BINARY,
  more: Readonly<Record<string, string>> = {},
): Wire {
  const child = spawn(process.execPath, [binary, 'serve', '--path', root], {
    cwd: root,
    env: { ...process.env, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const ended: Wire['ended'] = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  return {
    pid: child.pid as number,
    ...linesOn(child.stdin, child.stdout, { hasEnded, ended, log: () => log }),
    endInput: () => void child.stdin.end(),
    stopReading: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/**
 * The same on a server of the built library in this process, with the transport that the binary
 * has, too: for what depends on the lines alone.
 */
export async function openWireInProcess(root: string): Promise<Lines> {
  if (process.env.DEEPWORK_TEST_STDIO === '1') return openWire(root);
  const { createServer, stdioTransport } = await importLibrary();
  let log = '';
  const server = createServer({
    projectRoot: root,
    ...BUNDLED,
    log: (line) => {
      log += `${line}\n`;
    },
  });
  const input = new PassThrough();
  const output = new PassThrough();
  await server.connect(stdioTransport(input, output));
  onTestFinished(() => server.close());
  const ended = new Promise<void>((resolve) => output.once('close', resolve));
  return linesOn(input, output, { hasEnded: () => output.destroyed, ended, log: () => log });
}

interface Served {
  hasEnded(): boolean;
  readonly ended: Promise<unknown>;
  log(): string;
}

function linesOn(input: Writable, output: Readable, { hasEnded, ended, log }: Served): Lines {
  let out = '';
  let given = 0;
  let arrived = () => {};
  input.on('error', () => {});
  output.setEncoding('utf8').on('data', (text) => {
    out += text;
    arrived();
  });
  void ended.then(() => arrived());
  const lines = () => out.split('\n').slice(0, -1);

  return {
    write: (bytes) => void input.write(bytes),
    send: (...messages) =>
      void input.write(messages.map((each) => `${JSON.stringify(each)}\n`).join('')),
    async next(count) {
      const deadline = Date.now() + PATIENCE_MS;
      while (lines().length < given + count) {
        const left = deadline - Date.now();
        if (left <= 0 || hasEnded()) break;
        await new Promise<void>((resolve) => {
          arrived = resolve;
          setTimeout(resolve, left);
        });
      }
      const fresh = lines().slice(given, given + count);
      expect(fresh.length, `${count} replies, seen:\n${fresh.join('\n')}\n${log()}`).toBe(count);
      given += count;
      return fresh.map((line) => JSON.parse(line));
    },
    lines,
    log,
  };
}

const CLIENT = { name: 'wire', version: '1' };

export function initialize(id: unknown, protocolVersion = '2025-11-25') {
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

export function request(id: unknown, method: string, params: unknown = {}) {
  return { jsonrpc: '2.0', id, method, params };
}

export function discover(id: unknown, version = '2026-07-28') {
  return request(id, 'server/discover', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
}

/** A wire after its handshake. */
export async function openSpeakingWire(root: string): Promise<Wire> {
  const wire = openWire(root);
  await greet(wire);
  return wire;
}

export async function openSpeakingWireInProcess(root: string): Promise<Lines> {
  const wire = await openWireInProcess(root);
  await greet(wire);
  return wire;
}

async function greet(wire: Lines): Promise<void> {
  wire.send(initialize('hello'));
  const [hello] = await wire.next(1);
  expect(hello).toMatchObject({ id: 'hello', result: { serverInfo: { name: 'deepwork' } } });
  wire.send(INITIALIZED);
}
