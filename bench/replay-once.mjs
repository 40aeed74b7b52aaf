// Reads and folds one session's stream once, in its own process: the cost for a server that
// was just started, with nothing compiled or cached. Prints the milliseconds, the processor
// time, and the last sequence number; or the error.

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
