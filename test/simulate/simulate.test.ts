// The simulator finds every hole in prepared workflows, and none in sound ones.

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type AgentName, SIMULATED_AGENTS } from '../../src/simulate/agents.ts';
import { type Simulation, simulate } from '../../src/simulate/simulate.ts';
import { command } from '../support/command.ts';
import { writeFiles } from '../support/job-files.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { verifies } from '../verifies.ts';
import { type Prepared, SOUND, WITH_HOLES } from './prepared-workflows.ts';

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

function run(
  root: string,
  runs: number = SIMULATED_AGENTS.length,
  seed = 1,
  agents: readonly AgentName[] = SIMULATED_AGENTS,
): Promise<Simulation> {
  return simulate({
    projectRoot: root,
    standardJobsDir: null,
    standardGuidesDir: null,
    env: process.env,
    name: 'work/main',
    agents,
    runs,
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
    // Where there are inputs, four for each agent, so that each draws both values of one.
    const times = prepared.inputs === undefined ? 1 : 4;
    const found = await run(projectWith(prepared), times * SIMULATED_AGENTS.length);
    expect(holesOf(found), found.transcript.join('\n')).toEqual(prepared.holes);
  },
);

test.for(SOUND.map((each) => [each.title, each] as const))(
  'nothing is found where there is nothing: %s',
  { timeout: 120_000 },
  async ([, prepared]) => {
    verifies('LANG-9');
    const root = projectWith(prepared);
    // Twice for each agent, so that loops take another pass and a person rejects something.
    const found = await run(root, 2 * SIMULATED_AGENTS.length);
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
  const file = (more = {}) => ({ type: 'file', description: 'd', required: true, ...more });
  const reviews = [{ run_each: 'step', quality_criteria: { good: 'It is good.' } }];
  const rules = [{ type: 'contains', value: '## Result', message: 'There is no "## Result".' }];
  const checks = [{ name: 'tests', run: 'true' }];
  const prepared: Prepared = {
    title: '',
    holes: [],
    entries: ['plan', 'write', 'build', 'look'],
    steps: {
      plan: { outputs: { out: file() }, reviews },
      write: { outputs: { out: file({ rules }) }, reviews },
      build: { outputs: { out: file() }, reviews, checks },
      look: { reviews },
    },
  };
  const found = await run(projectWith(prepared, 'agent'));
  expect(holesOf(found), found.transcript.join('\n')).toEqual([
    'liar plan: lies in out and skips the review',
    'skipper look: hands in nothing and skips the review',
  ]);
  const close = 'to close it, set quality_gate.overrides: person in .deepwork/config.yml';
  for (const { advice } of found.holes) expect(advice).toContain(close);
  expect(found.guards.find(({ step }) => step === 'plan')?.score).toBeLessThan(100);
  expect(holesOf(await run(projectWith(prepared, 'person')))).toEqual([]);
});

test('advice on a nested step is about its own gate', { timeout: 120_000 }, async () => {
  verifies('LANG-9');
  const rules = [{ type: 'length', min: 1, message: 'It is empty' }];
  const out = { type: 'file', description: 'd', required: true, rules };
  const { holes } = await run(
    projectWith({
      title: '',
      holes: [],
      steps: { plan: { outputs: { out } } },
      entries: ['plan', { run: { name: 'sub', job: 'nested', workflow: 'inner' } }],
      nested: { entries: ['dig'], steps: { dig: { outputs: { out } } } },
    }),
  );
  const met = 'are met by a file that says nothing: the liar passes';
  expect(holes.map(({ advice }) => advice)).toEqual([
    `the rules of 'out' of step 'inner: dig' ${met}`,
    `the rules of 'out' of step 'plan' ${met}`,
  ]);
});

test('a person who rejects a lie for as long as it is one is not a hole', {
  timeout: 120_000,
}, async () => {
  verifies('LANG-9');
  const go_ahead = { name: 'go_ahead', question: 'Good?', show: ['plan.out'] };
  const found = await run(
    projectWith({
      title: '',
      holes: [],
      entries: ['plan', { approve: { ...go_ahead, on_reject: { go_to: 'plan', max: 3 } } }],
      steps: { plan: { outputs: { out: { type: 'file', description: 'd', required: true } } } },
    }),
    ...([12, 1, ['liar']] as const),
  );
  expect(found.transcript.join('\n')).toContain('go_ahead: a person says Reject');
  expect(holesOf(found)).toEqual(['liar plan: lies in out']);
});

test('the same seed plays the same, another one does not', { timeout: 120_000 }, async () => {
  verifies('LANG-9');
  const root = projectWith(SOUND[1] as Prepared);
  const agents = ['liar', 'amnesiac', 'racer', 'crasher'] as const;
  const played = (seed: number) => run(root, agents.length, seed, agents);
  const [one, same, other] = [await played(1), await played(1), await played(2)];
  expect(same).toEqual(one);
  expect(other.transcript).not.toEqual(one.transcript);
});

test('on a terminal only progress is shown: the person who is asked is a scripted one', async () => {
  verifies('LANG-9');
  const root = projectWith(SOUND[1] as Prepared);
  const args = ['simulate', 'work/main', '--runs', '3', '--agent', 'honest'];
  const terminal = deepworkOnTerminal(args, { cwd: root });
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).toContain('2 of 3 runs played');
  expect(terminal.screen()).not.toMatch(/\u0007|asks|waits for you/);
});

test('the command says who passes and exits with 1', { timeout: 120_000 }, async () => {
  verifies('LANG-9');
  const [prepared] = WITH_HOLES;
  const root = projectWith(prepared as Prepared);
  const args = ['simulate', 'work/main', '--runs', '7'];
  const { code, stdout } = await command(args, { cwd: root });
  expect(stdout).toContain("step 'deploy' has no rule, check or review: the liar passes");
  expect(code).toBe(1);
  expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  const json = await command([...args, '--json', '--agent', 'honest'], { cwd: root });
  expect([json.code, JSON.parse(json.stdout).holes]).toEqual([0, []]);
  expect(existsSync(path.join(root, '.deepwork', 'journal'))).toBe(false);
  expect(readFileSync(path.join(root, '.deepwork/jobs/work/job.yml'), 'utf8')).toContain('deploy');
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

test('a workflow without steps is said not to start', async () => {
  const root = projectWith({ title: '', holes: [], steps: { a: {} }, entries: [] });
  const { code, stdout } = await command(['simulate', 'work/main', '--runs', '1'], { cwd: root });
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    "- workflow 'main' cannot be started: Workflow 'main' has no steps",
  );
  expect(stdout).not.toContain('cannot be finished');
});

test('an unknown name is answered with the names of workflows and guides', async () => {
  const root = tempFolder();
  for (const name of ['nope', 'deepwork_jobs/nope']) {
    const { code, stderr } = await command(['simulate', name, '--path', root], { cwd: root });
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no workflow '${name}'\nNext: `);
    expect(stderr).toMatch(/use one of these: .*ai-task-implementation.*deepwork_jobs\/new_job/);
    expect(stderr).not.toContain('get_workflows');
  }
  const misspelt = ['simulate', 'ai-task-implementaton', '--path', root];
  expect((await command(misspelt, { cwd: root })).stderr).toContain(
    "did you mean 'ai-task-implementation'? Else use one of these: ",
  );
});
