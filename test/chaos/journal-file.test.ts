// The plain reader of journals agrees with the server on what counts.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { readStream } from './journal-file.ts';

const line = (seq: number) => JSON.stringify({ seq, type: 'sent', at: '', data: {} });

test.each([
  ['whole lines', `\t${line(1)}\n\t${line(2)}\n`, 2],
  ['a line that lost a race', `\t${line(1)}\n\t${line(1)}\n\t${line(2)}\n`, 2],
  ['a torn line', `\t${line(1)}\n\t{"seq":2,"ty\t${line(2)}\n`, 2],
  ['a line that is being written', `\t${line(1)}\n\t${line(2)}`, 1],
  ['a line that lost its newline', `\t${line(1)}\t${line(1)}\n`, 1],
  ['nothing', '', 0],
])('%s', (_, text, count) => {
  const folder = tempFolder();
  const file = path.join(folder, 'log.jsonl');
  writeFileSync(file, text);
  expect(readStream(file).map(({ seq }) => seq)).toEqual(
    Array.from({ length: count }, (__, index) => index + 1),
  );
});
