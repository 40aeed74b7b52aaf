// The watchdog itself: a test tool that cannot fail would prove nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { watchStalls } from './stalls.ts';

async function run(script: string): Promise<string[]> {
  const watch = watchStalls({ expected: true });
  const child = spawn(process.execPath, ['-e', script, '--', 'serve'], {
    env: { ...process.env, ...watch.env },
    stdio: 'inherit',
  });
  await once(child, 'exit');
  return watch.stalls();
}

const burn = (ms: number) =>
  `{ const from = process.cpuUsage(); for (;;) { const { user, system } = process.cpuUsage(from); if (user + system > ${ms} * 1000) break; } }`;
const after = (ms: number, work: string) => `setTimeout(() => { ${work} }, ${ms});`;
const stay = 'setTimeout(() => {}, 300);';

const REFERENCE = fileURLToPath(new URL('reference-work.cjs', import.meta.url));
/** Too long on any machine: a fast one needs little time for many pieces, a slow one needs much. */
const tooLong = `{
  const { referenceWork } = require(${JSON.stringify(REFERENCE)});
  for (let pieces = 0; pieces < 100; pieces++) referenceWork();
  ${burn(2500)}
}`;

test('The watchdog reports a turn that keeps the processor busy for too long', async () => {
  const [stall, ...more] = await run(after(200, tooLong + stay));
  expect(stall).toMatch(/^the event loop stood still for \d+ ms: ran \d+ ms/);
  expect(more).toEqual([]);
});

test('The watchdog reports a turn that sleeps in a system call for more than a second', async () => {
  const sleep = "require('node:child_process').spawnSync('sleep', ['1.4']);";
  const [stall] = await run(after(200, sleep) + after(2200, ''));
  expect(stall).toMatch(/blocked 1\d\d\d ms$/);
});

test('The watchdog is silent about work in short pieces and about a stopped process', async () => {
  const pieces = `let left = 10; const piece = () => { ${burn(40)} if (--left > 0) setTimeout(piece, 1); };`;
  expect(await run(pieces + after(200, 'piece();') + after(1000, ''))).toEqual([]);
  const stop = `require('node:child_process').spawn('sh', ['-c', 'kill -STOP ' + process.pid + '; sleep 1.5; kill -CONT ' + process.pid]);`;
  expect(await run(after(200, stop) + after(2500, ''))).toEqual([]);
});
