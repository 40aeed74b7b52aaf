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
