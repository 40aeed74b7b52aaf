// get_workflows: what can be started here, from every folder with jobs.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../verifies.ts';

type Named = { name: string };

const own = (jobs: Named[]) =>
  jobs.map(({ name }) => name).filter((name) => name !== 'deepwork_jobs');
const jobFolder = (project: Project, name = '') => path.join(project.path('.deepwork/jobs'), name);
const folders = (...parts: string[]) => ({
  DEEPWORK_ADDITIONAL_JOBS_FOLDERS: parts.join(path.delimiter),
});
const start = (job_name: string) => ({ goal: 'Try it', job_name, workflow_name: 'main' });
const MAIN = { main: ['a'] };

test('jobs are listed with their workflows, and no parameter is taken', async () => {
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
  const server = await connect(project.root);

  const { tools } = await server.client.listTools();
  const tool = tools.find(({ name }) => name === 'get_workflows');
  expect(tool?.inputSchema.properties ?? {}).toEqual({});
  expect(tool?.annotations?.readOnlyHint).toBe(true);
  expect(await refusal(server, 'get_workflows', { job_name: 'zoo' })).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('job_name'),
  });

  const { structuredContent } = await server.client.callTool({ name: 'get_workflows' });
  expect(structuredContent).toEqual({
    jobs: [
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
      expect.objectContaining({ name: 'deepwork_jobs' }),
    ],
    errors: [],
    warnings: [],
    stack: [],
  });
});

test('every call sees the jobs as they are', async () => {
  verifies('JOBS-REQ-001.2.3', 'JOBS-REQ-001.2.6');
  const project = newProject();
  const server = await connect(project.root);
  const listed = async () => {
    const { jobs, errors } = await server.ok('get_workflows');
    return { jobs: own(jobs), errors: errors.map((each: { job_name: string }) => each.job_name) };
  };
  expect(await listed()).toEqual({ jobs: [], errors: [] });
  writeJob(project, 'demo', { a: {} }, MAIN);
  expect(await listed()).toEqual({ jobs: ['demo'], errors: [] });
  rmSync(jobFolder(project, 'demo/steps/a.md'));
  expect(await listed()).toEqual({ jobs: [], errors: ['demo'] });
  writeJob(project, 'demo', { a: {} }, { other: ['a'] });
  const { jobs } = await server.ok('get_workflows');
  expect(jobs[0].workflows).toMatchObject([{ name: 'other' }]);
  rmSync(jobFolder(project, 'demo'), { recursive: true });
  expect(await listed()).toEqual({ jobs: [], errors: [] });
});

test('jobs of the project come first, then the bundled ones, then the folders of the environment', async () => {
  verifies('JOBS-REQ-001.2.8', 'JOBS-X.1', 'JOBS-X.2');
  const [project, one, two] = [newProject(), newProject(), newProject()];
  writeJob(project, 'mine', { a: {} }, MAIN);
  writeJob(project, 'twin', { a: {} }, MAIN, { summary: 'The near one' });
  writeJob(one, 'from_one', { a: {} }, MAIN);
  writeJob(two, 'from_two', { a: {} }, MAIN);
  writeJob(two, 'twin', { a: {} }, MAIN, { summary: 'The far one' });
  const named = ['', `  ${jobFolder(two)}\t`, '   ', project.path('missing'), `${jobFolder(one)} `];
  const server = await connect(project.root, { env: folders(...named) });
  const { jobs, errors } = await server.ok('get_workflows');
  expect(jobs.map(({ name }: Named) => name)).toEqual([
    'mine',
    'twin',
    'deepwork_jobs',
    'from_two',
    'from_one',
  ]);
  expect(jobs[1].summary).toBe('The near one');
  expect(errors, 'blank and missing folders are no errors').toEqual([]);
  for (const [name, home] of [
    ['from_one', one],
    ['twin', project],
  ] as const) {
    const { begin_step } = await server.ok('start_workflow', start(name));
    expect(begin_step.job_dir).toBe(jobFolder(home, name));
  }
});

test('a broken job hides later ones with its name, in listing and start', async () => {
  verifies('JOBS-X.1', 'JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
  const [project, other] = [newProject(), newProject()];
  project.write('.deepwork/jobs/twin/job.yml', 'name: something_else\n');
  writeJob(other, 'twin', { a: {} }, MAIN);
  writeJob(other, 'sound', { a: {} }, MAIN);
  const server = await connect(project.root, { env: folders(jobFolder(other)) });
  const { jobs, errors } = await server.ok('get_workflows');
  expect(own(jobs)).toEqual(['sound']);
  expect(errors).toEqual([
    { job_name: 'twin', job_dir: jobFolder(project, 'twin'), error: expect.any(String) },
  ]);
  const refused = await refusal(server, 'start_workflow', start('twin'));
  expect(refused.code).toBe('job_invalid');
  expect(refused.message).toContain(errors[0].error);
});
