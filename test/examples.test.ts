// The demos are tests: each of their exchanges is checked as it happens.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from './support/run-command.ts';

test.each([
  ['quickstart', 'Next: copy examples/quickstart'],
  ['team', 'Next: write a GOAL.md'],
])(
  'the demo of examples/%s goes as it should',
  async (name, ending) => {
    const demo = fileURLToPath(new URL(`../examples/${name}/demo.mjs`, import.meta.url));
    const { code, stdout } = await run(process.execPath, [demo], { cwd: path.dirname(demo) });
    expect(stdout).toContain(ending);
    expect(code).toBe(0);
  },
  100_000,
);
