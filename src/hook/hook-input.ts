// A client's input to its hook, bounded in size and time: a hook that waits keeps the client waiting,
// so a client that never closes our stdin gets no answer.

import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';

const MAX_BYTES = 16 * 1024 * 1024;
const WAIT_MS = 5000;
const STDIN = 0;

/** Avoids `process.stdin`, whose setup costs each hook 8 ms. */
export function openHookInput(): Readable {
  const stdin = fstatSync(STDIN);
  if (stdin.isFIFO() || stdin.isSocket()) {
    return new Socket({ fd: STDIN, readable: true, writable: false });
  }
  // Otherwise it is a terminal, or nothing at all.
  return stdin.isFile() ? createReadStream('', { fd: STDIN }) : Readable.from([]);
}

/** The whole text; fails if there is too much of it or it does not end. */
export function readHookInput(input: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const deadline = setTimeout(giveUp, WAIT_MS, `stdin was still open after ${WAIT_MS / 1000} s`);
    function giveUp(why: string): void {
      clearTimeout(deadline);
      input.destroy();
      reject(new Error(why));
    }
    input.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) giveUp('the input is larger than 16 MiB');
      else chunks.push(chunk);
    });
    input.on('error', (error) => giveUp(error.message));
    input.on('end', () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
