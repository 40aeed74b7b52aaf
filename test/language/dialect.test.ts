// Jobs with step_arguments: every field, beside the other formats, and steps whose work is another
// workflow: nested sessions that get and give data by its name, of the same job and of another.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { FAIL, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const KILLER = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));

const string = (name: string, more = {}) => ({
  name,
  description: `The ${name}`,
  type: 'string',
  ...more,
});
const file = (name: string, more = {}) => ({ ...string(name, more), type: 'file_path' });
const ARGUMENTS = [
  ...[string('topic'), string('verdict'), string('depth')],
  ...[file('sources'), file('report.md'), file('notes.md'), file('extra.md')],
  file('data.json', { json_schema: { type: 'object', required: ['rows'] } }),
];

type Steps = readonly Readonly<Record<string, unknown>>[];
const step = (name: string, more: object = {}) => ({ name, instructions: `Do ${name}.`, ...more });
const review = (strategy: string, instructions: string) => ({ strategy, instructions });

const RESEARCH = {
  summary: 'From a topic to a report',
  agent: 'general-purpose',
  common_job_info_provided_to_all_steps_at_runtime: 'Write for engineers.',
  steps: [
    {
      name: 'collect',
      instructions: 'Collect what is known about {{ inputs.topic }}.',
      inputs: { topic: {}, sources: { required: false } },
      outputs: { 'data.json': { required: true }, verdict: {} },
    },
    step('write', {
      inputs: { topic: { required: true }, 'data.json': {}, verdict: {} },
      outputs: { 'report.md': {} },
    }),
  ],
  post_workflow_instructions: 'Open a pull request.',
};

function write(
  project: Project,
  workflows: Readonly<Record<string, { steps: Steps; [more: string]: unknown }>>,
  { name = 'research', step_arguments = ARGUMENTS as readonly unknown[] } = {},
): void {
  const all = Object.entries(workflows).map(([each, rest]) => [each, { summary: each, ...rest }]);
  const job = { name, summary: name, step_arguments, workflows: Object.fromEntries(all) };
  project.write(`.deepwork/jobs/${name}/job.yml`, stringify(job));
}

function newJob(...job: Parameters<typeof write> extends [unknown, ...infer Rest] ? Rest : never) {
  const project = newProject({
    'd.json': '{"rows": []}',
    'bad.json': '[]',
    'r.md': 'R\n',
    's.md': 'S\n',
  });
  write(project, ...job);
  return project;
}

const START = { goal: 'Know it', job_name: 'research', workflow_name: 'main' };
const TIDES = { ...START, inputs: { topic: 'tides' } };
const GATE = ['--quality-gate', REVIEW_COMMAND];

/** The lint problems of a project. */
async function linted(project: Project) {
  const { stdout } = await command(['lint', '--format', 'json'], { cwd: project.root });
  const { findings } = JSON.parse(stdout);
  return findings.filter(({ severity }: { severity: string }) => severity === 'problem');
}

const finish = (agent: Connection, outputs: unknown, more = {}) =>
  agent.ok('finished_step', { outputs, ...more });

describe('a job with step_arguments', () => {
  test('runs from its inputs to its last words', async () => {
    verifies('LANG-7');
    const project = newJob({ main: RESEARCH });
    const agent = await connect(project.root);
    const { jobs, errors } = await agent.ok('get_workflows');
    expect(errors).toEqual([]);
    expect(jobs[0]).toMatchObject({ name: 'research', summary: 'research', description: null });
    expect(jobs[0].workflows).toMatchObject([
      {
        name: 'main',
        summary: 'From a topic to a report',
        inputs: [
          { name: 'topic', description: 'The topic', type: 'string', required: true },
          { name: 'sources', description: 'The sources', type: 'file', required: false },
        ],
      },
    ]);
    const without = readRefusal(await agent.call('start_workflow', START));
    expect(without).toMatchObject({ code: 'inputs_invalid' });
    const inputs = { topic: 'tides', sources: ['r.md', 's.md'] };
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs });
    expect(begin_step).toMatchObject({
      step_id: 'collect',
      step_instructions: 'Collect what is known about tides.',
      common_job_info: 'Write for engineers.',
      inputs,
      step_inputs: [
        { name: 'topic', from_step: null, path: null, value: 'tides' },
        { name: 'sources', from_step: null, path: ['r.md', 's.md'] },
      ],
      step_expected_outputs: [{ name: 'data.json', type: 'file', required: true }],
      step_reports: [{ name: 'verdict', type: 'string', required: true }],
    });
    const broken = await finish(agent, { 'data.json': 'bad.json', verdict: 'good' });
    expect(broken).toMatchObject({ status: 'needs_work', reason: 'rules' });
    const silent = await agent.call('finished_step', { outputs: { 'data.json': 'd.json' } });
    expect(readRefusal(silent).code).toBe('reports_invalid');
    const next = await finish(agent, { 'data.json': ['d.json'], verdict: 'good' });
    expect(next.begin_step).toMatchObject({
      step_id: 'write',
      step_inputs: [
        { name: 'topic', value: 'tides' },
        { name: 'data.json', from_step: 'collect', path: ['d.json'] },
        { name: 'verdict', from_step: 'collect', value: 'good' },
      ],
    });
    const done = await finish(agent, { 'report.md': 'r.md' });
    expect(done).toMatchObject({
      status: 'workflow_complete',
      summary: expect.stringContaining('\n\nOpen a pull request.'),
      all_outputs: { 'data.json': ['d.json'], 'report.md': 'r.md' },
    });
    // The same call once more is answered alike.
    expect(await finish(agent, { 'report.md': 'r.md' })).toEqual(done);
  });

  test('takes a string from context as well, and keeps it for later steps', async () => {
    verifies('LANG-7');
    const project = newJob({ main: RESEARCH });
    const agent = await connect(project.root);
    await agent.ok('start_workflow', TIDES);
    const call = { context: { verdict: 'fair' } };
    const { begin_step } = await finish(agent, { 'data.json': 'd.json' }, call);
    expect(begin_step.step_inputs.slice(1)).toMatchObject([{ path: 'd.json' }, { value: 'fair' }]);
    const back = await agent.ok('go_to_step', { step_id: 'collect' });
    expect(back.invalidated_steps).toEqual(['collect', 'write']);
    const { context } = readView(project, begin_step.session_id);
    expect(Object.hasOwn(context, 'verdict')).toBe(false);
  });

  test('has steps of one name in two workflows, and a later value of an argument wins', async () => {
    verifies('LANG-7');
    const project = newJob({
      one: { steps: [step('write', { outputs: { 'report.md': {} } })] },
      two: {
        steps: [
          step('ask', { inputs: { topic: {} }, outputs: { topic: {} } }),
          step('write', { inputs: { topic: {} } }),
        ],
      },
    });
    const agent = await connect(project.root);
    const one = await agent.ok('start_workflow', { ...START, workflow_name: 'one' });
    expect(one.begin_step.step_id).toBe('write');
    expect(Object.keys(one.begin_step)).not.toContain('step_reports');
    expect(one.begin_step.step_expected_outputs).toMatchObject([{ name: 'report.md' }]);
    await agent.ok('abort_workflow', { explanation: 'The other one' });
    await agent.ok('start_workflow', { ...TIDES, workflow_name: 'two' });
    expect((await finish(agent, { topic: 'new' })).begin_step).toMatchObject({
      step_id: 'write',
      step_expected_outputs: [],
      step_inputs: [{ name: 'topic', from_step: 'ask', value: 'new' }],
      inputs: { topic: 'tides' },
    });
  });

  test('has its reviews run: of each file, of the step, of texts and of the process', async () => {
    verifies('LANG-7');
    const outputs = {
      page: { review: review('matches_together', 'They fit together.') },
      extra: { required: false, review: review('matches_together', 'It is extra.') },
      verdict: {},
    };
    const process_requirements = { asked: 'The user MUST be asked.' };
    const project = newJob(
      { main: { steps: [step('write', { outputs, process_requirements })] } },
      {
        step_arguments: [
          file('page', {
            review: { ...review('individual', 'Each is short.'), agent: { claude: 'x' } },
          }),
          file('extra'),
          string('verdict', { review: review('individual', 'It is one word.') }),
        ],
      },
    );
    script(project, { when: 'MUST be asked', answer: FAIL }, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(begin_step.step_reviews).toMatchObject([
      { run_each: 'page', quality_criteria: { page: 'Each is short.' } },
      { run_each: 'step', quality_criteria: { 'page in this step': 'They fit together.' } },
      { run_each: 'step', quality_criteria: { 'extra in this step': 'It is extra.' } },
      { run_each: 'step', quality_criteria: { verdict: 'It is one word.' } },
      { run_each: 'step', quality_criteria: { asked: 'The user MUST be asked.' } },
    ]);
    const page = ['r.md', 's.md'];
    const notes = 'The user was asked.';
    const failed = await finish(agent, { page, verdict: 'good' }, { notes });
    expect(failed).toMatchObject({ status: 'needs_work', reason: 'reviews' });
    const asked = (word: string) =>
      seen(project)
        .map(({ stdin }) => stdin)
        .filter((each) => each.includes(word));
    expect(asked('Each is short.')).toHaveLength(2);
    expect(asked('It is extra.')).toEqual([]);
    expect(asked('It is one word.')[0]).toContain('good');
    expect(asked('MUST be asked')[0]).toContain(notes);
    expect(seen(project)).toHaveLength(5);
    // A review that passed is not reused for another text.
    script(project, { answer: PASS });
    expect(await finish(agent, { page, verdict: 'bad' })).toMatchObject({
      status: 'workflow_complete',
    });
    expect(asked('It is one word.')).toHaveLength(2);
  });

  test('is in one project with the other formats', async () => {
    verifies('LANG-7');
    const project = newJob({ main: RESEARCH });
    writeJob(project, 'current', { a: { outputs: { notes: 'file' } } }, { main: ['a'] });
    const outputs = { outputs: ['o.md'] };
    const listStyle = {
      ...{ name: 'older', version: '1.0.0', summary: 'Older', description: 'Shared' },
      steps: [{ id: 'a', name: 'A', description: 'A', instructions_file: 'a.md', ...outputs }],
      workflows: [{ name: 'main', summary: 'All', steps: ['a'] }],
    };
    project.write('.deepwork/jobs/older/job.yml', stringify(listStyle));
    project.write('.deepwork/jobs/older/a.md', 'Do it.\n');
    const agent = await connect(project.root);
    expect((await agent.ok('get_workflows')).errors).toEqual([]);
    for (const job_name of ['current', 'older']) {
      const { begin_step } = await agent.ok('start_workflow', { ...START, job_name });
      expect(begin_step.step_id).toBe('a');
    }
    expect((await agent.ok('start_workflow', TIDES)).begin_step.step_id).toBe('collect');
  });

  test('is warned of what counts only once, or means nothing here, and lint passes', async () => {
    verifies('LANG-7');
    const again = file('topic', { json_schema: {} });
    const project = newJob({ main: RESEARCH }, { step_arguments: [...ARGUMENTS, again] });
    const agent = await connect(project.root);
    const { jobs, errors, warnings } = await agent.ok('get_workflows');
    expect(errors).toEqual([]);
    expect(jobs[0].workflows[0].inputs[0]).toMatchObject({ name: 'topic', type: 'string' });
    const said = warnings.map(({ warning }: { warning: string }) => warning);
    expect(said).toEqual([
      expect.stringMatching(/'topic'.*\(line \d+, column \d+\)$/),
      expect.stringContaining("'agent'"),
    ]);
    expect(await linted(project)).toEqual([]);
  });
});

const sub = (name: string, workflow_name: string, more: object = {}, workflow_job?: string) => ({
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
const MADE = { 'report.md': 'r.md', 'extra.md': 's.md', verdict: 'good' };
const NOTES = { 'notes.md': 's.md' };
const DIGGING = { main: { steps: AROUND(sub('dig', 'deep', DIG)) }, deep: DEEP };

/** At the nested session, which the answer shows. */
async function atDive(project: Project): Promise<Connection> {
  const agent = await connect(project.root);
  await agent.ok('start_workflow', TIDES);
  const { begin_step, stack } = await finish(agent, NOTES);
  expect(stack.length).toBe(2);
  expect(begin_step).toMatchObject({
    step_id: 'dive',
    step_inputs: [
      { name: 'topic', value: 'tides' },
      { name: 'notes.md', path: 's.md' },
    ],
  });
  return agent;
}

describe('a step with a sub_workflow', () => {
  test('is a nested run, and what that made counts as made by the step', async () => {
    verifies('LANG-7');
    const agent = await atDive(newJob(DIGGING));
    expect(await finish(agent, MADE)).toMatchObject({
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
    expect(await finish(agent, {})).toMatchObject({
      status: 'workflow_complete',
      all_outputs: { ...NOTES, 'report.md': 'r.md', 'dig.extra.md': 's.md' },
    });
  });

  test('starts it afresh when it was aborted, and clears what it reported', async () => {
    verifies('LANG-7', 'LANG-6');
    const agent = await atDive(newJob(DIGGING));
    await agent.ok('abort_workflow', { explanation: 'Too deep' });
    const { begin_step } = await agent.ok('go_to_step', { step_id: 'dig' });
    expect(begin_step).toMatchObject({ step_id: 'dive', inputs: { topic: 'tides' } });
    await finish(agent, MADE);
    const back = await agent.ok('go_to_step', { step_id: 'dig' });
    expect(back.invalidated_steps).toEqual(['dig', 'publish']);
    const again = await finish(agent, { ...MADE, verdict: 'bad' });
    expect(again.begin_step.step_inputs[1]).toMatchObject({ name: 'verdict', value: 'bad' });
  });

  test('asks for what the other workflow cannot do without', async () => {
    verifies('LANG-7');
    const project = newJob({
      main: { steps: [sub('outer', 'middle')] },
      middle: { steps: [sub('inner', 'leaf', { inputs: { topic: { required: false } } })] },
      leaf: { steps: [step('ask', { inputs: { topic: {}, depth: { required: false } } })] },
    });
    const agent = await connect(project.root);
    const { jobs } = await agent.ok('get_workflows');
    expect(jobs[0].workflows[0].inputs).toMatchObject([{ name: 'topic', required: true }]);
    expect((await agent.call('start_workflow', START)).isError).toBe(true);
    const { begin_step, stack } = await agent.ok('start_workflow', TIDES);
    expect(stack.length).toBe(3);
    expect(begin_step).toMatchObject({ step_id: 'ask', inputs: { topic: 'tides' } });
    expect((await finish(agent, {})).status).toBe('workflow_complete');
  });

  test('has what it asks for itself handed in and reviewed after that', async () => {
    verifies('LANG-7');
    const dig = {
      ...DIG,
      outputs: { 'report.md': { review: review('individual', 'It is short.') }, verdict: {} },
      process_requirements: { asked: 'The user was asked.' },
    };
    const steps = [...AROUND(sub('dig', 'deep', dig)), step('dig_results')];
    const project = newJob({ main: { steps }, deep: DEEP });
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', TIDES);
    await finish(agent, NOTES);
    expect((await finish(agent, MADE)).begin_step).toMatchObject({
      step_id: 'dig_results_2',
      step_instructions: expect.stringContaining('research/deep'),
      step_inputs: [
        { name: 'report.md', from_step: 'dig', path: 'r.md' },
        { name: 'verdict', from_step: 'dig', value: 'good' },
      ],
    });
    expect(seen(project)).toHaveLength(0);
    const next = await finish(agent, { 'report.md': 'r.md', verdict: 'good' });
    expect(next.begin_step.step_inputs[0]).toMatchObject({ from_step: 'dig_results_2' });
    expect(seen(project)).toHaveLength(2);
  });

  test('of another job gives it what it declares, and has the outputs handed in here', async () => {
    verifies('LANG-7');
    const project = newJob({ main: { steps: AROUND(sub('dig', 'deep', DIG, 'diving')) } });
    write(project, { deep: DEEP }, { name: 'diving' });
    const agent = await atDive(project);
    expect((await finish(agent, MADE)).begin_step).toMatchObject({
      step_id: 'dig_results',
      step_inputs: [{ path: 'r.md' }, { value: 'good' }],
      step_reports: [{ name: 'verdict' }],
    });
    expect(await agent.refused('finished_step', { outputs: {} })).toContain('report.md');
    const next = await finish(agent, { 'report.md': 'r.md', verdict: 'fine' });
    expect(next.begin_step).toMatchObject({
      step_id: 'publish',
      step_inputs: [{ path: 'r.md' }, { value: 'fine' }],
    });
  });

  test('of another job is only the run where nothing is to be handed in', async () => {
    verifies('LANG-7');
    const run = sub('dig', 'main', { inputs: { topic: {} } }, 'plain');
    const project = newJob({ main: { steps: [run, step('after')] } });
    writeJob(project, 'plain', { a: {} }, { main: ['a'] });
    const agent = await connect(project.root);
    // That job declares no inputs: none is given to it, and none is refused.
    expect((await agent.ok('start_workflow', TIDES)).begin_step.step_id).toBe('a');
    expect((await finish(agent, {})).begin_step.step_id).toBe('after');
  });

  test('that a crash kept from being started gets the same inputs', async () => {
    verifies('LANG-7', 'LANG-6');
    const project = newJob(DIGGING);
    const env = { HOME: newHome(), CLAUDE_CODE_SESSION_ID: 'one-client' };
    const first = await connect(project.root, { env });
    await first.ok('start_workflow', TIDES);
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
    await expect(finish(killed, NOTES)).rejects.toThrow();
    await killed.close().catch(() => {});
    const streams = readdirSync(project.path('.deepwork/journal/session'));
    expect(streams.filter((each) => each.endsWith('.jsonl'))).toHaveLength(1);
    const next = await connect(project.root, { env });
    const { begin_step, stack } = await finish(next, NOTES);
    expect(stack.length).toBe(2);
    expect(begin_step).toMatchObject({ step_id: 'dive', step_inputs: [{}, { path: 's.md' }] });
  });
});

describe('lint', () => {
  const found = async (main: Steps, diving: Steps, more = {}) => {
    const project = newJob({ main: { steps: main }, ...more });
    write(project, { deep: { steps: diving } }, { name: 'diving' });
    return { project, findings: await linted(project) };
  };

  test('finds nothing in sound ones, and names a workflow, or a job, that is not there', async () => {
    verifies('LANG-7');
    const sound = AROUND(sub('dig', 'deep', DIG), sub('more', 'deep', {}, 'diving'));
    const nothing = await found(sound, [step('dive')], { deep: DEEP });
    expect(nothing.findings).toEqual([]);
    const wrong = [sub('a', 'dep', {}, 'diving'), sub('b', 'nothing', {}, 'divng')];
    const { project, findings } = await found(wrong, [step('dive')]);
    const text = readFileSync(project.path('.deepwork/jobs/research/job.yml'), 'utf8');
    const lineOf = (word: string) =>
      text.split('\n').findIndex((line) => line.includes(`workflow_name: ${word}`)) + 1;
    expect(findings).toMatchObject([
      {
        code: 'unknown_workflow',
        line: lineOf('dep'),
        message: expect.stringMatching(/'dep'.*'deep'/),
      },
      {
        code: 'unknown_workflow',
        line: lineOf('nothing'),
        message: expect.stringMatching(/'divng'.*'diving'/),
      },
    ]);
  });

  test('names workflows that run themselves', async () => {
    verifies('LANG-7');
    const own = { own: { steps: [sub('again', 'own')] } };
    const up = sub('up', 'main', {}, 'research');
    const { findings } = await found([sub('down', 'deep', {}, 'diving')], [up], own);
    const messages = findings.map(({ message }: { message: string }) => message).sort();
    expect(messages).toEqual([
      expect.stringContaining('diving/deep → research/main → diving/deep'),
      expect.stringContaining('research/main → diving/deep → research/main'),
      expect.stringContaining('research/own → research/own'),
    ]);
  });
});
