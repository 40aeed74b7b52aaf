// npm test: everything that a change has to pass. `npm test -- <file>`: one file, or whatever vitest
// is told; the program is built first if it is older than its sources.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { newerThanBuild } from './stale.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);

if (args.length === 0) run('npm', ['run', 'check']);
if (args.length === 0 || newerThanBuild(root) !== null) run('node', ['scripts/build.mjs']);
run('node', ['node_modules/vitest/vitest.mjs', 'run', ...args]);

/** Ends with the first that fails. */
function run(/** @type {string} */ program, /** @type {string[]} */ words) {
  const { status } = spawnSync(program, words, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
