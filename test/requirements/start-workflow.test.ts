// start_workflow: creates a session and returns its first step.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Write it up', job_name: 'demo', workflow_name: 'main' };

const WHOLE_REVIEW = { run_each: 'step', quality_criteria: { whole: 'It is whole' } };
const EACH_REVIEW = {
  run_each: 'data',
  quality_criteria: { clean: 'It is clean', small: 'It is small' },
  additional_review_guidance: 'Look at the units.',
};

function projectWithJob(): Project {
  const project = newProject();
  const report = { type: 'file', description: 'The report', required: true };
  const data = { type: 'files', description: 'The data', required: false };
  writeJob(
    project,
    'demo',
    { a: { outputs: { report, data }, reviews: [WHOLE_REVIEW, EACH_REVIEW] }, b: {}, c: {} },
    { main: ['a', 'b'], side: [['b', 'c']] },
  );
  return project;
}

const view = (project: Project, id: string) =>
  JSON.parse(readFileSync(project.path(`.deepwork/tmp/session_${id}.json`), 'utf8'));

describe('start_workflow', () => {
  test.each(ERAS)('answers with the first step (%s)', async (era) => {
    verifies(
      'JOBS-REQ-001.3.1',
      'JOBS-REQ-001.3.10',
      'JOBS-REQ-001.3.11',
      'JOBS-REQ-001.3.12',
      'JOBS-REQ-001.3.13',
      'JOBS-REQ-001.3.14',
      'JOBS-REQ-001.7.1',
    );
    const project = projectWithJob();
    const server = await connect(project.root, { era });
    const { text, data } = await server.call('start_workflow', { ...START, instance_id: 'acme' });

    expect(data.begin_step).toMatchObject({
      step_id: 'a',
      branch_name: 'deepwork/demo-main-acme',
      job_dir: project.path('.deepwork/jobs/demo'),
      step_instructions: 'Do a now.\n',
      common_job_info: 'About demo',
      concurrent_steps: [],
    });
    expect(data.begin_step.session_id).toMatch(/^[0-9a-f]{8}$/);
    expect(data.begin_step.step_expected_outputs).toEqual([
      {
        name: 'report',
        type: 'file',
        description: 'The report',
        required: true,
        syntax_for_finished_step_tool: 'filepath',
      },
      {
        name: 'data',
        type: 'files',
        description: 'The data',
        required: false,
        syntax_for_finished_step_tool: 'array of filepaths for all individual files',
      },
    ]);
    expect(data.begin_step.step_reviews).toEqual([
      { ...WHOLE_REVIEW, additional_review_guidance: null },
      EACH_REVIEW,
    ]);
    expect(data.begin_step.step_quality_criteria).toEqual([
      'It is whole',
      'It is clean',
      'It is small',
    ]);
    expect(data.warnings).toEqual([]);
    expect(data.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    expect(text).toBe(JSON.stringify(data));
  });

  test.each(ERAS)('requires goal, job_name and workflow_name, and no more (%s)', async (era) => {
    verifies('JOBS-REQ-001.3.2', 'JOBS-REQ-001.3.3');
    const server = await connect(projectWithJob().root, { era });
    const { tools } = await server.client.listTools();
    const schema = tools.find(({ name }) => name === 'start_workflow')?.inputSchema;
    expect(schema?.required?.toSorted()).toEqual(['goal', 'job_name', 'workflow_name']);
    expect(Object.keys(schema?.properties ?? {}).toSorted()).toEqual([
      'context',
      'goal',
      'inputs',
      'instance_id',
      'job_name',
      'workflow_name',
    ]);
    for (const left of ['goal', 'job_name', 'workflow_name']) {
      const { code, message } = await refusal(server, 'start_workflow', {
        ...START,
        [left]: undefined,
      });
      expect(code).toBe('invalid_arguments');
      expect(message).toBe(`Invalid arguments for start_workflow: ${left}: is required`);
    }
    const today = () => new Date().toISOString().slice(0, 10).replaceAll('-', '');
    const days = [today()];
    const plain = await server.ok('start_workflow', START);
    const nulled = await server.ok('start_workflow', {
      ...START,
      instance_id: null,
      context: null,
    });
    // Midnight may pass in between.
    days.push(today());
    for (const { begin_step } of [plain, nulled]) {
      expect(days.map((day) => `deepwork/demo-main-${day}`)).toContain(begin_step.branch_name);
    }
  });

  test('creates a session whose first step is started', async () => {
    verifies('JOBS-REQ-001.3.8', 'JOBS-REQ-001.3.9');
    const project = projectWithJob();
    const server = await connect(project.root);
    const before = new Date().toISOString();
    const { begin_step } = await server.ok('start_workflow', {
      ...START,
      instance_id: 'acme',
      context: { size: 3 },
    });
    const session = view(project, begin_step.session_id);
    expect(session).toMatchObject({
      session_id: begin_step.session_id,
      job_name: 'demo',
      workflow_name: 'main',
      instance_id: 'acme',
      goal: 'Write it up',
      current_step_id: 'a',
      current_entry_index: 0,
      completed_at: null,
      status: 'active',
      abort_reason: null,
      context: {
        size: 3,
        goal: 'Write it up',
        job_name: 'demo',
        workflow_name: 'main',
        instance_id: 'acme',
      },
    });
    expect(Object.keys(session.step_progress)).toEqual(['a']);
    const { started_at, completed_at } = session.step_progress.a;
    expect(completed_at).toBeNull();
    expect(started_at >= before && started_at <= new Date().toISOString()).toBe(true);
    const found = await server.ok('get_active_workflow');
    expect(found).toMatchObject({ active: true, session_id: begin_step.session_id, begin_step });
  });

  test('finds a job by its directory, then by its declared name', async () => {
    verifies('JOBS-REQ-001.3.4');
    const project = newProject();
    const one = { summary: 'Declared as other', name: 'other' };
    writeJob(project, 'folder', { a: {} }, { main: ['a'] }, one);
    writeJob(project, 'zz_late', { a: {} }, { main: ['a'] }, { name: 'folder' });
    const server = await connect(project.root);
    const dirOf = async (job_name: string) =>
      (await server.ok('start_workflow', { ...START, job_name })).begin_step.job_dir;
    expect(await dirOf('other')).toBe(project.path('.deepwork/jobs/folder'));
    expect(await dirOf('folder'), 'a directory beats a declared name').toBe(
      project.path('.deepwork/jobs/folder'),
    );
    expect(await dirOf('zz_late')).toBe(project.path('.deepwork/jobs/zz_late'));
    const { stack } = await server.ok('get_workflows');
    expect(
      stack.map(({ workflow }: { workflow: string }) => workflow),
      'the stack shows declared names',
    ).toEqual(['other/main', 'other/main', 'folder/main']);
  });

  test('selects the only workflow of a job whatever the name', async () => {
    verifies('JOBS-REQ-001.3.5');
    const project = newProject();
    writeJob(project, 'single', { a: {} }, { main: ['a'] });
    const server = await connect(project.root);
    for (const workflow_name of ['main', 'ghost', '', '../x']) {
      const { stack } = await server.ok('start_workflow', {
        ...START,
        job_name: 'single',
        workflow_name,
      });
      expect(stack.at(-1)).toMatchObject({ workflow: 'single/main', step: 'a' });
    }
  });

  test('refuses an unknown workflow if there are several or none', async () => {
    verifies('JOBS-REQ-001.3.5', 'JOBS-REQ-001.3.6');
    const project = projectWithJob();
    writeJob(project, 'idle', { a: {} }, {});
    const server = await connect(project.root);
    expect(
      await refusal(server, 'start_workflow', { ...START, workflow_name: 'ghost' }),
    ).toMatchObject({
      code: 'workflow_not_found',
      message: "Workflow 'ghost' not found in job 'demo'. Available workflows: main, side",
    });
    const none = await refusal(server, 'start_workflow', { ...START, job_name: 'idle' });
    expect(none.message).toMatch(
      /^Workflow 'main' not found in job 'idle'\. Available workflows: /,
    );
    const exact = await server.ok('start_workflow', { ...START, workflow_name: 'side' });
    expect(exact.begin_step.step_id).toBe('b');
  });

  test('refuses a workflow without applicable steps', async () => {
    verifies('JOBS-REQ-001.3.7');
    const project = newProject();
    const when = { var: 'wanted', equals: true };
    writeJob(project, 'demo', { a: { when }, b: { when } }, { main: ['a', 'b'] });
    const server = await connect(project.root);
    expect(await refusal(server, 'start_workflow', START)).toMatchObject({
      code: 'workflow_empty',
      message: "Workflow 'main' has no steps",
    });
    const { begin_step } = await server.ok('start_workflow', {
      ...START,
      context: { wanted: true },
    });
    expect(begin_step.step_id).toBe('a');
  });

  test('a workflow whose list of steps is empty is refused alone, in both dialects', async () => {
    verifies('JOBS-REQ-001.3.7');
    const project = newProject();
    writeJob(project, 'demo', { a: {} }, { main: ['a'], later: [] });
    project.write(
      '.deepwork/jobs/newer/job.yml',
      [
        'name: newer',
        'summary: In the newer dialect',
        'step_arguments: []',
        'workflows:',
        '  main: {summary: Work, steps: [{name: a, instructions: Do a now.}]}',
        '  later: {summary: To be written, steps: []}',
      ].join('\n'),
    );
    const server = await connect(project.root);
    const { errors, jobs } = await server.ok('get_workflows', {});
    expect([errors, jobs.map((job: { name: string }) => job.name)]).toEqual([
      [],
      expect.arrayContaining(['demo', 'newer']),
    ]);
    for (const job_name of ['demo', 'newer']) {
      const later = { ...START, job_name, workflow_name: 'later' };
      expect(await refusal(server, 'start_workflow', later)).toMatchObject({
        code: 'workflow_empty',
        message: "Workflow 'later' has no steps",
        next: 'add steps to it in job.yml, or start another workflow.',
      });
      const { begin_step } = await server.ok('start_workflow', { ...START, job_name });
      expect(begin_step.step_id).toBe('a');
    }
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    expect(code).toBe(1);
    expect(stdout.match(/Workflow 'later' has no steps/g)).toHaveLength(2);
  });

  test('shows the other members of a concurrent first entry', async () => {
    verifies('JOBS-REQ-001.3.10', 'JOBS-REQ-001.3.11');
    const server = await connect(projectWithJob().root);
    const { begin_step } = await server.ok('start_workflow', { ...START, workflow_name: 'side' });
    const [own, note] = begin_step.step_instructions.split('\n\n');
    expect([begin_step.step_id, own]).toEqual(['b', 'Do b now.']);
    expect(note).toMatch(/^\*\*CONCURRENT STEPS\*\*.*\b2\b.*\bb\b.*\bc\b.*Task tool/);
    expect(begin_step.concurrent_steps).toHaveLength(1);
    expect(begin_step.concurrent_steps[0]).toMatchObject({
      step_id: 'c',
      step_instructions: 'Do c now.\n',
      step_expected_outputs: [],
      step_reviews: [],
    });
  });

  test('nests a start inside a running workflow on top of it', async () => {
    verifies('JOBS-REQ-001.3.12', 'JOBS-REQ-001.3.8');
    const project = projectWithJob();
    const server = await connect(project.root);
    const outer = await server.ok('start_workflow', START);
    const inner = await server.ok('start_workflow', { ...START, workflow_name: 'side' });
    expect(inner.stack).toMatchObject([
      { workflow: 'demo/main', step: 'a' },
      { workflow: 'demo/side', step: 'b' },
    ]);
    expect(view(project, inner.begin_step.session_id).parent_session_id).toBe(
      outer.begin_step.session_id,
    );
  });

  test('does not mix simultaneous starts', async () => {
    verifies('JOBS-X.5');
    const project = newProject();
    for (const name of ['one', 'two', 'three']) {
      writeJob(project, name, { [`${name}_step`]: {} }, { main: [`${name}_step`] });
    }
    const servers = await Promise.all([connect(project.root), connect(project.root)]);
    const starts = (server: Connection, side: number) =>
      ['one', 'two', 'three', 'one', 'two', 'three'].map(async (job_name, index) => {
        const goal = `${job_name} of ${side}, number ${index}`;
        const answer = await server.ok('start_workflow', { ...START, goal, job_name });
        return { job_name, goal, side, ...answer.begin_step };
      });
    const begun = await Promise.all(servers.flatMap((server, side) => starts(server, side)));

    expect(new Set(begun.map(({ session_id }) => session_id)).size).toBe(12);
    for (const { job_name, goal, session_id, step_id, step_instructions } of begun) {
      expect(step_id).toBe(`${job_name}_step`);
      expect(step_instructions).toBe(`Do ${job_name}_step now.\n`);
      expect(view(project, session_id)).toMatchObject({ job_name, goal, current_step_id: step_id });
    }
    for (const [side, server] of servers.entries()) {
      const mine = begun.filter((each) => each.side === side);
      const { stack } = await server.ok('get_workflows');
      expect(stack.map(({ step }: { step: string }) => step).sort()).toEqual(
        mine.map(({ step_id }) => step_id).sort(),
      );
    }
    expect(existsSync(project.path('.deepwork/tmp/.gitignore'))).toBe(true);
  });
});

describe('start_workflow warns', () => {
  const NEVER = {
    and: [
      { var: 'n', gt: 5 },
      { var: 'n', lt: 3 },
    ],
  };
  const inputs = { n: { type: 'number', description: 'How many' } };

  /** Of `demo`, `main` has two faults, and `other` one of its own. */
  function faulty(): Project {
    const project = newProject();
    const workflows = [
      { name: 'main', summary: 'All', inputs, steps: ['a', 'b'] },
      { name: 'other', summary: 'Other', inputs, steps: ['a', 'c'] },
    ];
    writeJob(project, 'demo', { a: {}, b: { when: NEVER }, c: { when: NEVER } }, {}, { workflows });
    project.write('.deepwork/jobs/demo/steps/a.md', 'Do a with {{ inputs.m }}.\n');
    return project;
  }

  test('of what lint and its proofs find in what it starts, as it is now', async () => {
    verifies('JOBS-REQ-001.3.14');
    const project = faulty();
    const server = await connect(project.root);
    const said = async () =>
      (await server.ok('start_workflow', { ...START, inputs: { n: 1 } })).warnings.filter(
        (warning: string) => /^Lint: /.test(warning),
      );
    const where = 'Lint: .deepwork/jobs/demo';
    const found = [
      expect.stringMatching(`^${where}/job\\.yml:\\d+:\\d+: .*\\bb\\b.*never`),
      expect.stringMatching(`^${where}/steps/a\\.md:1:11: .*inputs\\.m`),
    ];
    expect(await said()).toEqual(found);
    expect(await said()).toEqual(found);
    project.write('.deepwork/jobs/demo/steps/a.md', 'Do a with {{ inputs.n }} now.\n');
    expect(await said()).toEqual(found.slice(0, 1));
    const job = readFileSync(project.path('.deepwork/jobs/demo/job.yml'), 'utf8');
    project.write('.deepwork/jobs/demo/job.yml', job.replaceAll('lt: 3', 'lt: 30'));
    expect(await said()).toEqual([]);
  });

  test('of a nested job that cannot be read, and of what lint finds in one that can', async () => {
    verifies('LANG-6');
    const project = faulty();
    const run = (name: string, job: string) => ({
      run: { name, job, workflow: 'main', inputs: { n: { value: 1 } } },
    });
    writeJob(
      project,
      'outer',
      { x: {} },
      { main: ['x', run('sub', 'demo'), run('ghost', 'nowhere'), run('bad', 'broken')] as never },
    );
    project.write('.deepwork/jobs/broken/job.yml', 'name: broken\n');
    const server = await connect(project.root);
    const start = { ...START, job_name: 'outer' };
    const { warnings } = await server.ok('start_workflow', start);
    expect(warnings).toEqual([
      expect.stringMatching(/^'ghost' cannot run nowhere\/main: Job not found: nowhere/),
      expect.stringMatching(/^'bad' cannot run broken\/main: Failed to parse job 'broken': /),
      expect.stringMatching(/^Lint: \.deepwork\/jobs\/demo\/job\.yml:.*never/),
      expect.stringMatching(/^Lint: \.deepwork\/jobs\/demo\/steps\/a\.md:/),
    ]);
  });

  test('of what lint finds in a guide, and which guide it took', async () => {
    verifies('GUIDE-38');
    const project = newProject();
    const steps = [
      { id: 'one', title: 'One', prompt: 'Do it', notesOptional: true },
      { id: 'two', title: 'Two', prompt: 'Do it', runCondition: { var: 'n', gt: 5, lt: 3 } },
    ];
    const guide = { id: 'wr.tidy', name: 'Tidy', description: 'Tidies', version: '1.0.0', steps };
    project.write('.deepwork/workflows/tidy.json', JSON.stringify(guide));
    const server = await connect(project.root);
    const start = { goal: 'g', job_name: 'wr.tidy', workflow_name: 'all', context: { n: 1 } };
    const { warnings } = await server.ok('start_workflow', start);
    const file = 'Lint: \\.deepwork/workflows/tidy\\.json:1:\\d+:';
    expect(warnings).toEqual([
      "There is no workflow 'all'; the guide 'wr.tidy' was started.",
      expect.stringMatching(`^${file} .*'two' never holds`),
      expect.stringMatching(`^${file} Unknown field: notesOptional`),
    ]);
  });

  test('of at most ten findings, and says how to see the others', async () => {
    verifies('JOBS-REQ-001.3.14');
    const project = newProject();
    const many = Array.from({ length: 13 }, (_, index) => `{{ inputs.odd_${index} }}`);
    writeJob(project, 'demo', { a: {} }, { main: ['a'] });
    project.write('.deepwork/jobs/demo/steps/a.md', many.join('\n'));
    const server = await connect(project.root);
    const { warnings } = await server.ok('start_workflow', START);
    expect(warnings).toHaveLength(11);
    expect(warnings[10]).toBe('Lint: 3 more findings; `deepwork lint` shows all.');
  });

  test('a person at a terminal how not to nest, and that works', async () => {
    verifies('JOBS-REQ-001.4.19');
    const project = projectWithJob();
    const start = ['--job_name', 'demo', '--workflow_name', 'main', '--goal', 'g'];
    const call = async (...args: string[]) =>
      JSON.parse((await command(['call', ...args], { cwd: project.root })).stdout);
    await call('start_workflow', ...start);
    const { warnings } = await call('start_workflow', ...start, '--instance_id', 'two');
    expect(warnings[0]).toMatch(/^Nested in session .*deepwork call --agent NAME start_workflow/);
    const alone = await call('--agent', 'someone', 'start_workflow', ...start);
    expect([alone.warnings, alone.stack.length]).toEqual([[], 1]);
  });
});
