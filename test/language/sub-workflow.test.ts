// Steps with `sub_workflow`: nested sessions that are started on arrival, with data that goes in
// and comes out by its name, of the same job and of another.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { verifies } from '../verifies.ts';

const KILLER = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));

const ARGUMENTS = [
  { name: 'topic', description: 'What it is about', type: 'string' },
  { name: 'depth', description: 'How deep', type: 'string' },
  { name: 'notes.md', description: 'Notes', type: 'file_path' },
  { name: 'report.md', description: 'The report', type: 'file_path' },
  { name: 'extra.md', description: 'More', type: 'file_path' },
  { name: 'verdict', description: 'In a word', type: 'string' },
];

type Steps = readonly Readonly<Record<string, unknown>>[];

function writeDialect(
  project: Project,
  name: string,
  workflows: Readonly<Record<string, { steps: Steps; [more: string]: unknown }>>,
): void {
  const all = Object.entries(workflows).map(([each, rest]) => [each, { summary: each, ...rest }]);
  const job = {
    name,
    summary: name,
    step_arguments: ARGUMENTS,
    workflows: Object.fromEntries(all),
  };
  project.write(`.deepwork/jobs/${name}/job.yml`, stringify(job));
}

const step = (name: string, more: object) => ({ name, instructions: `Do ${name}.`, ...more });
const sub = (name: string, workflow_name: string, more: object, workflow_job?: string) => ({
  name,
  sub_workflow: { workflow_name, ...(workflow_job && { workflow_job }) },
  ...more,
});

const DEEP = {
  steps: [
    step('dive', {
      inputs: { topic: {}, 'notes.md': {} },
      outputs: { 'report.md': {}, 'extra.md': {}, verdict: {} },
    }),
  ],
  post_workflow_instructions: 'Dry yourself.',
};

/** A step before, what is run, and a step after that takes what was made. */
const AROUND = (...run: Steps): Steps => [
  step('collect', { inputs: { topic: {} }, outputs: { 'notes.md': {} } }),
  ...run,
  step('publish', { inputs: { 'report.md': {}, verdict: {} } }),
];

const DIG = {
  inputs: { topic: {}, 'notes.md': {} },
  outputs: { 'report.md': {}, verdict: {} },
};

function newSubProject(): Project {
  return newProject({
    '.deepwork/config.yml': JSON.stringify({ git: { branch: 'off' } }),
    'n.md': 'N\n',
    'r.md': 'R\n',
    'x.md': 'X\n',
  });
}

const START = { goal: 'Know it', job_name: 'research', workflow_name: 'main' };
const TIDES = { inputs: { topic: 'tides' } };
const MADE = { 'report.md': 'r.md', 'extra.md': 'x.md', verdict: 'good' };

/** At the nested session, which the answer shows. */
async function atDive(project: Project): Promise<Connection> {
  const agent = await connect(project.root);
  await agent.ok('start_workflow', { ...START, ...TIDES });
  const { begin_step, stack } = await agent.ok('finished_step', {
    outputs: { 'notes.md': 'n.md' },
  });
  expect(stack.length).toBe(2);
  expect(begin_step).toMatchObject({
    step_id: 'dive',
    step_inputs: [
      { name: 'topic', value: 'tides' },
      { name: 'notes.md', path: 'n.md' },
    ],
  });
  return agent;
}

describe('a step with a sub_workflow of the same job', () => {
  test('is a nested run, and what that made counts as made by the step', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    writeDialect(project, 'research', {
      main: { steps: AROUND(sub('dig', 'deep', DIG)) },
      deep: DEEP,
    });
    const agent = await atDive(project);
    const call = { outputs: MADE };
    const next = await agent.ok('finished_step', call);
    expect(next).toMatchObject({
      status: 'next_step',
      summary: 'Dry yourself.',
      stack: [{ step: 'publish' }],
      begin_step: {
        step_id: 'publish',
        step_inputs: [
          { name: 'report.md', from_step: 'dig', path: 'r.md' },
          { name: 'verdict', from_step: 'dig', value: 'good' },
        ],
      },
    });
    const done = await agent.ok('finished_step', { outputs: {} });
    expect(done).toMatchObject({
      status: 'workflow_complete',
      all_outputs: { 'notes.md': 'n.md', 'report.md': 'r.md', 'dig.extra.md': 'x.md' },
    });
  });

  test('starts it afresh when it was aborted, and clears what it reported', async () => {
    verifies('LANG-7', 'LANG-6');
    const project = newSubProject();
    writeDialect(project, 'research', {
      main: { steps: AROUND(sub('dig', 'deep', DIG)) },
      deep: DEEP,
    });
    const agent = await atDive(project);
    await agent.ok('abort_workflow', { explanation: 'Too deep' });
    const { begin_step } = await agent.ok('go_to_step', { step_id: 'dig' });
    expect(begin_step).toMatchObject({ step_id: 'dive', inputs: { topic: 'tides' } });
    await agent.ok('finished_step', { outputs: MADE });
    const back = await agent.ok('go_to_step', { step_id: 'dig' });
    expect(back.invalidated_steps).toEqual(['dig', 'publish']);
    const again = await agent.ok('finished_step', { outputs: { ...MADE, verdict: 'bad' } });
    expect(again.begin_step.step_inputs[1]).toMatchObject({ name: 'verdict', value: 'bad' });
  });

  test('asks for what the other workflow cannot do without', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    writeDialect(project, 'research', {
      main: { steps: [sub('outer', 'middle', {})] },
      middle: { steps: [sub('inner', 'leaf', { inputs: { topic: { required: false } } })] },
      leaf: { steps: [step('ask', { inputs: { topic: {}, depth: { required: false } } })] },
    });
    const agent = await connect(project.root);
    const { jobs } = await agent.ok('get_workflows');
    const { workflows } = jobs.find(({ name }: { name: string }) => name === 'research');
    expect(workflows[0].inputs).toMatchObject([{ name: 'topic', required: true }]);
    expect(await agent.refused('start_workflow', START)).toMatch(/^Missing required inputs: topic/);
    const { begin_step, stack } = await agent.ok('start_workflow', { ...START, ...TIDES });
    expect(stack.length).toBe(3);
    expect(begin_step).toMatchObject({ step_id: 'ask', inputs: { topic: 'tides' } });
    expect(await agent.ok('finished_step', { outputs: {} })).toMatchObject({
      status: 'workflow_complete',
    });
  });

  test('has what it asks for itself handed in and reviewed after that', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    const review = { strategy: 'individual', instructions: 'It is short.' };
    const dig = {
      ...DIG,
      outputs: { 'report.md': { review }, verdict: {} },
      process_requirements: { asked: 'The user was asked.' },
    };
    writeDialect(project, 'research', {
      main: { steps: [...AROUND(sub('dig', 'deep', dig)), step('dig_results', {})] },
      deep: DEEP,
    });
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
    await agent.ok('start_workflow', { ...START, ...TIDES });
    await agent.ok('finished_step', { outputs: { 'notes.md': 'n.md' } });
    const { begin_step } = await agent.ok('finished_step', { outputs: MADE });
    expect(begin_step).toMatchObject({
      step_id: 'dig_results_2',
      step_instructions: expect.stringContaining("Workflow 'research/deep' is complete."),
      step_inputs: [
        { name: 'report.md', from_step: 'dig', path: 'r.md' },
        { name: 'verdict', from_step: 'dig', value: 'good' },
      ],
    });
    expect(seen(project)).toHaveLength(0);
    const handed = { outputs: { 'report.md': 'r.md', verdict: 'good' }, notes: 'I asked.' };
    const next = await agent.ok('finished_step', handed);
    expect(next.begin_step.step_inputs[0]).toMatchObject({
      name: 'report.md',
      from_step: 'dig_results_2',
      path: 'r.md',
    });
    expect(seen(project)).toHaveLength(2);
  });
});

describe('a step with a sub_workflow of another job', () => {
  test('gives it what it declares, and has the outputs handed in here', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    writeDialect(project, 'research', {
      main: { steps: AROUND(sub('dig', 'deep', DIG, 'diving')) },
    });
    writeDialect(project, 'diving', { deep: DEEP });
    const agent = await atDive(project);
    const { begin_step } = await agent.ok('finished_step', { outputs: MADE });
    expect(begin_step).toMatchObject({
      step_id: 'dig_results',
      step_inputs: [{ path: 'r.md' }, { value: 'good' }],
      step_reports: [{ name: 'verdict' }],
    });
    expect(await agent.refused('finished_step', { outputs: {} })).toContain('report.md');
    const handed = { 'report.md': 'r.md', verdict: 'fine' };
    const next = await agent.ok('finished_step', { outputs: handed });
    expect(next.begin_step).toMatchObject({
      step_id: 'publish',
      step_inputs: [{ path: 'r.md' }, { value: 'fine' }],
    });
  });

  test('is only the run where nothing is to be handed in', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    const run = sub('dig', 'main', { inputs: { topic: {} } }, 'plain');
    writeDialect(project, 'research', { main: { steps: [run, step('after', {})] } });
    writeJob(project, 'plain', { a: {} }, { main: ['a'] });
    const agent = await connect(project.root);
    // That job declares no inputs: none is given to it, and none is refused.
    const { begin_step } = await agent.ok('start_workflow', { ...START, ...TIDES });
    expect(begin_step.step_id).toBe('a');
    const next = await agent.ok('finished_step', { outputs: {} });
    expect(next.begin_step.step_id).toBe('after');
  });
});

test('a nested session that a crash kept from being started gets the same inputs', async () => {
  verifies('LANG-7', 'LANG-6');
  const project = newSubProject();
  writeDialect(project, 'research', {
    main: { steps: AROUND(sub('dig', 'deep', DIG)) },
    deep: DEEP,
  });
  const env = { HOME: newHome(), CLAUDE_CODE_SESSION_ID: 'one-client' };
  const first = await connect(project.root, { env });
  await first.ok('start_workflow', { ...START, ...TIDES });
  await first.close();
  const killed = await connectToProcess(project.root, {
    env: {
      ...env,
      NODE_OPTIONS: `--require ${KILLER}`,
      // Before the second change: the session that runs it has moved on already.
      DEEPWORK_KILL_AT: '2',
      DEEPWORK_KILL_IN: project.path('.deepwork/journal'),
    },
    closeAfterTest: false,
  });
  const call = { outputs: { 'notes.md': 'n.md' } };
  await expect(killed.ok('finished_step', call)).rejects.toThrow();
  await killed.close().catch(() => {});
  const streams = readdirSync(project.path('.deepwork/journal/session'));
  expect(streams.filter((each) => each.endsWith('.jsonl'))).toHaveLength(1);
  const next = await connect(project.root, { env });
  const { begin_step, stack } = await next.ok('finished_step', call);
  expect(stack.length).toBe(2);
  expect(begin_step).toMatchObject({ step_id: 'dive', step_inputs: [{}, { path: 'n.md' }] });
});

describe('lint', () => {
  const linted = async (project: Project) => {
    const { stdout } = await command(['lint', '--format', 'json'], { cwd: project.root });
    const { findings } = JSON.parse(stdout);
    return findings.filter(({ severity }: { severity: string }) => severity === 'problem');
  };
  const lineOf = (project: Project, text: string) =>
    readFileSync(project.path('.deepwork/jobs/research/job.yml'), 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1;

  test('finds nothing in sound ones', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    const other = sub('more', 'deep', {}, 'diving');
    const main = { steps: AROUND(sub('dig', 'deep', DIG), other) };
    writeDialect(project, 'research', { main, deep: DEEP });
    writeDialect(project, 'diving', { deep: { steps: [step('dive', {})] } });
    expect(await linted(project)).toEqual([]);
  });

  test('names a workflow, or a job, that is not there', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    const steps = [sub('a', 'dep', {}, 'diving'), sub('b', 'nothing', {}, 'divng')];
    writeDialect(project, 'research', { main: { steps } });
    writeDialect(project, 'diving', { deep: { steps: [step('dive', {})] } });
    expect(await linted(project)).toMatchObject([
      {
        code: 'unknown_workflow',
        line: lineOf(project, 'workflow_name: dep'),
        message:
          "'a' of workflow 'main' runs workflow 'dep' of job 'diving', which has no such workflow; did you mean 'deep'?",
      },
      {
        code: 'unknown_workflow',
        line: lineOf(project, 'workflow_name: nothing'),
        message:
          "'b' of workflow 'main' runs workflow 'nothing' of job 'divng', and there is no such job; did you mean 'diving'?",
      },
    ]);
  });

  test('names workflows that run themselves', async () => {
    verifies('LANG-7');
    const project = newSubProject();
    writeDialect(project, 'research', {
      main: { steps: [sub('down', 'main', {}, 'diving')] },
      own: { steps: [sub('again', 'own', {})] },
    });
    writeDialect(project, 'diving', { main: { steps: [sub('up', 'main', {}, 'research')] } });
    const messages = (await linted(project)).map(({ message }: { message: string }) => message);
    expect(messages.sort()).toEqual([
      "Workflow 'main' runs itself and never ends: diving/main → research/main → diving/main",
      "Workflow 'main' runs itself and never ends: research/main → diving/main → research/main",
      "Workflow 'own' runs itself and never ends: research/own → research/own",
    ]);
  });
});
