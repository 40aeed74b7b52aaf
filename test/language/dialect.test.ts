// Jobs with step_arguments: every field, run through the built binary, beside the other formats.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { FAIL, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { verifies } from '../verifies.ts';

const ARGUMENTS = [
  { name: 'topic', description: 'What it is about', type: 'string' },
  { name: 'sources', description: 'Where to look', type: 'file_path' },
  { name: 'report.md', description: 'The report', type: 'file_path' },
  { name: 'verdict', description: 'In a word', type: 'string' },
  {
    name: 'data.json',
    description: 'The data',
    type: 'file_path',
    json_schema: { type: 'object', required: ['rows'] },
  },
];

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
    {
      name: 'write',
      instructions: 'Write it up.',
      inputs: { topic: { required: true }, 'data.json': {}, verdict: {} },
      outputs: { 'report.md': {} },
    },
  ],
  post_workflow_instructions: 'Open a pull request.',
};

function writeDialect(
  project: Project,
  workflows: Readonly<Record<string, unknown>>,
  step_arguments: readonly unknown[] = ARGUMENTS,
): void {
  const job = { name: 'research', summary: 'Research', step_arguments, workflows };
  project.write('.deepwork/jobs/research/job.yml', stringify(job));
}

function newDialectProject(files: Readonly<Record<string, string>> = {}): Project {
  const project = newProject({
    'd.json': '{"rows": []}',
    'bad.json': '[]',
    'r.md': 'R\n',
    's.md': 'S\n',
    ...files,
  });
  writeDialect(project, { main: RESEARCH });
  return project;
}

const START = { goal: 'Know it', job_name: 'research', workflow_name: 'main' };

async function start(project: Project, inputs: object = { topic: 'tides' }): Promise<Connection> {
  const agent = await connect(project.root);
  await agent.ok('start_workflow', { ...START, inputs });
  return agent;
}

describe('a job with step_arguments', () => {
  test('counts the first of two arguments with one name, and warns of the second', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const again = { name: 'topic', description: 'Once more', type: 'file_path', json_schema: {} };
    writeDialect(project, { main: RESEARCH }, [...ARGUMENTS, again, again]);
    const agent = await start(project);
    const { jobs, errors, warnings } = await agent.ok('get_workflows');
    expect(errors).toEqual([]);
    const job = jobs.find(({ name }: { name: string }) => name === 'research');
    expect(job.workflows[0].inputs).toContainEqual(
      expect.objectContaining({ name: 'topic', type: 'string' }),
    );
    const said = warnings.map(({ warning }: { warning: string }) => warning);
    const one = expect.stringMatching(
      /^Duplicate step argument: 'topic'; the first one counts \(line \d+, column \d+\)$/,
    );
    expect(said).toEqual([one, one, expect.stringContaining('has no effect here')]);
  });

  test('runs from its inputs to its last words', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const agent = await connect(project.root);
    const { jobs, errors } = await agent.ok('get_workflows');
    expect(errors).toEqual([]);
    expect(jobs[0]).toMatchObject({ name: 'research', summary: 'Research', description: null });
    const described = { enum: null, default: null };
    expect(jobs[0].workflows).toEqual([
      {
        name: 'main',
        summary: 'From a topic to a report',
        inputs: [
          {
            name: 'topic',
            description: 'What it is about',
            type: 'string',
            required: true,
            ...described,
          },
          {
            name: 'sources',
            description: 'Where to look',
            type: 'file',
            required: false,
            ...described,
          },
        ],
      },
    ]);
    expect(await agent.refused('start_workflow', START)).toMatch(
      /^Missing required inputs: topic\n/,
    );
    const inputs = { topic: 'tides', sources: ['r.md', 's.md'] };
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs });
    expect(begin_step).toMatchObject({
      step_id: 'collect',
      step_instructions: 'Collect what is known about tides.',
      common_job_info: 'Write for engineers.',
      inputs,
      step_inputs: [
        {
          name: 'topic',
          description: 'What it is about',
          from_step: null,
          path: null,
          value: 'tides',
        },
        {
          name: 'sources',
          description: 'Where to look',
          from_step: null,
          path: ['r.md', 's.md'],
        },
      ],
      step_expected_outputs: [
        {
          name: 'data.json',
          type: 'file',
          required: true,
          syntax_for_finished_step_tool: 'filepath or array of filepaths',
          refused_with: ["Must match the json_schema of 'data.json'"],
        },
      ],
      step_reports: [{ name: 'verdict', type: 'string', required: true }],
    });

    const broken = await agent.ok('finished_step', {
      outputs: { 'data.json': 'bad.json', verdict: 'good' },
    });
    expect(broken).toMatchObject({ status: 'needs_work', reason: 'rules' });
    expect(await agent.refused('finished_step', { outputs: { 'data.json': 'd.json' } })).toMatch(
      /^Missing required reports: verdict\nNext: /,
    );
    const next = await agent.ok('finished_step', {
      outputs: { 'data.json': ['d.json'], verdict: 'good' },
    });
    expect(next.begin_step).toMatchObject({
      step_id: 'write',
      step_inputs: [
        { name: 'topic', value: 'tides' },
        { name: 'data.json', from_step: 'collect', path: ['d.json'] },
        { name: 'verdict', from_step: 'collect', value: 'good' },
      ],
    });
    const call = { outputs: { 'report.md': 'r.md' } };
    const done = await agent.ok('finished_step', call);
    expect(done).toMatchObject({
      status: 'workflow_complete',
      summary: "Workflow 'main' completed successfully!\n\nOpen a pull request.",
      all_outputs: { 'data.json': ['d.json'], 'report.md': 'r.md' },
    });
    // The same call once more is answered alike.
    expect(await agent.ok('finished_step', call)).toEqual(done);
  });

  test('takes a string from context as well, and keeps it for later steps', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const agent = await start(project);
    const { begin_step } = await agent.ok('finished_step', {
      outputs: { 'data.json': 'd.json' },
      context: { verdict: 'fair' },
    });
    expect(begin_step.step_inputs[2]).toMatchObject({ name: 'verdict', value: 'fair' });
    expect(begin_step.step_inputs[1]).toMatchObject({ path: 'd.json' });
    const back = await agent.ok('go_to_step', { step_id: 'collect' });
    expect(back.invalidated_steps).toEqual(['collect', 'write']);
    const view = JSON.parse(
      readFileSync(project.path(`.deepwork/tmp/session_${begin_step.session_id}.json`), 'utf8'),
    );
    expect(Object.hasOwn(view.context, 'verdict')).toBe(false);
  });

  test('has steps of one name in two workflows, and a later value of an argument wins', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const step = (name: string, more: object) => ({ name, instructions: `Do ${name}.`, ...more });
    writeDialect(project, {
      one: { summary: 'One', steps: [step('write', { outputs: { 'report.md': {} } })] },
      two: {
        summary: 'Two',
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
    const inputs = { topic: 'old' };
    const two = await agent.ok('start_workflow', { ...START, workflow_name: 'two', inputs });
    expect(two.begin_step).toMatchObject({ step_id: 'ask', common_job_info: '' });
    const { begin_step } = await agent.ok('finished_step', { outputs: { topic: 'new' } });
    expect(begin_step).toMatchObject({
      step_id: 'write',
      step_expected_outputs: [],
      step_inputs: [{ name: 'topic', from_step: 'ask', value: 'new' }],
      inputs: { topic: 'old' },
    });
  });

  test('has its reviews run: of each file, of the step, of texts and of the process', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const review = (strategy: string, instructions: string) => ({ strategy, instructions });
    writeDialect(
      project,
      {
        main: {
          summary: 'All',
          steps: [
            {
              name: 'write',
              instructions: 'Write.',
              outputs: {
                page: { review: review('matches_together', 'They fit together.') },
                extra: { required: false, review: review('matches_together', 'It is extra.') },
                verdict: {},
              },
              process_requirements: { asked: 'The user MUST be asked.' },
            },
          ],
        },
      },
      [
        {
          name: 'page',
          description: 'Pages',
          type: 'file_path',
          review: { ...review('individual', 'Each is short.'), agent: { claude: 'x' } },
        },
        { name: 'extra', description: 'More', type: 'file_path' },
        {
          name: 'verdict',
          description: 'In a word',
          type: 'string',
          review: review('individual', 'It is one word.'),
        },
      ],
    );
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(begin_step.step_reviews).toMatchObject([
      { run_each: 'page', quality_criteria: { page: 'Each is short.' } },
      { run_each: 'step', quality_criteria: { 'page in this step': 'They fit together.' } },
      { run_each: 'step', quality_criteria: { 'extra in this step': 'It is extra.' } },
      { run_each: 'step', quality_criteria: { verdict: 'It is one word.' } },
      { run_each: 'step', quality_criteria: { asked: 'The user MUST be asked.' } },
    ]);
    const done = await agent.ok('finished_step', {
      outputs: { page: ['r.md', 's.md'], verdict: 'good' },
      notes: 'The user was asked.',
    });
    expect(done.status).toBe('workflow_complete');
    const asked = seen(project).map(({ stdin }) => stdin);
    expect(asked).toHaveLength(5);
    expect(asked.filter((each) => each.includes('Each is short.'))).toHaveLength(2);
    expect(asked.some((each) => each.includes('It is extra.'))).toBe(false);
    const ofText = asked.find((each) => each.includes('It is one word.')) ?? '';
    expect(ofText).toContain('verdict: reported, In a word = good');
    expect(asked.find((each) => each.includes('MUST be asked')) ?? '').toContain(
      'The user was asked.',
    );
  });

  test('does not reuse a passed review for another text', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const texts = [
      {
        name: 'verdict',
        description: 'In a word',
        type: 'string',
        review: { strategy: 'individual', instructions: 'It is one word.' },
      },
      { name: 'page', description: 'A page', type: 'file_path' },
    ];
    const steps = [
      {
        name: 'write',
        instructions: 'Write.',
        outputs: { verdict: {}, page: {} },
        process_requirements: { asked: 'The user was asked.' },
      },
    ];
    writeDialect(project, { main: { summary: 'All', steps } }, texts);
    script(project, { when: 'The user was asked', answer: FAIL }, { answer: PASS });
    const agent = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
    await agent.ok('start_workflow', START);
    const hand = (verdict: string) =>
      agent.ok('finished_step', { outputs: { verdict, page: 'r.md' } });
    expect(await hand('good')).toMatchObject({ status: 'needs_work', reason: 'reviews' });
    script(project, { answer: PASS });
    expect(await hand('bad')).toMatchObject({ status: 'workflow_complete' });
    expect(seen(project)).toHaveLength(4);
  });

  test('is in one project with the other formats', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    writeJob(project, 'current', { a: { outputs: { notes: 'file' } } }, { main: ['a'] });
    const listStyle = {
      name: 'older',
      version: '1.0.0',
      summary: 'Older',
      description: 'Shared',
      steps: [
        { id: 'a', name: 'A', description: 'A', instructions_file: 'a.md', outputs: ['o.md'] },
      ],
      workflows: [{ name: 'main', summary: 'All', steps: ['a'] }],
    };
    project.write('.deepwork/jobs/older/job.yml', stringify(listStyle));
    project.write('.deepwork/jobs/older/a.md', 'Do it.\n');
    const agent = await connect(project.root);
    const { jobs, errors } = await agent.ok('get_workflows');
    expect(errors).toEqual([]);
    const own = ['current', 'older', 'research'];
    const names = jobs.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => own.includes(name))).toEqual(own);
    for (const job_name of ['current', 'older']) {
      const { begin_step } = await agent.ok('start_workflow', { ...START, job_name });
      expect(begin_step.step_id).toBe('a');
    }
    const { begin_step } = await agent.ok('start_workflow', { ...START, inputs: { topic: 't' } });
    expect(begin_step.step_id).toBe('collect');
  });

  test('has what means nothing here named by lint, which passes', async () => {
    verifies('LANG-7');
    const project = newDialectProject();
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/research\/job\.yml:\d+:\d+: .*'agent' has no effect here/);
  });
});
