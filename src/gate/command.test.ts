// How a command's exit and its output are reported.

import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type CommandRequest, runCommand } from './command.ts';

function run(line: string, more: Partial<CommandRequest> = {}) {
  return runCommand({
    argv: [line],
    shell: true,
    root: tmpdir(),
    env: process.env,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    output: { keep: 'tail', limit: 1024 },
    ...more,
  });
}

test.each([
  ['KILL', 137],
  ['SEGV', 139],
  ['TERM', 143],
  ['USR2', 140],
])('a command that is killed by SIG%s has failed, as a shell says it', async (signal, code) => {
  expect(await run(`kill -${signal} $$`)).toMatchObject({ kind: 'exited', code });
});

test("memory holds no more of a command's output than is kept", async () => {
  let most = 0;
  const look = () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  };
  const before = process.memoryUsage().arrayBuffers;
  const looking = setInterval(look, 5);
  const ran = await run('head -c 200000000 /dev/zero; echo the end');
  look();
  clearInterval(looking);
  expect(ran).toMatchObject({ kind: 'exited', code: 0 });
  expect('stdout' in ran && ran.stdout.endsWith('\0the end\n')).toBe(true);
  expect('stdout' in ran && ran.stdout).toHaveLength(1024);
  expect(most - before).toBeLessThan(100_000_000);
});
