import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { checkOutputPath } from './output-path.ts';

test.each([
  ['separators', '/'],
  ['folders', 'a/'],
  ['ways up', 'a/../'],
  ['line breaks', 'x\u2028'],
])('a path of megabytes is not found at once: %s', async (_what, part) => {
  const root = tempFolder();
  const given = part.repeat(4_000_000 / part.length);
  await expectPiecesAtMost(10, async () => {
    const checked = await checkOutputPath(root, given);
    expect(checked).toMatchObject({ kind: 'problem', isMissing: true });
  });
});

test.each(['two\nlines.md', 'red\u001b[31m.md'])(
  'a file whose name people and commands would read as something else is refused: %j',
  async (name) => {
    const root = tempFolder();
    writeFileSync(path.join(root, name), 'text');
    const checked = await checkOutputPath(root, name);
    expect(checked).toMatchObject({ problem: expect.stringContaining('control characters') });
  },
);
