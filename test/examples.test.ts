// The demos are tests: each of their exchanges is checked as it happens.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findPostgres, freshDatabase } from './support/postgres.ts';
import { run } from './support/run-command.ts';
import { tempFolder } from './support/temp-folder.ts';
import { verifies } from './verifies.ts';

await findPostgres();

function demoOf(name: string): string {
  return fileURLToPath(new URL(`../examples/${name}/demo.mjs`, import.meta.url));
}

test.each([
  ['quickstart', 'Next: copy examples/quickstart'],
  ['team', 'Next: write a GOAL.md'],
  ['green', 'Next: put your own test command'],
  ['migrate', 'Next: look at .deepwork/jobs'],
])(
  'the demo of examples/%s runs without an error',
  async (name, ending) => {
    if (name === 'quickstart') verifies('JOBS-REQ-001.3.8', 'JOBS-REQ-001.7.2');
    const ran = await run(process.execPath, [demoOf(name)], { cwd: tempFolder() });
    expect(ran.stdout, ran.stderr).toContain(ending);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    if (name === 'migrate') {
      const typed = ran.stdout.replaceAll(/\s+/g, ' ');
      expect(typed).toContain("--choose Reject --other 'legacy goes away: leave it out'");
    }
  },
  100_000,
);

test('the demo of examples/postgres runs without containers, on any empty database', async () => {
  const demo = demoOf('postgres');
  const env = { DEEPWORK_DATABASE_URL: await freshDatabase() };
  const { code, stdout, stderr } = await run(process.execPath, [demo], {
    cwd: path.dirname(demo),
    env,
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('Next: docs/postgres.md');
  expect(code).toBe(0);
});
