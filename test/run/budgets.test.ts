// What a run may spend, and how it goes on with what is left.

import { chmodSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
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
  scripted,
  turnsOf,
} from './support.ts';

const FOUR = ['a', 'b', 'c', 'd'];

test('turns are counted over resumes, and everything is kept', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(3);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1 });
  // Nothing is left: the same budget stops it again, before any turn.
  const again = await finish(begin(scene, ['--resume', '--json']));
  expect(again.code, again.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(2);
  const more = await finish(begin(scene, ['--resume', '--max-turns', '3', '--json']));
  expect(more.code, more.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(3);
  const rest = await finish(begin(scene, ['--resume', '--max-turns', '9', '--json']));
  expect(rest.code, rest.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
});

test('a turn that would not fit into the money is not started', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest@0.4'], ['--max-usd', '1']);
  expect(ran.code, ran.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(2);
  expect(journalOf(scene, 'run').at(-1)?.data.detail).toContain('$0.80 of $1.00 spent');
  const resumed = await finish(begin(scene, ['--resume', '--max-usd', '1.2', '--json']));
  expect(resumed.code, resumed.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(3);
});

test('a turn that does not report its cost ends a run with a budget of money', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const ran = await runDemo(scene, ['honest'], ['--max-usd', '1']);
  expect(ran.code, ran.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(1);
  expect(journalOf(scene, 'run').at(-1)?.data.detail).toContain('--max-usd none');
  const unbounded = await finish(begin(scene, ['--resume', '--max-usd', 'none', '--json']));
  expect(unbounded.code, unbounded.err).toBe(0);
  const priced = newScene(FOUR);
  const later = await runDemo(priced, ['honest@0.3', 'honest'], ['--max-usd', '1']);
  expect(later.code, later.err).toBe(3);
  // The second one counts as much as the first, and so does every one after it.
  expect(turnsOf(priced)).toHaveLength(3);
});

test('a turn that was refused for quota costs nothing, and a wait is begun only if a turn may follow', async () => {
  verifies('RUN-4');
  const scene = newScene(['a']);
  const modes = ['quota:1', 'honest@0.4'];
  const ran = await runDemo(scene, modes, ['--max-usd', '1', '--on-limit', 'wait']);
  expect(ran.code, ran.out).toBe(0);
  expect(ran.events.at(-1)).toMatchObject({ turns: 2, cost_usd: 0.4 });
  const used = newScene(['a']);
  const limits = ['--max-turns', '1', '--on-limit', 'wait'];
  const stopped = await runDemo(used, ['quota:3600'], limits);
  expect(stopped.code, stopped.out).toBe(3);
  expect(stopped.events.map(({ event }) => event)).not.toContain('waiting_for_quota');
});

test("the quota of an agent is not another one's: a resume with another agent goes on", async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const ran = await runDemo(scene, ['quota:3600'], ['--on-limit', 'stop']);
  expect(ran.code, ran.err).toBe(4);
  const same = await finish(begin(scene, ['--resume', '--on-limit', 'stop', '--json']));
  expect(same.code, same.err).toBe(4);
  expect(turnsOf(scene)).toHaveLength(1);
  const other = ['--resume', '--command', scripted('honest'), '--on-limit', 'stop', '--json'];
  const resumed = await finish(begin(scene, other));
  expect(resumed.code, resumed.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ a: 1 });
});

test.for([
  { bounds: ['--on-limit', 'stop'], prints: /^--on-limit wait$/ },
  { bounds: ['--max-minutes', '0.02'], prints: /^--on-limit wait --max-minutes 1$/ },
])(
  'out of quota ($bounds), it says with which command it goes on, and that command does',
  async ({ bounds, prints }) => {
    verifies('RUN-1');
    const scene = newScene(['a']);
    const args = [
      'demo/main',
      '--goal',
      'x',
      '--command',
      scripted('quota:4', 'honest'),
      ...bounds,
    ];
    const ran = await finish(begin(scene, args));
    expect(ran.code, ran.err).toBe(4);
    const [, next = '', more = ''] =
      /To continue: deepwork run (--resume \w+ ?(.*))\n/.exec(ran.out) ?? [];
    expect(more).toMatch(prints);
    const status = await command(['status'], {
      cwd: scene.project.root,
      env: { HOME: scene.home },
    });
    expect(status.stdout.replace(/\s+/g, ' ')).toContain(`To continue: deepwork run ${next} `);
    const resumed = await finish(begin(scene, next.split(' ')));
    expect(resumed.code, resumed.err).toBe(0);
  },
);

test('a run that its budget stopped says with which command it goes on, and that command does', async () => {
  verifies('RUN-4');
  const scene = newScene(FOUR);
  const first = beginProcess(scene, [...demoArguments(['hang', 'honest']), '--max-usd', '1']);
  await until(() => turnsOf(scene).length === 1);
  // Of a killed turn no one knows what it cost.
  first.child.kill('SIGKILL');
  await first.ended;
  const next = async (...args: string[]) => {
    const { code, out } = await finish(begin(scene, ['--resume', ...args]));
    return {
      code,
      args: /To continue: deepwork run --resume \w+ (.*)\n/.exec(out)?.[1]?.split(' '),
    };
  };
  const unknown = await next();
  expect(unknown).toEqual({ code: 3, args: ['--max-usd', 'none'] });
  const used = await next(...(unknown.args ?? []), '--max-turns', '2');
  expect(used).toEqual({ code: 3, args: ['--max-turns', '4'] });
  expect((await next(...(used.args ?? []))).args).toEqual(['--max-turns', '8']);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1, c: 1 });
});

test.for([
  {
    modes: ['honest'],
    first: ['--max-turns', '3'],
    less: ['--max-turns', '1'],
    spent: '3 turns (budget 1 turn)',
  },
  {
    modes: ['honest@3'],
    first: ['--max-usd', '2'],
    less: ['--max-usd', '1'],
    spent: '$3.00 (budget $1.00)',
  },
  {
    modes: ['hang', 'honest'],
    first: ['--max-minutes', '.03'],
    less: ['--max-minutes', '.01'],
    spent: 's (budget 0.01 min)',
  },
])('resumed with less than was spent ($less), it names a command that goes on', async (each) => {
  verifies('RUN-4');
  const { modes, first, less, spent } = each;
  const scene = newScene(FOUR);
  expect((await runDemo(scene, modes, first)).code).toBe(3);
  const before = turnsOf(scene).length;
  const stopped = await finish(begin(scene, ['--resume', ...less]));
  expect(stopped.code, stopped.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(before);
  const next = /To continue: deepwork run (.*)\n/.exec(stopped.out)?.[1] ?? '';
  const status = await command(['status'], {
    cwd: scene.project.root,
    env: { HOME: scene.home },
  });
  expect(status.stdout).toContain(`To continue: deepwork run ${next}\n`);
  expect(status.stdout.replace(/\s+/g, ' ')).toContain(spent);
  await finish(begin(scene, next.split(' ')));
  expect(turnsOf(scene).length).toBeGreaterThan(before);
});

test('an agent that never reports its costs is refused where money is bounded', async () => {
  verifies('RUN-4');
  const scene = newScene();
  const bin = scene.home;
  writeFileSync(`${bin}/codex`, '#!/bin/sh\nexit 0\n');
  chmodSync(`${bin}/codex`, 0o755);
  const args = ['demo/main', '--goal', 'x', '--agent', 'codex', '--max-usd', '1'];
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const ran = await finish(begin(scene, args, { env }));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('codex never reports what a turn costs');
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('minutes stay spent', async () => {
  verifies('RUN-4');
  const scene = newScene(['a']);
  const ran = await runDemo(scene, ['hang'], ['--max-minutes', '0.05']);
  expect(ran.code, ran.err).toBe(3);
  const again = await finish(begin(scene, ['--resume', '--json']));
  expect(again.code, again.err).toBe(3);
  expect(turnsOf(scene)).toHaveLength(1);
});
