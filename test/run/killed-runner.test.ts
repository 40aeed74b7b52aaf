// What the next run finds after kill -9 of a runner at a given moment.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeJob } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { COMMIT, committed, git } from './repository.ts';
import {
  acceptedSteps,
  beginProcess,
  by,
  demoArguments,
  finish,
  journalOf,
  newScene,
  runDemo,
  runnerOf,
  turnsOf,
} from './support.ts';

/** Starts a process outside of the group of who runs it, and notes its id. */
const escaping = (note: string) => `setsid sleep 60 & echo $! > ${note}; wait`;

/** The process in that note, once it is written. */
async function escaped(note: string): Promise<number> {
  await until(() => existsSync(note) && readFileSync(note, 'utf8').endsWith('\n'));
  return Number(readFileSync(note, 'utf8'));
}

test('a run that was killed after its last step is complete when it is resumed', async () => {
  verifies('RUN-2');
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['rest']));
  await until(() => acceptedSteps(scene).a === 1);
  // As long as its process has not recorded its end, it is not over.
  const prune = ['prune', '--older-than', '0m', '--json'];
  const { sessions } = JSON.parse((await by(scene, ...prune)).stdout);
  expect(sessions).toEqual([]);
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  const resumed = await finish(beginProcess(scene, ['--resume', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  expect(journalOf(scene, 'run').at(-1)).toMatchObject({ data: { reason: 'complete' } });
  expect(turnsOf(scene).map(({ pid }) => isAlive(pid))).toEqual([false]);
});

test('a run whose worktree was removed before its end was recorded is complete, and names its branch', async () => {
  verifies('RUN-2', 'RUN-5');
  const scene = committed(newScene(['draft']));
  const modes = [`sh:git add -A && ${COMMIT} && sleep 60`];
  const running = beginProcess(scene, demoArguments(modes, ['--worktree']));
  await until(() => acceptedSteps(scene).draft === 1);
  const { id } = JSON.parse(running.out().split('\n')[0] ?? '');
  const branch = `deepwork/demo-main-${id}`;
  await until(() => git(scene, 'log', '--format=%s', branch).includes('Work'));
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  git(scene, 'worktree', 'remove', '--force', `.deepwork/worktrees/${id}`);
  const ended = await finish(beginProcess(scene, ['--resume', id, '--json']));
  expect(ended.code, ended.err).toBe(0);
  expect(ended.events.at(-1)).toMatchObject({ reason: 'complete', worktree: null, branch });
});

test('what a setup has started outside of its group is ended by the next run, which names its worktree', async () => {
  verifies('RUN-2', 'RUN-5');
  const note = `${tempFolder()}/pid`;
  const scene = committed(newScene(['draft'], `worktree:\n  setup: '${escaping(note)}'\n`));
  await by(scene, 'trust', '--yes');
  const running = beginProcess(scene, demoArguments(['honest'], ['--worktree']));
  const left = await escaped(note);
  const setup = parentOf(left);
  // The runner, which has not recorded anything yet.
  process.kill(parentOf(setup), 'SIGKILL');
  await running.ended;
  await until(() => !isAlive(setup));
  expect(isAlive(left)).toBe(true);
  const next = await runDemo(scene, ['honest']);
  expect(next.code, next.err).toBe(0);
  expect(isAlive(left)).toBe(false);
  expect(next.events[0].warnings).toEqual([expect.stringContaining('.deepwork/worktrees/')]);
});

test('what a check has started outside of its group outlives its runner, and is ended by the next run', async () => {
  verifies('RUN-2');
  const scene = newScene(['draft']);
  const note = `${tempFolder()}/pid`;
  const checks = [{ name: 'slow', run: `test -e ${note} || { ${escaping(note)}; }` }];
  const draft = { outputs: { 'draft.md': 'file' as const }, checks };
  writeJob(scene.project, 'demo', { draft }, { main: ['draft'] });
  await by(scene, 'trust', '--yes');
  const running = beginProcess(scene, demoArguments(['honest']));
  const left = await escaped(note);
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  expect(isAlive(left)).toBe(true);
  const next = await finish(beginProcess(scene, ['--resume', '--json']));
  expect(next.code, next.err).toBe(0);
  expect(isAlive(left)).toBe(false);
});

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}
