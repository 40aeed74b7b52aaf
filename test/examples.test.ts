// The demos are tests: each of their exchanges is checked as it happens.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test.each([
  ['quickstart', 'Next: copy examples/quickstart'],
  ['team', 'Next: write a GOAL.md'],
])(
  'the demo of examples/%s goes as it should',
  async (name, ending) => {
    const demo = fileURLToPath(new URL(`../examples/${name}/demo.mjs`, import.meta.url));
    const { stdout } = await run(process.execPath, [demo], { timeout: 90_000 });
    expect(stdout).toContain(ending);
  },
  100_000,
);
