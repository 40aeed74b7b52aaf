// The bundled job, the texts that it gives to agents, and the example: what is shipped has to work
// as it is.

import { chmodSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { beyondNesting } from '../support/answers.ts';
import { ERAS, newClient } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { BINARY, connect } from '../support/connect.ts';
import { SOUND } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundled = path.join(root, 'standard_jobs', 'deepwork_jobs');
const example = path.join(root, 'examples', 'quickstart');

describe('the bundled job', () => {
  test.each(ERAS)('is listed without a warning, and each workflow starts (%s)', async (era) => {
    verifies('JOBS-REQ-001.2.8', 'JOBS-REQ-001.3.10');
    const server = await connect(newProject().root, { era });
    const { jobs, errors, warnings } = await server.ok('get_workflows');
    expect([errors, warnings]).toEqual([[], []]);
    const job = jobs.find(({ name }: { name: string }) => name === 'deepwork_jobs');
    expect(job.workflows.length).toBeGreaterThan(0);
    for (const workflow of job.workflows) {
      const start = {
        goal: 'A job for releases',
        job_name: job.name,
        workflow_name: workflow.name,
      };
      const { begin_step, warnings: trouble } = await server.ok('start_workflow', start);
      expect(begin_step.job_dir).toBe(bundled);
      expect(begin_step.step_instructions.length).toBeGreaterThan(200);
      expect(begin_step.step_expected_outputs.length).toBeGreaterThan(0);
      // Inputs that the agent has to provide are announced; there are no other warnings.
      const said = beyondNesting(trouble).filter(
        (text) => !text.includes('is not set in `context`'),
      );
      expect(said).toEqual([]);
    }
  });

  test('does not accept a job that does not load, and needs no trust for that', async () => {
    verifies('JOBS-X.9');
    const project = newProject();
    // `deepwork` is not on the PATH here, and no one has trusted the project.
    const env = { PATH: '/usr/bin:/bin', HOME: project.path('home') };
    const agent = await connect(project.root, { args: ['--no-quality-gate'], env });
    const start = { goal: 'A job', job_name: 'deepwork_jobs', workflow_name: 'new_job' };
    await agent.ok('start_workflow', start);
    const dir = '.deepwork/jobs/sample';
    const paper = (name: string, text: string) => {
      project.write(`${dir}/about/${name}`, text);
      return { [name]: `${dir}/about/${name}` };
    };
    const hand = (outputs: object) => agent.ok('finished_step', { outputs });
    await hand(paper('brief.md', '## Last time\n## Done means\n## What goes wrong\n'));
    await hand(paper('design.md', 'Steps\n'));

    const definition = { 'job.yml': `${dir}/job.yml` };
    const file = path.join(dir, 'job.yml');
    project.write(file, SOUND.replace('summary:', 'sumary:'));
    const misspelt = await hand(definition);
    expect(misspelt).toMatchObject({ status: 'needs_work', failed_reviews: null });
    expect(misspelt.failed_criteria.map((each: { criterion: string }) => each.criterion)).toEqual([
      expect.stringMatching(
        /^\.deepwork\/jobs\/sample\/job\.yml:\d+:1: .*did you mean 'summary'\?/,
      ),
    ]);
    project.write(file, SOUND);
    expect(await hand(definition)).toMatchObject({ status: 'next_step' });

    const files = ['steps/first.md', 'steps/second.md'];
    const written = { instruction_files: [`${dir}/${files[0]}`] };
    project.write(`${dir}/${files[0]}`, 'Do it.\n');
    const half = await hand(written);
    expect(half).toMatchObject({ status: 'needs_work' });
    expect(half.feedback).toContain('Instructions file not found: steps/second.md');
    const asked = await agent.ok('validate_step_outputs', { outputs: written });
    expect(asked).toMatchObject({ valid: false });
    const forced = await agent.ok('finished_step', {
      outputs: written,
      quality_review_override_reason: 'It is good enough',
    });
    expect(forced.status).toBe('needs_work');
    project.write(`${dir}/${files[1]}`, 'Do it.\n');
    expect(await hand({ instruction_files: files.map((each) => `${dir}/${each}`) })).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'try_out' },
    });
    await hand(paper('trial.md', 'It ran\n'));

    const changes = paper('changes.md', 'Nothing\n');
    project.write(file, `${SOUND}\nsurplus: 1\n`);
    expect(await hand({ ...definition, ...changes })).toMatchObject({ status: 'needs_work' });
    project.write('job.yml', SOUND);
    const elsewhere = await hand({ 'job.yml': 'job.yml', ...changes });
    expect(elsewhere.feedback).toContain('job.yml is not found as a job');
    project.write(file, SOUND);
    expect(await hand({ ...definition, ...changes })).toMatchObject({
      status: 'workflow_complete',
    });
    const { jobs } = await agent.ok('get_workflows');
    expect(jobs.map(({ name }: { name: string }) => name)).toContain('sample');
  });

  test('ships a worked example that loads without a warning', async () => {
    verifies('JOBS-X.3');
    const place = path.join(bundled, 'worked_example', 'bug_fix');
    const { code, stdout } = await command(['lint', place], { cwd: root });
    expect([code, stdout]).toEqual([0, '1 job and 0 guides checked: 0 problems, 0 warnings\n']);
  });

  test('explains that example in its reference, value for value', () => {
    verifies('JOBS-X.3');
    const reference = readFileSync(path.join(bundled, 'job_yml_reference.md'), 'utf8');
    const section = reference
      .split(/^## /m)
      .find((part) => part.startsWith('Annotated definition'));
    const [, annotated = ''] = /^```\w*\n(.*?)^```/ms.exec(section ?? '') ?? [];
    const worked = readFileSync(path.join(bundled, 'worked_example/bug_fix/job.yml'), 'utf8');
    expect(parse(annotated)).toMatchObject({ name: 'bug_fix' });
    expect(parse(annotated)).toEqual(parse(worked));
  });

  test('quotes in its reference what deepwork says', () => {
    verifies('JOBS-X.3');
    const reference = readFileSync(path.join(bundled, 'job_yml_reference.md'), 'utf8');
    const messages = [
      "Step 's' depends on non-existent step 'd'",
      "Circular dependency detected involving step 's'",
      "Step 's' references non-existent step 'x' in file input",
      "Step 's' has file input from 'x' but 'x' is not in dependencies",
      "Step 's' has file input 'f' but 'x' has no such output",
      "Duplicate workflow name: 'w'",
      "Duplicate step id: 's'",
      "Workflow 'w' references non-existent step 's'",
      "Workflow 'w' contains duplicate step 's'",
      "Workflow 'w' runs 's' before its dependency 'd'",
      "Workflow 'w' lacks 'd', a dependency of 's'",
      "Step 's' has an output named 'step'",
      "Step 's' has checks, and its outputs 'a.b' and 'a_b' would both be DEEPWORK_OUTPUT_A_B",
      'Missing required inputs: a',
      'Missing required reports: a',
    ];
    expect(messages.filter((message) => !reference.includes(`\`${message}\``))).toEqual([]);
  });
});

describe('the quickstart', () => {
  test('has a job without a problem', async () => {
    verifies('JOBS-X.3');
    const { code, stdout } = await command(['lint', example], { cwd: root });
    expect([code, stdout]).toEqual([0, '1 job and 0 guides checked: 0 problems, 0 warnings\n']);
  });

  test('is configured for clients as documented, and that works', async () => {
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
    const PATH = `${project.path('bin')}${path.delimiter}${process.env.PATH}`;
    await client.connect(
      new StdioClientTransport({
        ...config.mcpServers.deepwork,
        cwd: project.root,
        env: { PATH },
        stderr: 'ignore',
      }),
    );
    const { structuredContent } = await client.callTool({ name: 'get_workflows' });
    const { jobs } = structuredContent as { jobs: { name: string }[] };
    expect(jobs.map(({ name }) => name)).toEqual(['release_notes', 'deepwork_jobs']);
  });
});
