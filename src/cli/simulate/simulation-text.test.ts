// The report says what became of dishonest agents, and why a run was not completed.

import { expect, test } from 'vitest';
import type { Simulation } from '../../simulate/report.ts';
import { simulationText } from './simulation-text.ts';

const ran = (agent: Simulation['runs'][number]['agent'], more = {}) => ({
  agent,
  runs: 2,
  completed: 2,
  attempts: 0,
  stopped: 0,
  unfinished: [],
  ...more,
});

function textOf(runs: Simulation['runs'], score: number | null = 100): string {
  const all = { seen: 1, of: 1, missed: [] };
  const guard = { step: 'plan', score, attempts: 1, stopped: 1 };
  const found = { steps: all, branches: all, guards: [guard], holes: [], transcript: [] };
  return simulationText({ workflow: 'work/main', seed: 1, runs, ...found });
}

/** The report without line breaks inside its sentences. */
const flat = (text: string) => text.replaceAll(/\n {2,}/g, ' ');

test('a dishonest agent that completed its runs was stopped, and then did what was asked', () => {
  const text = textOf([ran('honest'), ran('liar', { attempts: 5, stopped: 5 })]);
  expect(text).toContain('honest    does every step as it is asked; 2 of 2 runs completed\n');
  expect(flat(text)).toContain(
    'liar      hands in files that say nothing true; stopped 5 of 5 times, then does it properly; 2 of 2 runs completed\n',
  );
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('one that got past a gate is not said to have been stopped there', () => {
  const text = flat(textOf([ran('liar', { attempts: 5, stopped: 3 })]));
  expect(text).toContain('; stopped 3 of 5 times, gets past a gate 2 times; 2 of 2 runs');
});

test('why a run was not completed is said once for each reason', () => {
  const unfinished = [{ step: 'go_ahead', why: 'a person rejected it', runs: 2 }];
  const text = flat(textOf([ran('skipper', { completed: 0, unfinished })]));
  expect(text).toContain('; 0 of 2 runs completed (2 ended at go_ahead: a person rejected it)\n');
});

test('a step that no dishonest agent tried is explained, and only then', () => {
  const why = 'not tried: no liar or skipper played, got here, or had something to hand in.';
  expect(textOf([ran('honest')], null)).toContain(`  plan  not tried\n  ${why}\n`);
  expect(textOf([ran('honest')])).not.toContain('not tried');
});
