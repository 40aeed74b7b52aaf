// Reads and folds one session's stream, once, in a process of its own: what a server
// pays that was just started, with nothing compiled and nothing remembered. Prints the
// milliseconds and the sequence number it arrived at, or what went wrong.

import { evolve } from '../src/core/session/evolve.ts';
import { openFileJournal } from '../src/journal/file.ts';

async function replay(folder, stream) {
  const began = performance.now();
  let session = null;
  for await (const event of openFileJournal(folder).read(stream, 0)) {
    session = evolve(session, event);
  }
  return { milliseconds: performance.now() - began, seq: session?.seq ?? 0 };
}

const [folder, stream] = process.argv.slice(2);
replay(folder, stream)
  .catch((error) => ({ error: error.message }))
  .then((outcome) => process.stdout.write(JSON.stringify(outcome)));
