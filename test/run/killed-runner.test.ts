// What the next run finds after kill -9 of a runner at a given moment.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { writeJob } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { besides, COMMIT, committed, git } from './repository.ts';
import {
  acceptedSteps,
  beginProcess,
  demoArguments,
  finish,
  journalOf,
  newScene,
  runDemo,
  runnerOf,
  scripted,
  turnsOf,
  typesOf,
} from './support.ts';

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 90_000 });

const newRepository = (config = '') => committed(newScene(['draft'], config));

test('a run that is complete, and whose worktree is gone, is not in the way of another one', async () => {
  verifies('RUN-2', 'RUN-5');
  const scene = newRepository();
  const stopped = await runDemo(scene, ['silent'], ['--max-turns', '1']);
  expect(stopped.code, stopped.err).toBe(3);
  const modes = [`sh:git add -A && ${COMMIT} && sleep 60`];
  const running = beginProcess(besides(scene), demoArguments(modes, ['--worktree']));
  await until(() => acceptedSteps(scene).draft === 1);
  const id = JSON.parse(running.out().split('\n')[0] ?? '').id;
  const branch = `deepwork/demo-main-${id}`;
  await until(() => git(scene, 'log', '--format=%s', branch).includes('Work'));
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  git(scene, 'worktree', 'remove', '--force', `.deepwork/worktrees/${id}`);

  const next = await finish(beginProcess(scene, ['--resume', '--max-turns', '2', '--json']));
  expect(next.code, next.err).toBe(3);
  expect(next.events[0]).toMatchObject({ event: 'resuming', id: stopped.events[0].id, newest: id });
  const ended = await finish(beginProcess(scene, ['--resume', id, '--json']));
  expect(ended.code, ended.err).toBe(0);
  expect(ended.events.at(-1)).toMatchObject({ reason: 'complete', worktree: null, branch });
  const env = { HOME: scene.home };
  const { stdout } = await command(['status'], { cwd: scene.project.root, env });
  expect(stdout.replace(/\s+/g, '')).toContain(`branch${branch}`);
});

test('what a setup has started outside of its group is ended by the next run, which names its worktree', async () => {
  verifies('RUN-2', 'RUN-5');
  const config = "worktree:\n  setup: 'setsid sleep 60 & echo $! > pid.txt; wait'\n";
  const scene = newRepository(config);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  await command(['trust', '--yes'], options);
  const running = beginProcess(scene, demoArguments(['honest'], ['--worktree']));
  const folder = scene.project.path('.deepwork/worktrees');
  const ids = () => (existsSync(folder) ? readdirSync(folder) : []).filter((n) => /^\w+$/.test(n));
  const note = () => `${folder}/${ids()[0]}/pid.txt`;
  await until(() => existsSync(note()) && readFileSync(note(), 'utf8').endsWith('\n'));
  const left = Number(readFileSync(note(), 'utf8'));
  const setup = parentOf(left);
  process.kill(parentOf(setup), 'SIGKILL');
  await running.ended;
  await until(() => !isAlive(setup));
  expect(isAlive(left)).toBe(true);
  const next = await runDemo(scene, ['honest']);
  expect(next.code, next.err).toBe(0);
  expect(isAlive(left)).toBe(false);
  const place = `.deepwork/worktrees/${ids()[0]}`;
  expect(next.events[0].warnings).toEqual([
    `${place} belongs to no recorded run. Unless a run is being started there, remove it: git worktree remove ${place}`,
  ]);
});

test('what a check has started outside of its group outlives its runner, and is ended by the next run', async () => {
  verifies('RUN-2');
  const scene = newScene(['draft']);
  const checks = [
    { name: 'slow', run: 'test -e pid.txt || { setsid sleep 60 & echo $! > pid.txt; wait; }' },
  ];
  writeJob(
    scene.project,
    'demo',
    { draft: { outputs: { 'draft.md': 'file' }, checks } },
    { main: ['draft'] },
  );
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  await command(['trust', '--yes'], options);
  const running = beginProcess(scene, demoArguments(['honest']));
  const note = scene.project.path('pid.txt');
  await until(() => existsSync(note) && readFileSync(note, 'utf8').endsWith('\n'));
  const left = Number(readFileSync(note, 'utf8'));
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  expect(isAlive(left)).toBe(true);
  const next = await finish(beginProcess(scene, ['--resume', '--json']));
  expect(next.code, next.err).toBe(0);
  expect(isAlive(left)).toBe(false);
});

test('time before a person sent the run back is not spent, if no runner was there', async () => {
  verifies('RUN-4');
  const scene = newScene(['draft']);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const running = beginProcess(scene, demoArguments(['hang'], ['--max-minutes', '0.05']));
  await until(() => turnsOf(scene).length === 1);
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  // More than the budget.
  await pause(3500);
  const redo = await command(['redo', 'last', 'draft', '--reason', 'Again'], options);
  expect(redo.code, redo.stderr).toBe(0);
  const events = journalOf(scene, 'run');
  await finish(beginProcess(scene, ['--resume', '--json', '--command', scripted('honest')]));
  const resumed = journalOf(scene, 'run').slice(events.length);
  expect(typesOf(resumed)).toContain('turn_started');
});

test('prune leaves a run alone whose process has not recorded its end', async () => {
  verifies('RUN-2');
  const scene = newScene(['draft']);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const running = beginProcess(scene, demoArguments(['rest']));
  await until(() => acceptedSteps(scene).draft === 1);
  const prune = async () => (await command(['prune', '--older-than', '0m'], options)).stdout;
  expect(await prune()).toContain('kept: its unattended run is still ending');
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  // No other run follows that would end it.
  process.kill(turnsOf(scene)[0].pid, 'SIGKILL');
  expect(await prune()).toContain('Moved 1 run');
});

/** The runner, which has not recorded anything yet. */
function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}
