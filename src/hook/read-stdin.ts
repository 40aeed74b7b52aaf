// Reads the client's input from stdin, bounded in size and time: a hook that waits keeps the client
// waiting, so a client that never closes our stdin gets no answer.

import { fstatSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const MAX_BYTES = 16 * 1024 * 1024;
const WAIT_MS = 5000;
const TOO_LARGE = 'the input is larger than 16 MiB';
const STDIN = 0;

/** The whole text; fails if there is too much of it or it does not end. */
export async function readStdin(): Promise<string> {
  const stdin = fstatSync(STDIN);
  if (stdin.isFIFO() || stdin.isSocket()) return readPipe();
  // A terminal, or nothing at all.
  if (!stdin.isFile()) return '';
  if (stdin.size > MAX_BYTES) throw new Error(TOO_LARGE);
  return readFileSync(STDIN, 'utf8');
}

/** Avoids `process.stdin`, whose setup costs each hook 8 ms. */
function readPipe(): Promise<string> {
  return new Promise((resolve, reject) => {
    const pipe = new Socket({ fd: STDIN, readable: true, writable: false });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const deadline = setTimeout(giveUp, WAIT_MS, `stdin was still open after ${WAIT_MS / 1000} s`);
    function giveUp(why: string): void {
      clearTimeout(deadline);
      pipe.destroy();
      reject(new Error(why));
    }
    pipe.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) giveUp(TOO_LARGE);
      else chunks.push(chunk);
    });
    pipe.on('error', (error) => giveUp(error.message));
    pipe.on('end', () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
