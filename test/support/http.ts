// A real HTTP server: the built binary on a free port of this machine, with its own home, and real
// clients of every era.

import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  type Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { journalKey } from '../../src/environment/signing-key.ts';
import { type Era, newClient } from './calls.ts';
import { BINARY } from './connect.ts';
import { personEnv } from './person.ts';
import { watchStalls } from './stalls.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface HttpServer {
  /** Without a path. */
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** The home that it runs with. */
  readonly home: string;
  out(): string;
  log(): string;
  readonly ended: Promise<number | null>;
}

export interface HttpServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
}

/**
 * A home for servers and launches, so that tests find only their own. It has the key of the user who
 * runs the tests: all of them may write to the same journal.
 */
export function newHome(): string {
  const home = strangersHome();
  journalKey();
  mkdirSync(path.join(home, '.deepwork'), { mode: 0o700 });
  copyFileSync(path.join(os.homedir(), KEY_FILE), path.join(home, KEY_FILE));
  return home;
}

/** The home of another user, without a key so far. */
export function strangersHome(): string {
  const home = tempFolder();
  return home;
}

const KEY_FILE = '.deepwork/signing.key';
/** Set while suites run on a database (`test/store/suites.test.ts`). */
const STORE = 'DEEPWORK_DATABASE_URL';

export function cleanEnv(home: string): Record<string, string> {
  const env = Object.fromEntries(
    Object.entries(personEnv()).filter(
      ([name]) => name === STORE || !/^(?:DEEPWORK_|SGAI_|NODE_OPTIONS$)/.test(name),
    ),
  );
  return { ...env, HOME: home };
}

export async function serveOverHttp(
  root: string,
  options: HttpServerOptions = {},
): Promise<HttpServer> {
  const home = options.home ?? newHome();
  // Hooks run in reverse order: the server has ended when its stalls are counted.
  const stallWatch = watchStalls();
  const child = spawn(
    process.execPath,
    [
      BINARY,
      'serve',
      '--transport',
      'http',
      '--port',
      '0',
      '--path',
      root,
      ...(options.args ?? []),
    ],
    {
      env: { ...cleanEnv(home), ...stallWatch.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let out = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await until(() => out.includes('The log follows') || child.exitCode !== null);
  const url = /http:\/\/[^/\s]+/.exec(out)?.[0];
  if (url === undefined) throw new Error(`The server did not start: ${log}`);
  return {
    url,
    child,
    home,
    ended,
    port: Number(new URL(url).port),
    out: () => out,
    log: () => log,
  };
}

/** The eras of /mcp, and the oldest at /sse. */
export type HttpEra = Era | 'sse';
export const HTTP_ERAS: readonly HttpEra[] = ['handshake', 'stateless', 'sse'];

export interface ClientSpec {
  readonly era?: HttpEra;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: ClientOptions;
}

export async function connectOverHttp(url: string, spec: ClientSpec = {}): Promise<Client> {
  const { era = 'handshake', headers = {}, options = {} } = spec;
  const client = newClient(era === 'sse' ? 'handshake' : era, options);
  const requestInit = { headers: { ...headers } };
  const transport =
    era === 'sse'
      ? new SSEClientTransport(new URL(`${url}/sse`), { requestInit })
      : new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

export interface Replied {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely by tests
  readonly body: any;
}

/** One POST of JSON, as a script would send it. */
export async function post(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Replied> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Raw bytes, for what no client library would send; returns everything until the end. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/** The status of a raw answer. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** What a request of 2026-07-28 carries. */
export function stateless(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
}

/** Opens a session of /mcp: the header that names it. */
export async function openSession(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly 'mcp-session-id': string }> {
  const opened = await post(`${url}/mcp`, INITIALIZE, headers);
  return { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
}

/** Opens a stream of the oldest era: where its messages are posted, and what it says next. */
export async function openStream(url: string, init: RequestInit = {}) {
  const response = await fetch(`${url}/sse`, init);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString('utf8');
  const [, place] = /data: (\S+)/.exec(await read()) ?? [];
  return { messages: `${url}${place}`, read, cancel: () => reader.cancel() };
}

/** The bytes of one POST, whose body may still have to come. */
export function rawPost(
  port: number,
  body: string | { readonly length: number },
  { path = '/mcp', headers = {} }: RawPost = {},
): string {
  const all = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
    'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${typeof body === 'string' ? body : ''}`;
}

interface RawPost {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
