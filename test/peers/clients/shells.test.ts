// The shells that people type in, with the completion that deepwork prints for each. Those that are
// missing here are installed, as the other peers are.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { completesEverything, SHELLS } from '../../support/completion-cases.ts';
import { installPackage } from '../../support/install-package.ts';
import { verifies } from '../../verifies.ts';

const has = (program: string) => spawnSync(program, ['-c', 'true']).status === 0;

test.for(SHELLS)('$name completes what is typed', async ({ program, open }) => {
  verifies('JOBS-X.24');
  if (!has(program)) await installPackage(program, 'completion');
  expect(has(program)).toBe(true);
  await completesEverything(open);
});
