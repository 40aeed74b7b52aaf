// A refused start leaves nothing behind: no session, no place on the stack, no branch. And its
// arguments may be hostile.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { type RefusalSeen, refusal } from '../support/refusal.ts';
import { newRepository } from '../support/repository.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

interface GitProject extends Project {
  /** Every branch and what it points to. */
  refs(): string;
}

/** A project in a git repository, so that a stray branch would be seen. */
function projectInGit(): GitProject {
  const project = newProject({ '.deepwork/config.yml': '' });
  writeJob(project, 'demo', { a: {} }, { main: ['a'], other: ['a'] });
  const repository = newRepository(project.root);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  return { ...project, refs: () => repository.git('for-each-ref') };
}

/** Starts what must be refused, and checks that nothing is left of it. */
async function refusedStart(
  server: Connection,
  project: GitProject,
  args: Record<string, unknown>,
): Promise<RefusalSeen> {
  const before = { state: keptState(project), refs: project.refs() };
  const refused = await refusal(server, 'start_workflow', { ...START, ...args });
  expect({ state: keptState(project), refs: project.refs() }).toEqual(before);
  return refused;
}

async function expectNothingActive(server: Connection): Promise<void> {
  expect(await server.ok('get_active_workflow')).toMatchObject({
    active: false,
    session_id: null,
    stack: [],
    orphans: [],
  });
}

describe('a refused start', () => {
  test('leaves nothing behind, whatever the reason', async () => {
    verifies('JOBS-X.4', 'JOBS-REQ-001.3.4', 'JOBS-REQ-001.3.6', 'JOBS-REQ-001.3.7');
    const project = projectInGit();
    writeJob(project, 'never', { a: { when: { var: 'no' } } }, { main: ['a'] });
    writeJob(project, 'broken', { a: {} }, { main: ['a', 'ghost'] });
    writeJob(project, 'unwritten', { a: {} }, { main: ['a'] });
    rmSync(project.path('.deepwork/jobs/unwritten/steps/a.md'));
    const server = await connect(project.root);
    const refused = async (args: Record<string, unknown>) =>
      (await refusedStart(server, project, args)).message;

    expect(await refused({ job_name: 'ghost' })).toBe('Job not found: ghost');
    const { next } = await refusedStart(server, project, { job_name: 'dmeo' });
    expect(next).toMatch(/\bdemo\b.*\bdeepwork_jobs\b.*get_workflows/);
    expect(await refused({ workflow_name: 'ghost' })).toBe(
      "Workflow 'ghost' not found in job 'demo'. Available workflows: main, other",
    );
    expect(await refused({ job_name: 'never' })).toBe("Workflow 'main' has no steps");
    expect(await refused({ job_name: 'broken' })).toMatch(
      /^Failed to parse job 'broken': Workflow 'main' references non-existent step 'ghost' \(line \d+, column \d+\)$/,
    );
    expect(await refused({ job_name: 'unwritten' })).toMatch(
      /^Failed to parse job 'unwritten': Instructions file not found: steps\/a\.md \(line \d+, column \d+\)$/,
    );
    expect(await refused({ goal: 7 })).toMatch(/^Invalid arguments for start_workflow: goal: /);
    await expectNothingActive(server);

    const { stack, begin_step } = await server.ok('start_workflow', START);
    expect(stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    expect(project.refs()).toContain(`refs/heads/${begin_step.branch_name}`);
  });

  test('does not change the workflow below it', async () => {
    verifies('JOBS-X.4', 'JOBS-REQ-001.3.12');
    const project = projectInGit();
    const server = await connect(project.root);
    const { begin_step, stack } = await server.ok('start_workflow', START);
    await refusedStart(server, project, { job_name: 'ghost' });
    await refusedStart(server, project, { workflow_name: 'ghost' });
    const after = await server.ok('get_active_workflow');
    expect(after).toMatchObject({ session_id: begin_step.session_id, stack });
  });

  test('leaves nothing if the session cannot be saved', async () => {
    verifies('JOBS-X.4');
    const project = projectInGit();
    // A file in the folder's place: not even root can write there.
    project.write('.deepwork/journal', 'not a folder');
    const server = await connect(project.root);
    const before = project.refs();
    const { code, message } = await refusal(server, 'start_workflow', START);
    expect(code).toBe('cannot_save');
    expect(message).toMatch(/^Cannot save session '[0-9a-f]{8}': ./);
    expect(project.refs()).toBe(before);
    rmSync(project.path('.deepwork/journal'));
    await expectNothingActive(server);
    await server.ok('start_workflow', START);
  });
});

describe('a hostile start', () => {
  test('cannot reach a job by a path', async () => {
    verifies('JOBS-REQ-001.3.4', 'JOBS-X.4');
    const project = projectInGit();
    // A job that a joined path would reach.
    writeJob(project, '../../x', { a: {} }, { main: ['a'] }, { name: 'x' });
    const server = await connect(project.root);
    const inside = project.path('.deepwork/jobs/demo');
    const names = [
      '../../x',
      '../x',
      '../jobs/demo',
      './demo',
      'demo/',
      'demo/.',
      'DEMO',
      ' demo',
      inside,
      project.path('x'),
      '/etc',
      '.',
      '..',
      '',
      'demo\0',
      '\0',
      '__proto__',
      'constructor',
      '%2e%2e%2fx',
      'demo\\..\\demo',
    ];
    for (const job_name of names) {
      const { code, message } = await refusedStart(server, project, { job_name });
      expect({ code, message }).toEqual({
        code: 'job_not_found',
        message: `Job not found: ${job_name}`,
      });
    }
    await expectNothingActive(server);
  });

  test('gets an answer of limited size', async () => {
    verifies('JOBS-REQ-001.3.4', 'JOBS-X.4');
    const project = projectInGit();
    const server = await connect(project.root);
    const long = await refusedStart(server, project, { job_name: 'x'.repeat(1_000_000) });
    expect(long.code).toBe('job_not_found');
    expect(long.message).toMatch(/^Job not found: x{200}…/);
    expect(Buffer.byteLength(long.message)).toBeLessThanOrEqual(4096);

    const wide = await refusedStart(server, project, { workflow_name: 'é'.repeat(400_000) });
    expect(wide.code).toBe('workflow_not_found');
    expect(Buffer.byteLength(wide.message)).toBeLessThanOrEqual(4096);
    expect(wide.message).not.toContain('\uFFFD');

    for (const parameter of ['goal', 'job_name', 'workflow_name', 'instance_id']) {
      const { message } = await refusedStart(server, project, {
        [parameter]: 'x'.repeat(1024 * 1024 + 1),
      });
      expect(message).toMatch(
        new RegExp(`^Invalid arguments for start_workflow: ${parameter}: .*1 MiB`),
      );
    }
    const goal = 'g'.repeat(1024 * 1024);
    const { begin_step } = await server.ok('start_workflow', { ...START, goal });
    expect(begin_step.step_id, 'a text of exactly 1 MiB is allowed').toBe('a');
  });

  test('with values of the wrong type is refused', async () => {
    verifies('JOBS-REQ-001.3.2', 'JOBS-REQ-001.3.3', 'JOBS-X.4');
    const project = projectInGit();
    const server = await connect(project.root);
    const wrong: Record<string, readonly unknown[]> = {
      goal: [1, null, ['a'], { a: 1 }, true],
      job_name: [1, null, ['demo'], {}],
      workflow_name: [1, null, ['main'], {}],
      instance_id: [1, ['a'], {}, false],
      context: ['text', 1, ['a'], true],
      surplus: ['x', null],
      constructor: [{}],
    };
    for (const [parameter, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { code, message } = await refusedStart(server, project, { [parameter]: value });
        expect(code).toBe('invalid_arguments');
        const [, problem] = message.split(`Invalid arguments for start_workflow: ${parameter}: `);
        expect(problem, message).toMatch(/\w{3,}/);
      }
    }
  });

  test('with a context too large or too deep is refused', async () => {
    verifies('JOBS-X.4');
    const project = projectInGit();
    const server = await connect(project.root);
    const deep = (levels: number) => JSON.parse('{"a":'.repeat(levels) + 1 + '}'.repeat(levels));
    for (const context of [{ a: 'x'.repeat(64 * 1024) }, deep(100), deep(3000)]) {
      const { message } = await refusedStart(server, project, { context });
      expect(message).toMatch(/^Invalid arguments for start_workflow: context: \w{2,}/);
    }
    await server.ok('start_workflow', { ...START, context: { a: 'x'.repeat(60 * 1024) } });
  });
});
