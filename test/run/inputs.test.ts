// The inputs of an unattended run: typed by what the workflow declares, wherever they come from.

import { expect, test } from 'vitest';
import { ISSUE, TRIAGE_INPUTS } from '../language/support.ts';
import { command } from '../support/command.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  begin,
  demoArguments,
  finish,
  journalOf,
  newLanguageScene,
  newScene,
  scripted,
  turnsOf,
  typesOf,
} from './support.ts';

const SPEC = {
  entries: ['fix'],
  steps: { fix: 'Fix {{ inputs.issue }}, {{ inputs.severity }}, {{ inputs.count }} times.' },
  inputs: TRIAGE_INPUTS,
};

function inputsOf(scene: Parameters<typeof journalOf>[0]): unknown {
  return journalOf(scene, 'session')[0]?.data.inputs;
}

test('--inputs are read by the declared types, and reach the agent', async () => {
  verifies('RUN-1', 'LANG-1');
  const scene = newLanguageScene(SPEC);
  const given = ['--inputs', `issue=${ISSUE}`, '--inputs', 'count=3', 'strict=true'];
  const ran = await finish(begin(scene, demoArguments(['honest'], given)));
  expect(ran.code, ran.err).toBe(0);
  expect(inputsOf(scene)).toEqual({ count: 3, issue: ISSUE, severity: 'low', strict: true });
  expect(turnsOf(scene)[0].prompt).toContain(`Fix ${ISSUE}, low, 3 times.`);
});

test('--inputs may be JSON', async () => {
  const scene = newLanguageScene(SPEC);
  const json = JSON.stringify({ issue: ISSUE, count: 2 });
  const given = ['--inputs', json, '--inputs', 'count=1.5'];
  const ran = await finish(begin(scene, demoArguments(['honest'], given)));
  expect(ran.code, ran.err).toBe(0);
  expect(inputsOf(scene)).toEqual({ count: 1.5, issue: ISSUE, severity: 'low' });
});

test('every problem with inputs is reported at once, and nothing is started', async () => {
  verifies('RUN-1', 'LANG-1');
  const scene = newLanguageScene(SPEC);
  const given = ['--inputs', 'nope=1', '--inputs', 'count=many', '--inputs', 'severity=5'];
  const ran = await finish(begin(scene, demoArguments(['honest'], given)));
  expect(ran.code, ran.out).toBe(2);
  expect(ran.err.split('\n').slice(0, 5)).toEqual([
    'deepwork: Missing required inputs: issue',
    'Unknown inputs: nope. Declared inputs: count, issue, log, severity, strict',
    "Input 'count': must be a number, got many",
    `Input 'severity': must be one of low, high, got "5"`,
    expect.stringMatching(
      /^Next: give each one as --inputs name=value: count \(number; optional\), /,
    ),
  ]);
  for (const folder of ['session', 'run'] as const) expect(journalOf(scene, folder)).toEqual([]);
  expect(turnsOf(scene)).toEqual([]);
});

test('a workflow that declares no inputs refuses any', async () => {
  const scene = newScene(['a']);
  const ran = await finish(begin(scene, demoArguments(['honest'], ['--inputs', 'a=1'])));
  expect(ran.code, ran.out).toBe(2);
  expect(ran.err).toContain('Unknown inputs: a. Declared inputs: (none)');
  expect(ran.err).toContain('Next: leave out --inputs; this workflow declares none.');
  expect(journalOf(scene, 'session')).toEqual([]);
});

test('the page gives inputs as values or as text, and learns what is wrong with them', async () => {
  verifies('RUN-1', 'LANG-1');
  const agent = JSON.stringify(scripted('honest').replaceAll("'", ''));
  const config = `  agents:\n    - name: worker\n      command: ${agent}\nrun:\n  agent: worker\n`;
  const scene = newLanguageScene({ ...SPEC, config });
  const cwd = scene.project.root;
  await command(['trust', '--yes'], { cwd, env: { HOME: scene.home } });
  const env = { AGENT_NOTES: scene.notes };
  const { url } = await serveHttpInProcess(cwd, { home: scene.home, env });
  const start = async (inputs: object) => {
    const body = JSON.stringify({ workflow: 'demo/main', goal: 'From the page', inputs });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/runs`, { method: 'POST', headers, body });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await start({ severity: 'high', count: '4 or 5' })).toMatchObject({
    status: 409,
    body: {
      code: 'run_not_started',
      message: expect.stringMatching(
        /^Missing required inputs: issue\nInput 'count': must be a number, got 4 or 5\nNext: give/,
      ),
    },
  });
  const begun = await start({ issue: ISSUE, count: '4', strict: false, log: null });
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  await until(() => typesOf(journalOf(scene, 'run')).includes('run_stopped'));
  expect(inputsOf(scene)).toEqual({ count: 4, issue: ISSUE, severity: 'low', strict: false });
});
