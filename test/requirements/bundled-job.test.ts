// The bundled job, the texts that it gives to agents, and the example: what is shipped has to work
// as it is.

import { chmodSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { beyondNesting } from '../support/answers.ts';
import { newClient } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { BINARY, connect } from '../support/connect.ts';
import { SOUND } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundled = path.join(root, 'standard_jobs', 'deepwork_jobs');
const example = path.join(root, 'examples', 'quickstart');
const worked = path.join(bundled, 'worked_example', 'bug_fix');
const reference = readFileSync(path.join(bundled, 'job_yml_reference.md'), 'utf8');

test('the bundled job is listed without a warning, and each workflow starts', async () => {
  verifies('JOBS-REQ-001.2.8', 'JOBS-REQ-001.3.10');
  const server = await connect(newProject().root);
  const { jobs, errors, warnings } = await server.ok('get_workflows');
  expect([errors, warnings]).toEqual([[], []]);
  const job = jobs.find(({ name }: { name: string }) => name === 'deepwork_jobs');
  expect(job.workflows.length).toBeGreaterThan(0);
  for (const { name } of job.workflows) {
    const start = { goal: 'A job for releases', job_name: job.name, workflow_name: name };
    const begun = await server.ok('start_workflow', start);
    const { job_dir, step_instructions, step_expected_outputs } = begun.begin_step;
    expect(job_dir).toBe(bundled);
    expect(step_instructions.length).toBeGreaterThan(200);
    expect(step_expected_outputs.length).toBeGreaterThan(0);
    // Inputs that the agent has to provide are announced; there are no other warnings.
    const announced = /is not set in `context`/;
    expect(beyondNesting(begun.warnings).filter((text) => !announced.test(text))).toEqual([]);
  }
});

test('the bundled job does not accept a job that does not load, and needs no trust for that', async () => {
  verifies('JOBS-X.9');
  const project = newProject();
  // `deepwork` is not on the PATH here, and no one has trusted the project.
  const env = { PATH: '/usr/bin:/bin', HOME: project.path('home') };
  const agent = await connect(project.root, { args: ['--no-quality-gate'], env });
  const start = { goal: 'A job', job_name: 'deepwork_jobs', workflow_name: 'new_job' };
  await agent.ok('start_workflow', start);
  const dir = '.deepwork/jobs/sample';
  const file = `${dir}/job.yml`;
  const paper = (name: string, text: string) => {
    project.write(`${dir}/about/${name}`, text);
    return { [name]: `${dir}/about/${name}` };
  };
  const hand = (outputs: object, more: object = {}) =>
    agent.ok('finished_step', { outputs, ...more });
  await hand(paper('brief.md', '## Last time\n## Done means\n## What goes wrong\n'));
  await hand(paper('design.md', 'Steps\n'));

  const definition = { 'job.yml': file };
  project.write(file, SOUND.replace('summary:', 'sumary:'));
  const misspelt = await hand(definition);
  expect(misspelt).toMatchObject({ status: 'needs_work', failed_reviews: null });
  const place = expect.stringMatching(/^\.deepwork\/jobs\/sample\/job\.yml:\d+:1: .*'summary'/);
  expect(misspelt.failed_criteria).toMatchObject([{ criterion: place }]);
  project.write(file, SOUND);
  expect(await hand(definition)).toMatchObject({ status: 'next_step' });

  const files = ['steps/first.md', 'steps/second.md'];
  const written = { instruction_files: [`${dir}/${files[0]}`] };
  project.write(`${dir}/${files[0]}`, 'Do it.\n');
  const half = await hand(written);
  expect(half).toMatchObject({ status: 'needs_work' });
  expect(half.feedback).toContain('steps/second.md');
  const asked = await agent.ok('validate_step_outputs', { outputs: written });
  expect(asked).toMatchObject({ valid: false });
  const forced = await hand(written, { quality_review_override_reason: 'It is good enough' });
  expect(forced.status).toBe('needs_work');
  project.write(`${dir}/${files[1]}`, 'Do it.\n');
  const whole = await hand({ instruction_files: files.map((each) => `${dir}/${each}`) });
  expect(whole).toMatchObject({ status: 'next_step', begin_step: { step_id: 'try_out' } });
  await hand(paper('trial.md', 'It ran\n'));

  const changes = paper('changes.md', 'Nothing\n');
  project.write(file, `${SOUND}\nsurplus: 1\n`);
  expect(await hand({ ...definition, ...changes })).toMatchObject({ status: 'needs_work' });
  project.write('job.yml', SOUND);
  const elsewhere = await hand({ 'job.yml': 'job.yml', ...changes });
  expect(elsewhere).toMatchObject({ status: 'needs_work' });
  project.write(file, SOUND);
  const { status } = await hand({ ...definition, ...changes });
  expect(status).toBe('workflow_complete');
  const { jobs } = await agent.ok('get_workflows');
  expect(jobs).toContainEqual(expect.objectContaining({ name: 'sample' }));
});

test('the worked example and the quickstart load without a warning', async () => {
  verifies('JOBS-X.3');
  for (const place of [worked, example]) {
    const { code, stdout } = await command(['lint', place], { cwd: root });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^1 job .* 0 problems, 0 warnings\n/),
    ]);
  }
});

test('the reference explains the worked example value for value', () => {
  verifies('JOBS-X.3');
  const section = reference.split(/^## /m).find((part) => part.startsWith('Annotated definition'));
  const [, annotated = ''] = /^```\w*\n(.*?)^```/ms.exec(section ?? '') ?? [];
  expect(parse(annotated)).toMatchObject({ name: 'bug_fix' });
  expect(parse(annotated)).toEqual(parse(readFileSync(path.join(worked, 'job.yml'), 'utf8')));
});

test('the quickstart is configured for clients as documented, and that works', async () => {
  verifies('JOBS-X.24');
  const config = JSON.parse(readFileSync(path.join(example, '.mcp.json'), 'utf8'));
  expect(config).toEqual({
    mcpServers: { deepwork: { command: 'deepwork', args: ['serve', '--path', '.'] } },
  });
  const project = newProject();
  cpSync(path.join(example, '.deepwork'), project.path('.deepwork'), { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`;
  chmodSync(project.write('bin/deepwork', script), 0o755);
  const client = newClient();
  onTestFinished(() => client.close());
  const env = { PATH: `${project.path('bin')}${path.delimiter}${process.env.PATH}` };
  const { deepwork } = config.mcpServers;
  const how = { cwd: project.root, env, stderr: 'ignore' } as const;
  await client.connect(new StdioClientTransport({ ...deepwork, ...how }));
  const { structuredContent } = await client.callTool({ name: 'get_workflows' });
  const jobs = [{ name: 'release_notes' }, { name: 'deepwork_jobs' }];
  expect(structuredContent).toMatchObject({ jobs });
});
