// get_workflows: what can be started here, from every folder with jobs.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal, refusal } from '../support/refusal.ts';
import { verifies } from '../verifies.ts';

type Named = { name: string };
type Failed = { job_name: string; job_dir: string; error: string };

const names = (items: Named[]) => items.map(({ name }) => name);
const own = (items: Named[]) => names(items).filter((name) => name !== 'deepwork_jobs');
const jobFolder = (project: Project, name = '') => path.join(project.path('.deepwork/jobs'), name);
const folders = (...parts: string[]) => ({
  DEEPWORK_ADDITIONAL_JOBS_FOLDERS: parts.join(path.delimiter),
});
const start = (job_name: string) => ({ goal: 'Try it', job_name, workflow_name: 'main' });

describe('get_workflows', () => {
  test.each(ERAS)('lists jobs with their workflows (%s)', async (era) => {
    verifies(
      'JOBS-REQ-001.2.1',
      'JOBS-REQ-001.2.2',
      'JOBS-REQ-001.2.3',
      'JOBS-REQ-001.2.4',
      'JOBS-REQ-001.2.5',
    );
    const project = newProject();
    writeJob(project, 'zoo', { a: {} }, { feed: ['a'], clean: ['a'] });
    const description = 'Bread and rolls.';
    writeJob(project, 'bakery', { a: {} }, { bake: ['a'] }, { description });
    const server = await connect(project.root, { era });

    const { tools } = await server.client.listTools();
    const tool = tools.find(({ name }) => name === 'get_workflows');
    expect(tool?.inputSchema.properties ?? {}).toEqual({});
    expect(tool?.annotations?.readOnlyHint).toBe(true);

    const { jobs, errors, warnings, stack } = await server.ok('get_workflows');
    expect(jobs.slice(0, 2), 'sorted, the project’s own first').toEqual([
      {
        name: 'bakery',
        summary: 'The bakery job',
        description,
        workflows: [{ name: 'bake', summary: 'Runs bake' }],
      },
      {
        name: 'zoo',
        summary: 'The zoo job',
        description: null,
        workflows: [
          { name: 'feed', summary: 'Runs feed' },
          { name: 'clean', summary: 'Runs clean' },
        ],
      },
    ]);
    expect(names(jobs)).toContain('deepwork_jobs');
    expect([errors, warnings, stack]).toEqual([[], [], []]);
  });

  test('takes no parameters', async () => {
    verifies('JOBS-REQ-001.2.2');
    const server = await connect(newProject().root);
    expect(await refusal(server, 'get_workflows', { job_name: 'demo' })).toMatchObject({
      code: 'invalid_arguments',
      message: 'Invalid arguments for get_workflows: job_name: is not a parameter',
    });
    const bare = await server.client.callTool({ name: 'get_workflows' });
    expect(bare.isError ?? false).toBe(false);
  });

  test('is an empty list if there are no jobs', async () => {
    verifies('JOBS-REQ-001.2.3', 'JOBS-REQ-001.2.6');
    const server = await connect(newProject().root);
    const { jobs, errors } = await server.ok('get_workflows');
    expect(own(jobs)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('sees the current jobs at each call', async () => {
    verifies('JOBS-REQ-001.2.3', 'JOBS-REQ-001.2.6');
    const project = newProject();
    const server = await connect(project.root);
    const listed = async () => {
      const { jobs, errors } = await server.ok('get_workflows');
      return { jobs: own(jobs), errors: errors.map(({ job_name }: Failed) => job_name) };
    };
    expect(await listed()).toEqual({ jobs: [], errors: [] });
    writeJob(project, 'demo', { a: {} }, { main: ['a'] });
    expect(await listed()).toEqual({ jobs: ['demo'], errors: [] });
    rmSync(jobFolder(project, 'demo/steps/a.md'));
    expect(await listed(), 'a missing instruction file is noticed').toEqual({
      jobs: [],
      errors: ['demo'],
    });
    writeJob(project, 'demo', { a: {} }, { other: ['a'] });
    const { jobs } = await server.ok('get_workflows');
    expect(names(jobs[0].workflows)).toEqual(['other']);
    rmSync(jobFolder(project, 'demo'), { recursive: true });
    expect(await listed()).toEqual({ jobs: [], errors: [] });
  });

  test('reads the project, the bundled jobs and the folders of the environment', async () => {
    verifies('JOBS-REQ-001.2.8', 'JOBS-X.2');
    const [project, one, two] = [newProject(), newProject(), newProject()];
    writeJob(project, 'mine', { a: {} }, { main: ['a'] });
    writeJob(one, 'from_one', { a: {} }, { main: ['a'] });
    writeJob(two, 'from_two', { a: {} }, { main: ['a'] });
    const env = folders(
      '',
      `  ${jobFolder(two)}\t`,
      '   ',
      project.path('missing'),
      `${jobFolder(one)} `,
    );
    const server = await connect(project.root, { env });
    const { jobs, errors } = await server.ok('get_workflows');
    expect(names(jobs), 'in the order of the folders').toEqual([
      'mine',
      'deepwork_jobs',
      'from_two',
      'from_one',
    ]);
    expect(errors, 'blank and missing folders are no errors').toEqual([]);
    const { begin_step } = await server.ok('start_workflow', start('from_one'));
    expect(begin_step.job_dir).toBe(jobFolder(one, 'from_one'));
  });

  test('uses the first directory with a name, in listing and start', async () => {
    verifies('JOBS-X.1');
    const [project, other] = [newProject(), newProject()];
    writeJob(project, 'twin', { a: {} }, { main: ['a'] }, { summary: 'The near one' });
    writeJob(other, 'twin', { a: {} }, { main: ['a'] }, { summary: 'The far one' });
    writeJob(project, 'deepwork_jobs', { a: {} }, { main: ['a'] }, { summary: 'Our own' });
    const server = await connect(project.root, { env: folders(jobFolder(other)) });
    const { jobs } = await server.ok('get_workflows');
    expect(jobs.map(({ name, summary }: Named & { summary: string }) => [name, summary])).toEqual([
      ['deepwork_jobs', 'Our own'],
      ['twin', 'The near one'],
    ]);
    const { begin_step } = await server.ok('start_workflow', start('twin'));
    expect(begin_step.job_dir).toBe(jobFolder(project, 'twin'));
  });

  test('lets a broken job hide later ones with its name, in listing and start', async () => {
    verifies('JOBS-X.1', 'JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
    const [project, other] = [newProject(), newProject()];
    project.write('.deepwork/jobs/twin/job.yml', 'name: something_else\n');
    writeJob(other, 'twin', { a: {} }, { main: ['a'] });
    writeJob(other, 'sound', { a: {} }, { main: ['a'] });
    const server = await connect(project.root, { env: folders(jobFolder(other)) });

    const { jobs, errors } = await server.ok('get_workflows');
    expect(own(jobs)).toEqual(['sound']);
    expect(errors).toHaveLength(1);
    expect(Object.keys(errors[0]).sort()).toEqual(['error', 'job_dir', 'job_name']);
    expect(errors[0]).toMatchObject({ job_name: 'twin', job_dir: jobFolder(project, 'twin') });

    const refused = readRefusal(await server.call('start_workflow', start('twin')));
    expect(refused.code).toBe('job_invalid');
    expect(refused.message).toBe(`Failed to parse job 'twin': ${errors[0].error}`);
  });

  test('warns of a name that differs from its directory, and lists the job', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.3');
    const project = newProject();
    const job_dir = writeJob(
      project,
      'folder',
      { a: {}, spare: {} },
      { main: ['a'] },
      { name: 'declared' },
    );
    writeJob(project, 'idle', { a: {} }, {});
    const server = await connect(project.root);
    const { jobs, errors, warnings } = await server.ok('get_workflows');
    expect(own(jobs)).toEqual(['declared', 'idle']);
    expect(errors).toEqual([]);
    expect(warnings).toHaveLength(3);
    const at = String.raw` \(line \d+, column \d+\)$`;
    expect(warnings[0]).toEqual({
      job_name: 'declared',
      job_dir,
      warning: expect.stringMatching(`^Job name 'declared' differs from directory 'folder'${at}`),
    });
    expect(warnings[1]).toMatchObject({
      job_name: 'declared',
      warning: expect.stringMatching(/'spare'.*no workflow/),
    });
    expect(warnings[2]).toMatchObject({
      job_name: 'idle',
      warning: expect.stringMatching(/no workflows/),
    });
  });
});
