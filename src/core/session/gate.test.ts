// What counts as weaker, demand by demand.

import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import type { Step } from '../workflow.ts';
import { demandsOf } from './demands.ts';
import { type GateSettings, gateOf, isSameGate, tellWeakening, weakenings } from './gate.ts';

const digest = (text: string) => `h${text.length}`;
const SETTINGS: GateSettings = { reviewer: { kind: 'self' }, overrides: 'person', maxAttempts: 3 };

const STEP: Step = {
  ...toStep(plainStep('a', 'x!', 'y')),
  checks: [{ name: 'lint', run: 'npm run lint', timeoutSeconds: 300 }],
  reviews: [
    {
      runEach: 'step',
      criteria: [
        { name: 'good', text: 'Good?' },
        { name: 'short', text: 'Short?' },
      ],
      guidance: 'Look twice',
    },
  ],
};

function gate(step: Partial<Step> | null, settings: Partial<GateSettings> = {}) {
  const steps = step === null ? [] : [{ ...STEP, ...step }];
  const workflow = { name: 'flow', summary: 's', entries: [{ kind: 'steps' as const, steps }] };
  return gateOf({ places: demandsOf(workflow, digest) }, { ...SETTINGS, ...settings }, digest);
}

const [review] = STEP.reviews;
const [x, y] = STEP.outputs;

test.each<[string, Partial<Step> | null, Partial<GateSettings>, string[]]>([
  ['nothing', {}, {}, []],
  ['a step', null, {}, ["step 'a': the step was removed"]],
  ['a check', { checks: [] }, {}, ["step 'a': check 'lint' was removed (was: npm run lint)"]],
  [
    'a command',
    { checks: [{ name: 'lint', run: 'true', timeoutSeconds: 300 }] },
    {},
    ["step 'a': check 'lint' was changed: npm run lint → true"],
  ],
  [
    'an output',
    { outputs: [y as NonNullable<typeof y>] },
    {},
    ["step 'a': output 'x' is no longer required"],
  ],
  ['a demand that came', { outputs: [x, { ...y, required: true }] as Step['outputs'] }, {}, []],
  [
    'a criterion',
    {
      reviews: [
        { ...review, criteria: [{ name: 'good', text: 'Good enough?' }] },
      ] as Step['reviews'],
    },
    {},
    [
      "step 'a': criterion 'good' of the review of 'step' was changed",
      "step 'a': criterion 'short' of the review of 'step' was removed",
    ],
  ],
  [
    'a review',
    { reviews: [] },
    {},
    [
      "step 'a': review of 'step' was removed",
      "step 'a': guidance of the review of 'step' was removed",
      "step 'a': criterion 'good' of the review of 'step' was removed",
      "step 'a': criterion 'short' of the review of 'step' was removed",
    ],
  ],
  ['the reviewer', {}, { reviewer: { kind: 'off' } }, ['reviewer: self → off']],
  ['a better reviewer', {}, { reviewer: { kind: 'command', command: 'r' } }, []],
  ['who overrides', {}, { overrides: 'agent' }, ['overrides: person → agent']],
  ['a stricter rule', {}, { overrides: 'never' }, []],
  ['attempts', {}, { maxAttempts: 4 }, ['attempts at a review: 3 → 4']],
  ['fewer attempts', {}, { maxAttempts: 2 }, []],
])('%s', (_what, step, settings, said) => {
  const before = gate({});
  const now = gate(step, settings);
  expect(weakenings(before, now).map(tellWeakening)).toEqual(said);
  expect(isSameGate(before, gate({}))).toBe(true);
});

test('one reviewer in place of another counts as weaker, since no one can tell', () => {
  const by = (command: string) => gate({}, { reviewer: { kind: 'command', command } });
  expect(weakenings(by('a'), by('b'))).toHaveLength(1);
  expect(weakenings(by('a'), gate({}))).toHaveLength(1);
});
