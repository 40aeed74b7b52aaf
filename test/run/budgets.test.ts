// What a run may spend, and how it goes on with what is left.

import { chmodSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  beginProcess,
  demoArguments,
  finish,
  journalOf,
  newScene,
  runDemo,
  type Scene,
  scripted,
  turnsOf,
} from './support.ts';

const FOUR = ['a', 'b', 'c', 'd'];

/** Resumes, and expects this exit code and so many turns by then. */
async function resumed(scene: Scene, args: readonly string[], code: number, turns: number) {
  const ran = await finish(begin(scene, ['--resume', '--json', ...args]));
  expect(ran.code, ran.err).toBe(code);
  expect(turnsOf(scene)).toHaveLength(turns);
  return ran;
}

test('turns are counted over resumes, and everything is kept', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(3);
  expect(ran.events.at(-1)).toMatchObject({ event: 'run_stopped', turns: 2, cost_usd: null });
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1 });
  // Nothing is left: the same budget stops it again, before any turn.
  await resumed(scene, [], 3, 2);
  await resumed(scene, ['--max-turns', '3'], 3, 3);
  await resumed(scene, ['--max-turns', '9'], 0, 4);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
});

test('a turn that would not fit into the money is not started', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest@0.4'], ['--max-usd', '1']);
  expect(ran.code, ran.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(2);
  await resumed(scene, ['--max-usd', '1.2'], 3, 3);
});

test('a turn that does not report its cost counts as the dearest of the last, or ends the run', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest'], ['--max-usd', '1']);
  expect(ran.code, ran.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(1);
  await resumed(scene, ['--max-usd', 'none'], 0, 4);
  const priced = newScene(FOUR);
  const later = await runDemo(priced, ['honest@0.3', 'honest'], ['--max-usd', '1']);
  expect(later.code, later.err).toBe(3);
  expect(turnsOf(priced)).toHaveLength(3);
});

test('a turn that was refused for quota costs nothing', async () => {
  verifies('RUN-4');
  const limits = ['--max-usd', '1', '--on-limit', 'wait'];
  const ran = await runDemo(newScene(['a']), ['quota:1', 'honest@0.4'], limits);
  expect(ran.code, ran.out).toBe(0);
  expect(ran.events.at(-1)).toMatchObject({ turns: 2, cost_usd: 0.4 });
});

test("the quota of an agent is not another one's: a resume with another agent goes on", async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const ran = await runDemo(scene, ['quota:3600'], ['--on-limit', 'stop']);
  expect(ran.code, ran.err).toBe(4);
  await resumed(scene, ['--on-limit', 'stop'], 4, 1);
  await resumed(scene, ['--command', scripted('honest'), '--on-limit', 'stop'], 0, 2);
  expect(acceptedSteps(scene)).toEqual({ a: 1 });
});

test.for([
  [['quota:4', 'honest'], ['--on-limit', 'stop'], null, 4],
  [['quota:4', 'honest'], ['--max-minutes', '0.02'], null, 4],
  [['honest'], ['--max-turns', '3'], ['--max-turns', '1'], 3],
  [['honest@3'], ['--max-usd', '2'], ['--max-usd', '1'], 3],
  [['hang', 'honest'], ['--max-minutes', '.03'], ['--max-minutes', '.01'], 3],
] as const)(
  'stopped with %j %j, then resumed with %j, it prints a command that goes on',
  async ([modes, bounds, less, code]) => {
    verifies('RUN-1', 'RUN-4');
    const scene = newScene(FOUR);
    const args = ['demo/main', '--goal', 'x', '--command', scripted(...modes), ...bounds];
    let stopped = await finish(begin(scene, args));
    const before = turnsOf(scene).length;
    if (less !== null) stopped = await finish(begin(scene, ['--resume', ...less]));
    expect(stopped.code, stopped.err).toBe(code);
    expect(turnsOf(scene)).toHaveLength(before);
    const printed = /deepwork run (--resume .*)\n/.exec(stopped.out)?.[1] ?? '';
    await finish(begin(scene, printed.split(' ')));
    expect(turnsOf(scene).length).toBeGreaterThan(before);
  },
);

test('a turn that was killed has an unknown cost, and the printed commands lead on, too', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const first = beginProcess(scene, [...demoArguments(['hang', 'honest']), '--max-usd', '1']);
  await until(() => turnsOf(scene).length === 1);
  first.child.kill('SIGKILL');
  await first.ended;
  const next = async (...args: string[]) => {
    const { code, out } = await finish(begin(scene, ['--resume', ...args]));
    expect(code, out).toBe(3);
    return /deepwork run --resume \w+ (.*)\n/.exec(out)?.[1]?.split(' ') ?? [];
  };
  const unknown = await next();
  expect(unknown).toEqual(['--max-usd', 'none']);
  const used = await next(...unknown, '--max-turns', '2');
  expect(used).toEqual(['--max-turns', '4']);
  expect(await next(...used)).toEqual(['--max-turns', '8']);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1, c: 1 });
});

test('an agent that never reports its costs is refused where money is bounded', async () => {
  verifies('RUN-4');
  const scene = newScene();
  writeFileSync(`${scene.home}/codex`, '#!/bin/sh\nexit 0\n');
  chmodSync(`${scene.home}/codex`, 0o755);
  const args = ['demo/main', '--goal', 'x', '--agent', 'codex', '--max-usd', '1'];
  const env = { PATH: `${scene.home}:${process.env.PATH}` };
  const ran = await finish(begin(scene, args, { env }));
  expect(ran.code, ran.out).toBe(2);
  expect(journalOf(scene, 'session')).toEqual([]);
});
