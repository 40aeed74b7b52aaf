// The floor of a replay, in its own process: the file read at once, every line hashed under a
// key and parsed. No chain is followed and nothing is folded. Prints as `replay-once.mjs` does.

import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const [file] = process.argv.slice(2);
const KEY = 'the length of a key makes no difference to the cost';

async function run() {
  const began = performance.now();
  const before = process.cpuUsage();
  const text = await readFile(/** @type {string} */ (file), 'utf8');
  let seq = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    createHmac('sha256', KEY).update(line).digest('hex');
    seq = JSON.parse(line).seq;
  }
  const milliseconds = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  return { milliseconds, worked: (user + system) / 1000, seq };
}

run().then((outcome) => process.stdout.write(JSON.stringify(outcome)));
