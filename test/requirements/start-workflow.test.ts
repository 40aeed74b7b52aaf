// start_workflow: creates a session and returns its first step; a refused start leaves nothing
// behind: no session, no place on the stack, no branch.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { newRepository } from '../support/repository.ts';
import { readView } from '../support/saved.ts';
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

describe('start_workflow', () => {
  test('answers with the first step, of a session that is started', async () => {
    verifies(
      'JOBS-REQ-001.3.8',
      'JOBS-REQ-001.3.9',
      'JOBS-REQ-001.3.10',
      'JOBS-REQ-001.3.11',
      'JOBS-REQ-001.3.12',
      'JOBS-REQ-001.3.13',
      'JOBS-REQ-001.3.14',
    );
    const project = projectWithJob();
    const server = await connect(project.root);
    const before = new Date().toISOString();
    const given = { ...START, instance_id: ' acme ', context: { size: 3 } };
    const { begin_step, warnings, stack } = await server.ok('start_workflow', given);
    const { session_id } = begin_step;
    expect(begin_step).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f]{8}$/),
      step_id: 'a',
      branch_name: 'deepwork/demo-main-acme',
      job_dir: project.path('.deepwork/jobs/demo'),
      step_inputs: [],
      step_instructions: 'Do a now.\n',
      common_job_info: 'About demo',
      concurrent_steps: [],
      step_expected_outputs: [
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
      ],
      step_reviews: [{ ...WHOLE_REVIEW, additional_review_guidance: null }, EACH_REVIEW],
      step_quality_criteria: ['It is whole', 'It is clean', 'It is small'],
    });
    expect(warnings).toEqual([]);
    expect(stack).toEqual([{ workflow: 'demo/main', step: 'a', session_id }]);

    const view = readView(project, session_id);
    expect(view).toMatchObject({ instance_id: 'acme', goal: 'Write it up', status: 'active' });
    expect(view.context).toMatchObject({ size: 3, instance_id: 'acme' });
    expect(Object.keys(view.step_progress)).toEqual(['a']);
    const { started_at, completed_at } = view.step_progress.a;
    expect(completed_at).toBeNull();
    expect(started_at >= before && started_at <= new Date().toISOString()).toBe(true);
    expect(await server.ok('get_active_workflow')).toMatchObject({ session_id, begin_step });
  });

  test('requires goal, job_name and workflow_name, and no more', async () => {
    verifies('JOBS-REQ-001.3.1', 'JOBS-REQ-001.3.2', 'JOBS-REQ-001.3.3');
    const project = projectWithJob();
    const server = await connect(project.root);
    const { tools } = await server.client.listTools();
    const schema = tools.find(({ name }) => name === 'start_workflow')?.inputSchema;
    expect(schema?.required?.toSorted()).toEqual(['goal', 'job_name', 'workflow_name']);
    const optional = ['context', 'inputs', 'instance_id'];
    expect(Object.keys(schema?.properties ?? {}).toSorted()).toEqual(
      [...optional, ...(schema?.required ?? [])].toSorted(),
    );
    const today = () => new Date().toISOString().slice(0, 10).replaceAll('-', '');
    const days = [today()];
    const plain = await server.ok('start_workflow', START);
    const nulled = { ...START, instance_id: null, context: null };
    const second = await server.ok('start_workflow', nulled);
    // Midnight may pass in between.
    days.push(today());
    for (const { begin_step } of [plain, second]) {
      expect(days.map((day) => `deepwork/demo-main-${day}`)).toContain(begin_step.branch_name);
    }
    const blank = await server.ok('start_workflow', { ...START, instance_id: '   ' });
    expect(readView(project, blank.begin_step.session_id).instance_id).toBeNull();
  });

  test('takes the only workflow of a job whatever the name, and says so first', async () => {
    verifies('JOBS-REQ-001.3.5');
    const project = newProject();
    writeJob(project, 'single', { a: {}, b: { when: { var: 'x' } } }, { main: ['a', 'b'] });
    const server = await connect(project.root);
    for (const workflow_name of ['main', 'mian', '', '../x']) {
      const given = { ...START, job_name: 'single', workflow_name };
      const { stack, warnings } = await server.ok('start_workflow', given);
      expect(stack.at(-1)).toMatchObject({ workflow: 'single/main', step: 'a' });
      if (workflow_name !== 'main') expect(warnings[0]).toContain(`'${workflow_name}'`);
      await server.ok('abort_workflow', { explanation: 'Only tried' });
    }
  });

  test('refuses a workflow without steps that apply, and takes it when one does', async () => {
    verifies('JOBS-REQ-001.3.7', 'JOBS-X.14');
    const project = newProject();
    const when = { var: 'wanted', equals: true };
    writeJob(project, 'demo', { a: { when }, b: { when } }, { main: ['a', 'b'], later: [] });
    const server = await connect(project.root);
    for (const args of [START, { ...START, workflow_name: 'later' }]) {
      const { code } = await refusedUnchanged(project, server, 'start_workflow', args);
      expect(code).toBe('workflow_empty');
    }
    const { begin_step } = await server.ok('start_workflow', {
      ...START,
      context: { wanted: true },
    });
    expect(begin_step.step_id).toBe('a');
  });

  test('does not mix simultaneous starts', async () => {
    verifies('JOBS-X.5');
    const project = projectWithJob();
    const servers = await Promise.all([connect(project.root), connect(project.root)]);
    const begin = async (server: Connection, workflow_name: string, goal: string) => ({
      ...(await server.ok('start_workflow', { ...START, workflow_name, goal })).begin_step,
      goal,
    });
    const begun = await Promise.all(
      servers.map((server, side) =>
        Promise.all(
          ['main', 'side', 'main', 'side'].map((name, at) => begin(server, name, `${side}${at}`)),
        ),
      ),
    );
    for (const [side, server] of servers.entries()) {
      const { stack } = await server.ok('get_workflows');
      const idsOf = (sessions: { session_id: string }[] = []) =>
        sessions.map(({ session_id }) => session_id).sort();
      expect(idsOf(stack)).toEqual(idsOf(begun[side]));
      for (const { goal, session_id, step_id } of begun[side] ?? []) {
        expect(readView(project, session_id)).toMatchObject({ goal, current_step_id: step_id });
      }
    }
  });
});

/** A project in a git repository, so that a stray branch would be seen; what it refuses. */
async function refusing() {
  const project = newProject({ '.deepwork/config.yml': '' });
  writeJob(project, 'demo', { a: {} }, { main: ['a'], other: ['a'] });
  const { git } = newRepository(project.root);
  git('commit', '--quiet', '--allow-empty', '-m', 'First');
  const server = await connect(project.root);
  return {
    project,
    server,
    git,
    async refused(args: Record<string, unknown>) {
      const refs = git('for-each-ref');
      const given = { ...START, ...args };
      const seen = await refusedUnchanged(project, server, 'start_workflow', given);
      expect(git('for-each-ref')).toBe(refs);
      expect(Buffer.byteLength(seen.message)).toBeLessThanOrEqual(4096);
      return seen;
    },
  };
}

describe('a refused start', () => {
  test('leaves nothing behind, whatever the reason', async () => {
    verifies('JOBS-X.4', 'JOBS-REQ-001.3.4', 'JOBS-REQ-001.3.6');
    const { project, server, git, refused } = await refusing();
    writeJob(project, 'idle', { a: {} }, {});
    writeJob(project, 'never', { a: { when: { var: 'no' } } }, { main: ['a'] });
    writeJob(project, 'broken', { a: {} }, { main: ['a', 'ghost'] });
    writeJob(project, 'unwritten', { a: {} }, { main: ['a'] });
    rmSync(project.path('.deepwork/jobs/unwritten/steps/a.md'));
    for (const [args, code, named] of [
      [{ job_name: 'ghost' }, 'job_not_found', ['ghost']],
      [{ workflow_name: 'ghost' }, 'workflow_not_found', ['ghost', 'main, other']],
      [{ job_name: 'idle' }, 'workflow_not_found', ['idle']],
      [{ job_name: 'never' }, 'workflow_empty', ['main']],
      [{ job_name: 'broken' }, 'job_invalid', ['ghost', 'line ']],
      [{ job_name: 'unwritten' }, 'job_invalid', ['steps/a.md', 'line ']],
      [{ goal: 7 }, 'invalid_arguments', ['goal']],
      [{ job_name: 'x'.repeat(1_000_000) }, 'job_not_found', ['xxx']],
      [{ workflow_name: 'é'.repeat(400_000) }, 'workflow_not_found', ['ééé']],
    ] as const) {
      const seen = await refused(args);
      expect(seen.code).toBe(code);
      for (const part of named) expect(seen.message).toContain(part);
    }
    const { next } = await refused({ job_name: 'dmeo' });
    for (const part of ['demo', 'deepwork_jobs', 'get_workflows']) expect(next).toContain(part);
    const idle = { active: false, session_id: null, stack: [], orphans: [] };
    expect(await server.ok('get_active_workflow')).toMatchObject(idle);

    const { begin_step, stack } = await server.ok('start_workflow', START);
    expect(git('for-each-ref')).toContain(`refs/heads/${begin_step.branch_name}`);
    // Nor does it change the workflow below it.
    await refused({ job_name: 'ghost' });
    expect(await server.ok('get_active_workflow')).toMatchObject({ stack });
  });

  test('cannot reach a job by a path', async () => {
    verifies('JOBS-REQ-001.3.4', 'JOBS-X.4');
    const { project, refused } = await refusing();
    // A job that a joined path would reach.
    writeJob(project, '../../x', { a: {} }, { main: ['a'] }, { name: 'x' });
    const paths = ['../../x', '../jobs/demo', './demo', 'demo/', 'demo/.', 'demo\\..\\demo'];
    const absolute = [project.path('.deepwork/jobs/demo'), project.path('x'), '/etc'];
    const others = ['DEMO', ' demo', '.', '..', '', 'demo\0', '\0', '__proto__', 'constructor'];
    for (const job_name of [...paths, ...absolute, ...others, '%2e%2e%2fx']) {
      const { code, message } = await refused({ job_name });
      expect(code).toBe('job_not_found');
      expect(message.endsWith(job_name)).toBe(true);
    }
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

  const FOUND = [
    expect.stringMatching(/^Lint: \.deepwork\/jobs\/demo\/job\.yml:\d+:\d+: /),
    expect.stringMatching(/^Lint: \.deepwork\/jobs\/demo\/steps\/a\.md:1:11: /),
  ];

  test('of what lint and its proofs find in what it starts, as it is now, and of at most ten', async () => {
    const project = faulty();
    const server = await connect(project.root);
    const said = async () => {
      const { warnings } = await server.ok('start_workflow', { ...START, inputs: { n: 1 } });
      return warnings.filter((warning: string) => warning.startsWith('Lint: '));
    };
    expect(await said()).toEqual(FOUND);
    project.write('.deepwork/jobs/demo/steps/a.md', 'Do a with {{ inputs.n }} now.\n');
    expect(await said()).toEqual(FOUND.slice(0, 1));
    const many = Array.from({ length: 13 }, (_, index) => `{{ inputs.odd_${index} }}`);
    project.write('.deepwork/jobs/demo/steps/a.md', many.join('\n'));
    const said11 = await said();
    expect([said11.length, said11[10]]).toEqual([11, expect.stringContaining('deepwork lint')]);
  });

  test('of a nested job that cannot be read, and of what lint finds in one that can', async () => {
    verifies('LANG-6');
    const project = faulty();
    const run = (name: string, job: string) => ({
      run: { name, job, workflow: 'main', inputs: { n: { value: 1 } } },
    });
    const nested = ['x', run('sub', 'demo'), run('ghost', 'nowhere'), run('bad', 'broken')];
    writeJob(project, 'outer', { x: {} }, { main: nested as never });
    project.write('.deepwork/jobs/broken/job.yml', 'name: broken\n');
    const server = await connect(project.root);
    const { warnings } = await server.ok('start_workflow', { ...START, job_name: 'outer' });
    expect(warnings).toEqual([
      expect.stringMatching(/'ghost'.*nowhere/),
      expect.stringMatching(/'bad'.*'broken'/),
      ...FOUND,
    ]);
  });
});
