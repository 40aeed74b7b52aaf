// A minimal HTTP client: one keep-alive connection, JSON written and read by hand. Also
// starts the servers it calls, which print their address on stdout.

import { spawn } from 'node:child_process';
import http from 'node:http';
import { environment } from './wire.mjs';

const PATIENCE_MS = 30_000;

/** Running children; none may outlive the bench. */
const alive = new Set();
process.on('exit', stopHttpServers);

/** Ends running servers: a measure that failed does not end its own. */
export function stopHttpServers() {
  for (const child of alive) child.kill('SIGKILL');
}

/**
 * @param {readonly string[]} args  of node
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Promise<{ url: string, pid: number, kill: () => void }>}
 */
export function startHttpServer(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...environment(), ...env },
  });
  alive.add(child);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not start')), PATIENCE_MS);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
      const url = /http:\S+\/mcp(?=\s)/.exec(out)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, pid: Number(child.pid), kill: () => child.kill('SIGKILL') });
    });
    child.once('exit', () => {
      alive.delete(child);
      clearTimeout(timer);
      reject(new Error('the server is gone'));
    });
  });
}

/** @param {string} url */
export function openHttpClient(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let nextId = 1;

  function post(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return new Promise((resolve, reject) => {
      const req = http.request(
        url,
        {
          method: 'POST',
          agent,
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        },
        (res) => {
          let text = '';
          res.setEncoding('utf8');
          res.on('data', (chunk) => {
            text += chunk;
          });
          res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }));
          res.on('error', reject);
        },
      );
      req.on('error', reject);
      req.end(body);
    });
  }

  async function request(method, params = {}) {
    const { status, headers: received, text } = await post({ id: nextId++, method, params });
    if (status !== 200) throw new Error(`${method}: ${status} ${text}`);
    // As JSON, or as the one event of a stream.
    const message = JSON.parse(
      text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null'),
    );
    if (message.error) throw new Error(`${method}: ${JSON.stringify(message.error)}`);
    return { result: message.result, headers: received };
  }

  return {
    request,
    async shakeHands() {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      };
      const { headers: received } = await request('initialize', params);
      headers['mcp-session-id'] = received['mcp-session-id'];
      await post({ method: 'notifications/initialized' });
    },
    async call(name) {
      const { result } = await request('tools/call', { name, arguments: {} });
      if (result.isError) throw new Error(`${name} was refused: ${result.content[0]?.text}`);
      return result.structuredContent;
    },
    close: () => agent.destroy(),
  };
}
