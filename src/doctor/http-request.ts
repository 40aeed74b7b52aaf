// Asks a server on this machine one thing: bounded in time and size, and by no proxy.

import { request } from 'node:http';

const LIMIT = 64 * 1024;

/** The body; null: nothing answers there. */
export function getText(url: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal, timeout: 5000 }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > LIMIT) asked.destroy();
      });
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(text));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null));
    asked.end();
  });
}
