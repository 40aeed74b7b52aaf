// Reads and folds one session's stream, once, in a process of its own: what a server
// pays that was just started, with nothing compiled and nothing remembered. Prints the
// milliseconds, how long the processor worked for it, and the sequence number that it
// arrived at; or what went wrong.

import { evolve } from '../src/core/session/evolve.ts';
import { journalKey } from '../src/environment/signing-key.ts';
import { openFileJournal } from '../src/journal/file.ts';

async function replay(folder, stream) {
  const began = performance.now();
  const before = process.cpuUsage();
  /** @type {import('../src/core/session/state.ts').Session | null} */
  let session = null;
  let key;
  const journal = openFileJournal(folder, {
    key: () => {
      key ??= journalKey();
      return key;
    },
  });
  for await (const event of journal.read(stream, 0)) {
    session = evolve(session, /** @type {any} */ (event));
  }
  const milliseconds = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  return { milliseconds, worked: (user + system) / 1000, seq: session?.seq ?? 0 };
}

const [folder, stream] = process.argv.slice(2);
replay(folder, stream)
  .catch((error) => ({ error: error.message }))
  .then((outcome) => process.stdout.write(JSON.stringify(outcome)));
