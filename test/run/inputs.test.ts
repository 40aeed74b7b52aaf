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
  type Scene,
  scripted,
  turnsOf,
  typesOf,
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
    return { status: answer.status, body: (await answer.json()) as { message: string } };
  };
  const refused = await start({ severity: 'high', count: '4 or 5' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'run_not_started' } });
  for (const named of ['issue', '4 or 5']) expect(refused.body.message).toContain(named);
  const begun = await start({ issue: ISSUE, count: '4', strict: false, log: null });
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  await until(() => typesOf(journalOf(scene, 'run')).includes('run_stopped'));
  expect(inputsOf(scene)).toEqual({ count: 4, issue: ISSUE, severity: 'low', strict: false });
});
