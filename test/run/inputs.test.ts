// The inputs of an unattended run: typed by what the workflow declares, wherever they come from.

import { expect, test } from 'vitest';
import { ISSUE, TRIAGE_INPUTS } from '../language/support.ts';
import { verifies } from '../verifies.ts';
import {
  begin,
  demoArguments,
  finish,
  journalOf,
  newLanguageScene,
  type Scene,
  turnsOf,
} from './support.ts';

const SPEC = {
  entries: ['fix'],
  steps: { fix: 'Fix {{ inputs.issue }}, {{ inputs.severity }}, {{ inputs.count }} times.' },
  inputs: TRIAGE_INPUTS,
};

const inputsOf = (scene: Scene) => journalOf(scene, 'session')[0]?.data.inputs;

test.for([
  [['--inputs', `issue=${ISSUE}`, '--inputs', 'count=3', 'strict=true'], 3, { strict: true }],
  [['--inputs', JSON.stringify({ issue: ISSUE, count: 2 }), '--inputs', 'count=1.5'], 1.5, {}],
] as const)(
  '%j are read by the declared types, and reach the agent',
  async ([given, count, more]) => {
    verifies('RUN-1', 'LANG-1');
    const scene = newLanguageScene(SPEC);
    const ran = await finish(begin(scene, demoArguments(['honest'], given)));
    expect(ran.code, ran.err).toBe(0);
    expect(inputsOf(scene)).toEqual({ count, issue: ISSUE, severity: 'low', ...more });
    expect(turnsOf(scene)[0].prompt).toContain(`Fix ${ISSUE}, low, ${count} times.`);
  },
);

test('every problem with inputs is reported at once, and nothing is started', async () => {
  verifies('RUN-1', 'LANG-1');
  const scene = newLanguageScene(SPEC);
  const given = ['--inputs', 'nope=1', '--inputs', 'count=many', '--inputs', 'severity=5'];
  const ran = await finish(begin(scene, demoArguments(['honest'], given)));
  expect(ran.code, ran.out).toBe(2);
  for (const named of ['issue', 'nope', 'many', '"5"']) expect(ran.err).toContain(named);
  for (const folder of ['session', 'run'] as const) expect(journalOf(scene, folder)).toEqual([]);
});
