// kill -9 of runner and agent at random moments, and a resume after each. The run's server is the
// runner's own process, so it is killed with it.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesWith } from '../../src/environment/process/marked-processes.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  finish,
  isAlive,
  journalOf,
  newScene,
  scripted,
  turnsOf,
} from './support.ts';

const KILLS = Number(process.env.DEEPWORK_RUN_KILLS ?? 4);
const STEPS = Array.from({ length: 4 }, (_, n) => `step${n + 1}`);

test(`after ${KILLS} kills each step was accepted once, and no process is left`, {
  timeout: 180_000 + KILLS * 10_000,
}, async () => {
  verifies('RUN-2');
  const random = randomFrom(chooseSeed());
  let killed = 0;
  while (killed < KILLS) {
    const scene = newScene(STEPS);
    const command = ['--command', scripted('honest')];
    let args = ['demo/main', '--goal', 'Try it', ...command, '--json'];
    let code: number | null = null;
    for (let lives = 0; code !== 0; lives++) {
      const running = begin(scene, args);
      let isOver = false;
      const ended = finish(running).then((ran) => {
        isOver = true;
        return ran;
      });
      await pause(random.below(lives < 8 ? 900 : 6000));
      const victim = isOver ? null : chooseVictim(scene, random);
      if (victim !== null) {
        killed += 1;
        tryKill(victim);
      }
      const ran = await ended;
      ({ code } = ran);
      if (code === 2)
        expect(ran.err).toMatch(/no unfinished run|is working in this checkout|already/);
      expect([0, 2, 5, 137, null]).toContain(code);
      const isStarted = journalOf(scene, 'run').length > 0;
      args = isStarted ? ['--resume', '--json'] : args;
      if (!isStarted && journalOf(scene, 'session').length > 0) break;
    }
    if (code !== 0) continue;
    expect(acceptedSteps(scene)).toEqual(Object.fromEntries(STEPS.map((step) => [step, 1])));
    expect(turnsOf(scene).filter(({ pid }) => isAlive(pid))).toEqual([]);
    const left = processesWith('DEEPWORK_RUN').filter(({ value }) =>
      value.endsWith(scene.project.root),
    );
    expect(left).toEqual([]);
  }
});

/** The runner, or the agent that runs now. */
function chooseVictim(scene: Parameters<typeof journalOf>[0], random: Random): number | null {
  const started = journalOf(scene, 'run').findLast(({ type }) => type === 'run_started');
  const runner = Number(started?.data.process.split('/')[1]);
  const agent = turnsOf(scene).findLast(({ pid }) => isAlive(pid))?.pid;
  const all = [runner, agent].filter((pid) => pid !== undefined && isAlive(pid));
  return all.length === 0 ? null : random.pick(all);
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
