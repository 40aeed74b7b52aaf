// A run whose terminal is closed, in an interactive shell as a person types it. The system and the
// shell both report that, so the run hears it more than once.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { isAlive } from '../support/server-process.ts';
import { quoted, shellOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { demoArguments, journalOf, newScene, runnerOf, type Scene, turnsOf } from './support.ts';

/** An agent that works until the terminal is closed. */
const UNTIL_GO = 'sh:until [ -e go ]; do sleep 0.05; done';

/** Types the run (`…`), and closes the terminal while its agent works. */
async function closedDuring(scene: Scene, modes: readonly string[], typed: string) {
  const { project, home, notes } = scene;
  const env = { HOME: home, AGENT_NOTES: notes, LANG: 'C' };
  const terminal = shellOnTerminal({ cwd: project.root, env });
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
  return journalOf(scene, 'run').at(-1)?.data;
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

const CLOSED = { reason: 'stopped', detail: 'Its terminal was closed (SIGHUP)' };

test.for(['…', '… > log.txt 2>&1', '… | cat', '… > log.txt 2>&1 &'])(
  'a run says that its terminal was closed: %s',
  async (typed) => {
    verifies('RUN-1');
    expect(await closedDuring(newScene(['a']), ['nested'], typed)).toMatchObject(CLOSED);
  },
);

test.for([
  'nohup … > log.txt 2>&1 &',
  'nohup … > log.txt 2>&1 < /dev/null &',
  'env nohup … > log.txt 2>&1 &',
  'nohup …',
])('a run under nohup goes on when its terminal is closed: %s', async (typed) => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const ended = await closedDuring(scene, [UNTIL_GO, 'honest'], typed);
  expect(ended).toMatchObject({ reason: 'complete' });
  const log = scene.project.path(typed.includes('log.txt') ? 'log.txt' : 'nohup.out');
  expect(existsSync(log) && readFileSync(log, 'utf8')).toContain('"reason":"complete"');
});
