// Which changes make a gate weaker, demand by demand.

import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import type { ApproveEntry, Entry, Step } from '../workflow.ts';
import { demandsOf } from './demands.ts';
import { describeWeakening, type GateSettings, gateOf, isSameGate, weakenings } from './gate.ts';

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
  expect(weakenings(before, now).map(describeWeakening)).toEqual(said);
  expect(isSameGate(before, gate({}))).toBe(true);
});

test('replacing one reviewer by another counts as weaker, since it cannot be judged', () => {
  const by = (command: string) => gate({}, { reviewer: { kind: 'command', command } });
  expect(weakenings(by('a'), by('b'))).toHaveLength(1);
  expect(weakenings(by('a'), gate({}))).toHaveLength(1);
});

const [first, second, third] = ['a', 'b', 'c'].map((id) => toStep(plainStep(id, 'x!')));
const steps = (...all: (Step | undefined)[]): Entry => ({ kind: 'steps', steps: all as Step[] });
const ref = { step: 'a', output: 'x' };

function loop(max: number, ...entries: Entry[]): Entry {
  const check = { name: 'tests', run: 'npm test', timeoutSeconds: 300 };
  return { kind: 'loop', name: 'again', entries, until: { kind: 'check', check }, max };
}

function each(maxItems: number): Entry {
  return {
    kind: 'for_each',
    name: 'all',
    items: ref,
    step: third as Step,
    maxParallel: 4,
    maxItems,
  };
}

function approve(more: Partial<ApproveEntry> = {}): Entry {
  return { kind: 'approve', name: 'ok', question: 'Go?', show: [ref], onReject: null, ...more };
}

function ofEntries(...entries: Entry[]) {
  const workflow = { name: 'flow', summary: 's', entries };
  return gateOf({ places: demandsOf(workflow, digest) }, SETTINGS, digest);
}

const ORDER = 'the steps are in another order';

test.each<[string, Entry[], Entry[], string[]]>([
  [
    'sequential steps made concurrent',
    [steps(first), steps(second)],
    [steps(first, second)],
    [ORDER],
  ],
  ['concurrent steps made sequential', [steps(first, second)], [steps(second), steps(first)], []],
  [
    'a step moved into a loop',
    [loop(3, steps(first)), steps(second)],
    [loop(3, steps(first), steps(second))],
    ["step 'b': it is in loop 'again', and was in no loop"],
  ],
  [
    'a step moved out of a loop',
    [loop(3, steps(first), steps(second))],
    [loop(3, steps(first)), steps(second)],
    ["step 'b': it is in no loop, and was in loop 'again'"],
  ],
  ['fewer passes', [loop(3, steps(first))], [loop(2, steps(first))], []],
  ['fewer items', [each(100)], [each(9)], ["step 'all': max_items: 100 → 9"]],
  ['more items', [each(9)], [each(100)], []],
  [
    'another target of a rejection',
    [steps(first), approve()],
    [steps(first), approve({ onReject: { goTo: 'a', max: 1 } })],
    [`step 'ok': on_reject was changed: null → {"goTo":"a","max":1}`],
  ],
  ['an approval that came', [steps(first)], [steps(first), approve()], []],
])('%s', (_what, before, now, said) => {
  expect(weakenings(ofEntries(...before), ofEntries(...now)).map(describeWeakening)).toEqual(said);
});

test('a nested workflow counts as weaker if it cannot be read, not if it was unknown', () => {
  const places = ofEntries(steps(first)).places;
  const runs = (nested: typeof places | null) => ({ ...gate({}), runs: { 'sub/main': nested } });
  expect(weakenings(runs(places), runs(null)).map(describeWeakening)).toEqual([
    'sub/main, which it runs, cannot be read',
  ]);
  expect(weakenings(runs(null), runs(places))).toEqual([]);
});
