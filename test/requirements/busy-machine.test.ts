// Limits on how long definitions may take are for those that never end. A valid definition is not
// refused because the machine is busy.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const RUNS_MS = 20;
const WAITS_MS = 80;

/**
 * Runs the command with a fifth of a processor: it is stopped again and again. Really loading the
 * machine would disturb the other tests.
 */
async function seldomRun(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, stdio: 'pipe' });
  const ended = once(child, 'close');
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    child.kill('SIGCONT');
    timer = setTimeout(wait, RUNS_MS);
  };
  const wait = () => {
    child.kill('SIGSTOP');
    timer = setTimeout(run, WAITS_MS);
  };
  run();
  const said = await text(child.stdout);
  clearTimeout(timer);
  child.kill('SIGCONT');
  await ended;
  return said;
}

/** Large but valid: it takes some tens of milliseconds of processor time. */
function largeSchema(fields: number) {
  const field = (index: number) => ({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, pattern: `^[a-z]{1,${index + 1}}$` },
      size: { anyOf: [{ type: 'integer', minimum: index }, { type: 'null' }] },
    },
  });
  const properties = Array.from({ length: fields }, (_, index) => [`field_${index}`, field(index)]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

test('a valid job is accepted on a busy machine, too', { timeout: 120_000 }, async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const rules = [{ type: 'schema', schema: largeSchema(20), message: 'Must be an order' }];
  writeJob(
    project,
    'work',
    { write: { outputs: { report: { type: 'file', description: 'd', required: true, rules } } } },
    { main: ['write'] },
  );
  expect(await deepwork(['lint'], { cwd: project.root })).toMatchObject({ code: 0, stderr: '' });
  expect(await seldomRun(['lint'], project.root)).toMatch(/ 0 problems, 0 warnings\n$/);
});
