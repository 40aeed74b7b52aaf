// A run whose terminal is closed, in an interactive shell as a person types it. The system and the
// shell both report that, so the run hears it more than once.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { isAlive } from '../support/server-process.ts';
import { quoted, shellOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { demoArguments, journalOf, newScene, runnerOf, turnsOf } from './support.ts';

/** An agent that works until the terminal is closed. */
const UNTIL_GO = 'sh:until [ -e go ]; do sleep 0.05; done';

test.for([
  ['…', 'stopped'],
  ['… | cat', 'stopped'],
  ['… > log.txt 2>&1 &', 'stopped'],
  ['nohup …', 'complete'],
  ['nohup … > log.txt 2>&1 < /dev/null &', 'complete'],
  ['env nohup … > log.txt 2>&1 &', 'complete'],
] as const)('when its terminal is closed, a run typed as %s is %s', async ([typed, reason]) => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const { project, home, notes } = scene;
  const env = { HOME: home, AGENT_NOTES: notes, LANG: 'C' };
  const terminal = shellOnTerminal({ cwd: project.root, env });
  const modes = reason === 'complete' ? [UNTIL_GO, 'honest'] : ['nested'];
  const run = quoted([process.execPath, BINARY, 'run', ...demoArguments(modes)]);
  terminal.type(typed.replace('…', () => run));
  await until(() => turnsOf(scene).length === 1);
  const runner = runnerOf(scene);
  // The shell's parent has the other end of the terminal.
  process.kill(parentOf(parentOf(runner)), 'SIGKILL');
  await terminal.ended;
  project.write('go', '');
  await until(() => journalOf(scene, 'run').at(-1)?.type === 'run_stopped');
  await until(() => !isAlive(runner));
  expect(turnsOf(scene).filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(journalOf(scene, 'run').at(-1)?.data).toMatchObject({ reason });
  if (reason === 'stopped') return;
  const log = project.path(typed.includes('log.txt') ? 'log.txt' : 'nohup.out');
  expect(readFileSync(log, 'utf8')).toContain('"reason":"complete"');
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
