// The simulator finds every hole in prepared workflows, and none in sound ones.

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Simulation, simulate } from '../../src/simulate/simulate.ts';
import { command } from '../support/command.ts';
import { writeFiles } from '../support/job-files.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

interface Prepared {
  readonly title: string;
  readonly entries: readonly unknown[];
  readonly steps: Readonly<Record<string, object>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Another job, for nested runs. */
  readonly nested?: Pick<Prepared, 'entries' | 'steps'>;
  /** `agent step: by`, sorted. */
  readonly holes: readonly string[];
}

const file = (more: object = {}) => ({ type: 'file', description: 'd', required: true, ...more });
const REVIEW = { run_each: 'step', quality_criteria: { good: 'It is good.' } };
const CHECK = { name: 'tests', run: 'echo the project must not run this; exit 3' };
const RULES = [
  { type: 'contains', value: '## Result', message: 'There is no section "## Result".' },
];
const reviewed = (more: object = {}) => ({ outputs: { out: file() }, reviews: [REVIEW], ...more });
const checked = (more: object = {}) => ({ outputs: { out: file() }, checks: [CHECK], ...more });
const ruled = (more: object = {}) => ({ outputs: { out: file({ rules: RULES }) }, ...more });

const WITH_HOLES: readonly Prepared[] = [
  {
    title: 'a step without any gate',
    entries: ['plan', 'deploy'],
    steps: { plan: reviewed(), deploy: { outputs: { out: file() } } },
    holes: ['liar deploy: lies in out'],
  },
  {
    title: 'a step whose only output is optional',
    entries: ['plan', 'note'],
    steps: { plan: ruled(), note: { outputs: { out: file({ required: false }) } } },
    holes: ['skipper note: hands in nothing'],
  },
  {
    title: 'rules on one of two outputs',
    entries: ['write'],
    steps: { write: { outputs: { out: file({ rules: RULES }), log: file() } } },
    holes: ['liar write: lies in log'],
  },
  {
    title: 'a step without a gate in a loop',
    entries: [
      'plan',
      { loop: { name: 'until_green', steps: ['implement'], until: { check: CHECK }, max: 3 } },
    ],
    steps: { plan: reviewed(), implement: { outputs: { out: file() } } },
    holes: ['liar implement: lies in out'],
  },
  {
    title: 'a branch without a gate behind a condition',
    entries: ['plan', 'slow', 'fast'],
    inputs: { mode: { description: 'd', enum: ['slow', 'fast'] } },
    steps: {
      plan: ruled(),
      slow: checked({ when: { var: 'mode', equals: 'slow' } }),
      fast: { outputs: { out: file() }, when: { var: 'mode', equals: 'fast' } },
    },
    holes: ['liar fast: lies in out'],
  },
  {
    title: 'a nested workflow with a step without a gate',
    entries: ['plan', { run: { name: 'sub', job: 'nested', workflow: 'inner' } }],
    steps: { plan: reviewed() },
    nested: { entries: ['dig'], steps: { dig: { outputs: { out: file() } } } },
    holes: ['liar inner: dig: lies in out'],
  },
];

const SOUND: readonly Prepared[] = [
  {
    title: 'every step has a review, a check or rules',
    entries: ['plan', ['build', 'describe'], 'ship'],
    steps: { plan: reviewed(), build: checked(), describe: ruled(), ship: reviewed() },
    holes: [],
  },
  {
    title: 'a loop, a list, an approval and a condition',
    entries: [
      'plan',
      {
        approve: {
          name: 'go_ahead',
          question: 'Is it good?',
          show: ['plan.out'],
          on_reject: { go_to: 'plan', max: 3 },
        },
      },
      { for_each: { name: 'each', items: 'plan.out', step: 'migrate' } },
      {
        loop: {
          name: 'until_green',
          steps: ['implement'],
          until: { when: { var: 'green' } },
          max: 2,
        },
      },
      'announce',
    ],
    steps: {
      plan: reviewed(),
      migrate: checked(),
      implement: reviewed({ reports: { green: { type: 'boolean', description: 'd' } } }),
      announce: ruled({ when: { var: 'green', equals: true } }),
    },
    holes: [],
  },
];

function jobText(name: string, workflow: string, prepared: Omit<Prepared, 'title' | 'holes'>) {
  const { entries, steps, inputs } = prepared;
  const common = { common_job_info_provided_to_all_steps_at_runtime: 'Nothing' };
  return JSON.stringify({
    name,
    version: '1.0.0',
    summary: 'A sample',
    ...common,
    workflows: [
      { name: workflow, summary: 'All of it', ...(inputs && { inputs }), steps: entries },
    ],
    steps: Object.entries(steps).map(([id, more]) => ({
      id,
      name: id,
      description: id,
      instructions_file: `steps/${id}.md`,
      outputs: {},
      reviews: [],
      ...more,
    })),
  });
}

/** `overrides`: who may skip reviews. */
function projectWith({ nested, ...prepared }: Prepared, overrides = 'person'): string {
  const root = tempFolder('.deepwork');
  writeFiles(root, { '.deepwork/config.yml': `quality_gate: {overrides: ${overrides}}\n` });
  const write = (name: string, workflow: string, given: typeof prepared) =>
    writeFiles(path.join(root, '.deepwork', 'jobs', name), {
      'job.yml': jobText(name, workflow, given),
      ...Object.fromEntries(
        Object.keys(given.steps).map((id) => [`steps/${id}.md`, `Do ${id}.\n`]),
      ),
    });
  write('work', 'main', prepared);
  if (nested) write('nested', 'inner', { ...nested, title: '', holes: [] });
  return root;
}

const AGENTS = ['honest', 'skipper', 'liar', 'crasher'] as const;

/** `times`: for each agent, so that loops take another pass and inputs get each of their values. */
function run(root: string, times = 1, seed = 1): Promise<Simulation> {
  return simulate({
    projectRoot: root,
    standardJobsDir: null,
    standardGuidesDir: null,
    env: process.env,
    name: 'work/main',
    agents: AGENTS,
    runs: times * AGENTS.length,
    seed,
    runChecks: false,
    readInputs: () => ({}),
  });
}

function holesOf({ holes }: Simulation): readonly string[] {
  return holes.map(({ agent, step, by }) => `${agent} ${step}: ${by}`).sort();
}

test.for(WITH_HOLES.map((each) => [each.title, each] as const))(
  'a hole is found, and no other: %s',
  { timeout: 120_000 },
  async ([, prepared]) => {
    verifies('LANG-9');
    const found = await run(projectWith(prepared), prepared.inputs === undefined ? 1 : 4);
    expect(holesOf(found), found.transcript.join('\n')).toEqual(prepared.holes);
  },
);

test.for(SOUND.map((each) => [each.title, each] as const))(
  'nothing is found where there is nothing: %s',
  { timeout: 120_000 },
  async ([, prepared]) => {
    verifies('LANG-9');
    const root = projectWith(prepared);
    const found = await run(root, 2);
    expect(holesOf(found), found.transcript.join('\n')).toEqual([]);
    expect(found.steps.missed).toEqual([]);
    expect(found.guards.every(({ score }) => score === null || score === 100)).toBe(true);
    expect(readdirSync(path.join(root, '.deepwork'))).toEqual(['config.yml', 'jobs']);
  },
);

test('where agents may skip reviews, a step that only a review guards is a hole', {
  timeout: 120_000,
}, async () => {
  verifies('LANG-9');
  const found = await run(projectWith(SOUND[0] as Prepared, 'agent'));
  const by = 'lies in out and skips the review';
  expect(holesOf(found)).toEqual([`liar plan: ${by}`, `liar ship: ${by}`]);
  for (const { advice } of found.holes) expect(advice).toContain('quality_gate.overrides: person');
  expect(found.guards.find(({ step }) => step === 'plan')?.score).toBeLessThan(100);
});

test('the same seed plays the same, another one does not', { timeout: 120_000 }, async () => {
  verifies('LANG-9');
  const root = projectWith(SOUND[1] as Prepared);
  const [one, same, other] = [await run(root), await run(root), await run(root, 1, 2)];
  expect(same).toEqual(one);
  expect(other.transcript).not.toEqual(one.transcript);
});

test('the command says who passes and exits with 1', { timeout: 120_000 }, async () => {
  verifies('LANG-9');
  const root = projectWith(WITH_HOLES[0] as Prepared);
  const args = ['simulate', 'work/main', '--runs', '7'];
  const { code, stdout } = await command(args, { cwd: root });
  // As LANG 8 promises it.
  expect(stdout).toContain("step 'deploy' has no rule, check or review: the liar passes");
  expect(code).toBe(1);
  const json = await command([...args, '--json', '--agent', 'honest'], { cwd: root });
  expect([json.code, JSON.parse(json.stdout).holes]).toEqual([0, []]);
  expect(existsSync(path.join(root, '.deepwork', 'journal'))).toBe(false);
  const unknown = await command(['simulate', 'work/mian'], { cwd: root });
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('work/main')]);
});

test.for(['', '--run-checks'])(
  'no program of the project runs, though PATH names its folder first %s',
  { timeout: 120_000 },
  async (option) => {
    verifies('LANG-9');
    const check = { name: 'tests', run: 'sort simulated/* | grep -c "" > simulated-count' };
    const { plan } = (SOUND[0] as Prepared).steps;
    const steps = { plan: { ...plan, checks: [check] } };
    const root = projectWith({ title: '', holes: [], entries: ['plan'], steps });
    const bin = path.join(root, 'node_modules', '.bin');
    const ran = path.join(root, 'ran');
    for (const name of ['sh', 'grep', 'sort', 'printf', 'git']) {
      writeFiles(bin, { [name]: `#!/bin/sh\necho ${name} >> '${ran}'\n` });
      chmodSync(path.join(bin, name), 0o755);
    }
    const env = { PATH: `${bin}${path.delimiter}${process.env.PATH}`, DEEPWORK_TRUST: '1' };
    const args = ['simulate', 'work/main', '--runs', '2', ...(option ? [option] : [])];
    const { code, stderr } = await deepwork(args, { cwd: root, env });
    expect([code, stderr]).toEqual([expect.anything(), '']);
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  },
);

test('--inputs are read by the declared types, as everywhere else', {
  timeout: 120_000,
}, async () => {
  verifies('LANG-9', 'LANG-1');
  const prepared = SOUND[1] as Prepared;
  const inputs = {
    version: { description: 'What is released', type: 'string' },
    count: { description: 'How often', type: 'number' },
  };
  const root = projectWith({ ...prepared, inputs });
  const typed = ['--inputs', 'version=5', '--inputs', '{"count": 2}'];
  const args = ['simulate', 'work/main', '--runs', '1', '--agent', 'honest', '--json', ...typed];
  const { code, stdout, stderr } = await command(args, { cwd: root });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).transcript.join('\n')).toContain('"version":"5","count":2');
});
