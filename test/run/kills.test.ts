// kill -9 of runner and agent at random moments, and a resume after each. The run's server is the
// runner's own process, so it is killed with it.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesWith } from '../../src/environment/process/marked-processes.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  beginProcess,
  childrenOf,
  finish,
  journalOf,
  newScene,
  type Scene,
  scripted,
  turnsOf,
} from './support.ts';

const KILLS = Number(process.env.DEEPWORK_RUN_KILLS ?? 4);
const STEPS = Array.from({ length: 4 }, (_, n) => `step${n + 1}`);
const PRICE = 0.1;
const ROUNDING = 1e-9;

/** What a run may spend; a larger budget is given when it is used up. */
const BUDGETS = [
  { first: 0, option: () => [], spent: () => 0, most: () => 0 },
  {
    first: 3,
    option: (max: number) => ['--max-turns', String(max)],
    spent: (turns: number) => turns,
    most: (max: number) => max,
  },
  {
    first: 0.25,
    option: (max: number) => ['--max-usd', max.toFixed(2)],
    spent: (turns: number) => turns * PRICE,
    // Never more than one turn over.
    most: (max: number) => max + PRICE + ROUNDING,
  },
];

test(`after ${KILLS} kills each step was accepted once, and no process is left`, {
  timeout: 180_000 + KILLS * 15_000,
}, async () => {
  verifies('RUN-2', 'RUN-4');
  const random = randomFrom(chooseSeed());
  let killed = 0;
  while (killed < KILLS) {
    const scene = newScene(STEPS);
    const budget = random.pick(BUDGETS);
    // Each turn leaves a process that no signal to its group reaches.
    const command = ['--command', scripted(`detaches@${PRICE}`)];
    let max = budget.first;
    let args = ['demo/main', '--goal', 'Try it', ...command, ...budget.option(max)];
    let isOver = false;
    for (let lives = 0; !isOver; lives++) {
      const ran = await liveAndDie(scene, [...args, '--json'], lives < 8 ? 900 : 6000);
      expect([0, 2, 3, 5, 137, null], ran.err).toContain(ran.code);
      const events = journalOf(scene, 'run');
      // The runner before was killed after it had recorded that everything is done.
      const wasComplete = ran.code === 2 && events.at(-1)?.data.reason === 'complete';
      if (wasComplete) expect(ran.err).toContain('There is no unfinished run here');
      else if (ran.code === 2) expect(ran.err).toMatch(/is working in this checkout|already/);
      const turns = events.filter(({ type }) => type === 'turn_started').length;
      expect(budget.spent(turns)).toBeLessThanOrEqual(budget.most(max));
      if (ran.code === 3) max += budget.first;
      const isStarted = events.length > 0;
      if (isStarted) args = ['--resume', ...budget.option(max)];
      // A turn of unknown cost, with no other to go by, is the end of a run that is paid for.
      const isUnknown = /is unknown/.test(events.at(-1)?.data.detail ?? '');
      const isLost = !isStarted && journalOf(scene, 'session').length > 0;
      isOver = ran.code === 0 || wasComplete || isUnknown || isLost;
      if (ran.code !== 0 && !wasComplete) continue;
      expect(acceptedSteps(scene)).toEqual(Object.fromEntries(STEPS.map((step) => [step, 1])));
    }
    for (const times of Object.values(acceptedSteps(scene))) expect(times).toBe(1);
    const started = [...turnsOf(scene), ...childrenOf(scene)];
    expect(started.filter(({ pid }) => isAlive(pid))).toEqual([]);
    const left = processesWith('DEEPWORK_RUN').filter(({ value }) =>
      value.endsWith(scene.project.root),
    );
    expect(left).toEqual([]);
  }

  /** Runs it, and kills something of it at a random moment. */
  async function liveAndDie(scene: Scene, args: readonly string[], withinMs: number) {
    const running = beginProcess(scene, args);
    let isOver = false;
    const ended = finish(running).then((ran) => {
      isOver = true;
      return ran;
    });
    const begun = () => journalOf(scene, 'run').filter(({ type }) => type === 'run_started').length;
    const before = begun();
    // Mostly while it works, however long it takes to start.
    if (random.chance(0.8)) await until(() => isOver || begun() > before);
    await pause(random.below(withinMs));
    const victim = isOver ? null : chooseVictim(scene, random);
    if (victim !== null) {
      killed += 1;
      tryKill(victim);
    }
    return ended;
  }
});

/** The runner, or the agent that runs now. */
function chooseVictim(scene: Scene, random: Random): number | null {
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
