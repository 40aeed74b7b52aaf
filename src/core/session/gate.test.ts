// Which changes make a gate weaker, demand by demand.

import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import type { Entry, Step } from '../workflow.ts';
import { demandsOf } from './demands.ts';
import { describeWeakening, type GateSettings, gateOf, isSameGate, weakenings } from './gate.ts';

const digest = (text: string) => `h${text.length}`;
const SETTINGS: GateSettings = { reviewer: { kind: 'self' }, overrides: 'person', maxAttempts: 3 };
const CHECK = { name: 'lint', run: 'npm run lint', timeoutSeconds: 300 };
const REVIEW = { runEach: 'step', criteria: [{ name: 'good', text: 'Good?' }], guidance: 'Twice' };
const STEP: Step = { ...toStep(plainStep('a', 'x!', 'y')), checks: [CHECK], reviews: [REVIEW] };
const OTHER = toStep(plainStep('b', 'x!'));
const steps = (...all: Step[]): Entry => ({ kind: 'steps', steps: all });

function gate(entries: readonly Entry[], settings: Partial<GateSettings> = {}) {
  const workflow = { name: 'flow', summary: 's', entries };
  return gateOf({ places: demandsOf(workflow, digest) }, { ...SETTINGS, ...settings }, digest);
}

const entries = [steps(STEP), steps(OTHER)];
const changed = (step: Partial<Step>) => [steps({ ...STEP, ...step }), steps(OTHER)];
const outputs = (required: boolean) => STEP.outputs.map((output) => ({ ...output, required }));

test.each<[string, readonly Entry[], Partial<GateSettings>, readonly string[]]>([
  ['nothing', entries, {}, []],
  ['a step', [steps(OTHER)], {}, ["'a'"]],
  ['a check', changed({ checks: [] }), {}, ['npm run lint']],
  ['a command', changed({ checks: [{ ...CHECK, run: 'true' }] }), {}, ['npm run lint → true']],
  ['an output', changed({ outputs: outputs(false) }), {}, ["'x'"]],
  ['a demand that came', changed({ outputs: outputs(true) }), {}, []],
  ['a review', changed({ reviews: [] }), {}, ["'step'", 'guidance', "'good'"]],
  ['steps made concurrent', [steps(STEP, OTHER)], {}, ['order']],
  ['the reviewer', entries, { reviewer: { kind: 'off' } }, ['self → off']],
  ['a better reviewer', entries, { reviewer: { kind: 'command', command: 'r' } }, []],
  ['who overrides', entries, { overrides: 'agent' }, ['person → agent']],
  ['a stricter rule', entries, { overrides: 'never' }, []],
  ['attempts', entries, { maxAttempts: 4 }, ['3 → 4']],
])('%s', (_what, now, settings, named) => {
  const before = gate(entries);
  const said = weakenings(before, gate(now, settings)).map(describeWeakening);
  expect(said).toEqual(named.map((part) => expect.stringContaining(part)));
  expect(isSameGate(before, gate(entries))).toBe(true);
});
