import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { judgeUntilCheck } from './until.ts';

test('a check that cannot be given an input is not run, and cannot tell', async () => {
  verifies('LANG-2', 'LANG-3');
  const root = tempFolder();
  const judged = await judgeUntilCheck({
    root,
    env: {},
    loop: 'until_green',
    pass: 1,
    check: { name: 'tests', run: 'touch ran', timeoutSeconds: 5 },
    inputs: { pages: [`${'x'.repeat(130_000)}.md`] },
    signal: new AbortController().signal,
  });
  expect(judged).toEqual({
    evidence: null,
    outcome: {
      kind: 'cannot_tell',
      why: "check 'tests' was not run: DEEPWORK_INPUT_PAGES would be 130003 bytes long, at most 122880 are possible. Abort the run and start it again with a shorter input 'pages'.",
    },
  });
  expect(existsSync(path.join(root, 'ran'))).toBe(false);
});
