// One GET request to a server on this machine, bounded in time and size, and never through a proxy.

import { request } from 'node:http';

const MAX_BODY = 64 * 1024;

/** The body; null if nothing answers. */
export function getText(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal, timeout: 5000, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BODY) asked.destroy();
      });
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(text));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null));
    asked.end();
  });
}
