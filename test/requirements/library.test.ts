// The library: a server from `createServer`, connected to the user's own transport.

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ERAS, newClient } from '../support/calls.ts';
import { connectInMemory, importLibrary } from '../support/in-memory.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { initialize, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';

function projectWithReview(): Project {
  const project = newProject({ 'report.md': 'A report\n' });
  const outputs = { report: 'file' };
  writeJob(project, 'demo', { a: { outputs, reviews: [REVIEW] }, b: {} }, { main: ['a', 'b'] });
  return project;
}

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
const FINISH = { outputs: { report: 'report.md' } };

describe('createServer', () => {
  test('gives a server that is named deepwork and has the tools', async () => {
    verifies('JOBS-REQ-001.1.1', 'JOBS-REQ-001.1.10');
    const { client, ok } = await connectInMemory({ projectRoot: projectWithReview().root });
    expect(client.getServerVersion()?.name).toBe('deepwork');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('start_workflow');
    const { jobs } = await ok('get_workflows');
    // No bundled jobs unless they are requested.
    expect(jobs.map(({ name }: { name: string }) => name)).toEqual(['demo']);
  });

  test('leaves no temporary file and no open file behind when its server is closed', async () => {
    const project = projectWithReview();
    const server = await connectInMemory({ projectRoot: project.root });
    await server.ok('start_workflow', START);
    await server.call('update_workflow_state', {
      status: 'working',
      task: 'Trying',
      addProgress: 'Begun',
    });
    await server.close();
    const heldOpen = () =>
      readdirSync('/proc/self/fd').filter((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`).startsWith(project.root);
        } catch {
          return false;
        }
      });
    const files = readdirSync(project.root, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.endsWith('.tmp'))).toEqual([]);
    expect(files).toContain('.sgai/state.json');
    await expect.poll(heldOpen).toEqual([]);
  });

  test('waits for no call when it is closed, although an id was used again at once', async () => {
    const { createServer, stdioTransport } = await importLibrary();
    const server = createServer({ projectRoot: newProject().root, log: null });
    const [input, output] = [new PassThrough(), new PassThrough()];
    await server.connect(stdioTransport(input, output));
    const requests = [initialize('hello'), ...Array(3).fill(request('again', 'ping'))];
    for (const each of requests) {
      const answered = new Promise((resolve) => output.once('data', resolve));
      input.write(`${JSON.stringify(each)}\n`);
      await answered;
    }
    // It gives a call that is still running two seconds, which never pass here.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await server.close();
  });

  test('is also called create_server', async () => {
    verifies('JOBS-REQ-001.1.1');
    const library = await importLibrary();
    expect(library.create_server).toBe(library.createServer);
  });

  test('takes a relative project root and makes it absolute', async () => {
    verifies('JOBS-REQ-001.1.2');
    const project = projectWithReview();
    const projectRoot = path.relative(process.cwd(), project.root);
    expect(path.isAbsolute(projectRoot)).toBe(false);
    const { ok } = await connectInMemory({ projectRoot });
    const { begin_step } = await ok('start_workflow', START);
    expect(begin_step.job_dir).toBe(project.path('.deepwork/jobs/demo'));
    expect(existsSync(project.path(`.deepwork/tmp/session_${begin_step.session_id}.json`))).toBe(
      true,
    );
  });

  test.each([
    ['by default', {}],
    [
      'when the gate is on and there is no runner',
      { enableQualityGate: true, externalRunner: null },
    ],
  ])('asks for a self-review %s', async (_when, options) => {
    verifies('JOBS-REQ-001.1.3', 'JOBS-REQ-001.1.6', 'JOBS-REQ-001.1.8');
    const project = projectWithReview();
    const { ok } = await connectInMemory({ projectRoot: project.root, ...options });
    const { begin_step } = await ok('start_workflow', START);
    const answer = await ok('finished_step', FINISH);
    const file = `.deepwork/tmp/quality_review_${begin_step.session_id}_a.md`;
    expect(answer).toMatchObject({ status: 'needs_work', failed_reviews: null });
    expect(answer.feedback).toContain(file);
    expect(existsSync(project.path(file))).toBe(true);
  });

  test.each([
    { externalRunner: null, agentReviewCommand: null },
    { externalRunner: null },
    { agentReviewCommand: null },
  ])('runs no reviewer of config.yml when its options are %j', async (options) => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.6');
    const project = projectWithReview();
    project.write('.deepwork/config.yml', 'quality_gate: {agent_review_command: touch reviewed}\n');
    const env = { DEEPWORK_TRUST: '1' };
    const { ok } = await connectInMemory({ projectRoot: project.root, ...options }, { env });
    await ok('start_workflow', START);
    expect(await ok('finished_step', FINISH)).toMatchObject({ reason: 'self_review' });
    expect(existsSync(project.path('reviewed'))).toBe(false);
  });

  test('asks for no review when the gate is off', async () => {
    verifies('JOBS-REQ-001.1.3', 'JOBS-REQ-001.1.9');
    const project = projectWithReview();
    const { ok } = await connectInMemory({ projectRoot: project.root, enableQualityGate: false });
    const { begin_step } = await ok('start_workflow', START);
    expect(await ok('finished_step', FINISH)).toMatchObject({ status: 'next_step' });
    const file = `.deepwork/tmp/quality_review_${begin_step.session_id}_a.md`;
    expect(existsSync(project.path(file))).toBe(false);
  });

  test('lists jobs of the standard folder that it is given', async () => {
    verifies('JOBS-REQ-001.1.1', 'JOBS-REQ-001.2.8');
    const project = newProject();
    const other = newProject();
    writeJob(other, 'shared', { a: {} }, { main: ['a'] });
    const { ok } = await connectInMemory({
      projectRoot: project.root,
      standardJobsDir: other.path('.deepwork/jobs'),
    });
    const { jobs } = await ok('get_workflows');
    expect(jobs.map(({ name }: { name: string }) => name)).toEqual(['shared']);
  });

  test('lets its option override git.branch of config.yml', async () => {
    verifies('JOBS-REQ-001.1.2', 'JOBS-X.24');
    const project = projectWithReview();
    const repository = newRepository(project.root);
    repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
    const { ok } = await connectInMemory({ projectRoot: project.root, gitBranch: 'create' });
    const { begin_step } = await ok('start_workflow', START);
    expect(repository.branches()).toEqual([begin_step.branch_name]);
  });

  test('keeps two servers in one process separate', async () => {
    verifies('JOBS-REQ-001.1.1', 'JOBS-REQ-001.1.2');
    const [one, other] = [projectWithReview(), projectWithReview()];
    const first = await connectInMemory({ projectRoot: one.root });
    const second = await connectInMemory({ projectRoot: other.root });
    const { begin_step } = await first.ok('start_workflow', START);
    expect(begin_step.job_dir.startsWith(one.root)).toBe(true);
    expect(await second.ok('get_active_workflow')).toMatchObject({ active: false, stack: [] });
  });

  test.each(ERAS)('has an in-memory transport that an MCP client can use (%s)', async (era) => {
    verifies('JOBS-REQ-001.1.1');
    const { createServer, memoryTransport } = await importLibrary();
    const server = createServer({ projectRoot: projectWithReview().root, log: null });
    const [ours, theirs] = memoryTransport();
    await server.connect(theirs);
    const client = newClient(era);
    await client.connect(ours as Parameters<typeof client.connect>[0]);
    const { structuredContent } = await client.callTool({ name: 'get_workflows', arguments: {} });
    expect(structuredContent).toMatchObject({ jobs: [{ name: 'demo' }] });
    await server.close();
    await expect(client.callTool({ name: 'get_workflows' })).rejects.toThrow();
  });
});
