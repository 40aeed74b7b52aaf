// Attaching a launch to a server: one request that the server answers at once and then
// keeps open. As long as it is open the launch lives. The server shows that it is the one
// that registered, so a stranger on the port of a dead server is not taken for it.

import { request } from 'node:http';
import type { Registration } from './registry.ts';

export interface Lease {
  /** The agent's token; null: this server asks for none. */
  readonly token: string | null;
  end(): void;
}

/** What stands in the first line, and what else a server could say, is short. */
const LINE_LIMIT = 64 * 1024;

/** Null: it is not there any more. Rejects with what a living server said no to. */
export function attach(
  server: Registration,
  identity: string,
  patienceMs: number,
): Promise<Lease | null> {
  if (!URL.canParse(server.url)) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ identity });
    const req = request(`${server.url}/launches`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        authorization: `Bearer ${server.pass}`,
      },
    });
    const timer = setTimeout(gone, patienceMs);
    function gone(): void {
      clearTimeout(timer);
      req.destroy();
      resolve(null);
    }
    req.on('error', gone);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('error', gone);
      res.on('end', () => (res.statusCode === 400 ? reject(refusalIn(text)) : gone()));
      res.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > LINE_LIMIT) return gone();
        if (res.statusCode !== 200 || !text.includes('\n')) return;
        const told = readLine(text);
        if (told === null || told.instance !== server.instance) return gone();
        clearTimeout(timer);
        resolve({ token: told.token, end: () => req.destroy() });
      });
    });
    req.end(body);
  });
}

function readLine(text: string): { instance: unknown; token: string | null } | null {
  try {
    const { instance, token } = JSON.parse(text.slice(0, text.indexOf('\n'))) as Record<
      string,
      unknown
    >;
    return { instance, token: typeof token === 'string' ? token : null };
  } catch {
    return null;
  }
}

function refusalIn(text: string): Error {
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return new Error(error.message);
  } catch {
    return new Error('The server refused the launch');
  }
}
