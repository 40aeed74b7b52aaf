// A separate process for tests: some writers that append until each has committed its number of
// events, deciding again after each conflict. Every event is printed on stdout after it was
// acknowledged.
//
//   node writer.mjs <folder> <stream> <name> <writers> <events each>

import { openTestJournal } from '../support/journal.ts';

const [folder = '', stream = '', name = '', writers = '1', each = '1'] = process.argv.slice(2);
const journal = openTestJournal(folder);

async function write(writer: number): Promise<void> {
  let seq = 0;
  for (let n = 0; n < Number(each); ) {
    const id = `${name}.${writer}.${n}`;
    const event = { type: 'noted', at: new Date().toISOString(), data: { id } };
    const result = await journal.append(stream, seq, event);
    if (result.kind === 'appended') {
      process.stdout.write(`${id} ${result.event.seq}\n`);
      seq = result.event.seq;
      n += 1;
    } else {
      for await (const newer of journal.read(stream, seq)) seq = newer.seq;
    }
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
