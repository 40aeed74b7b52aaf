// The library: a server from `createServer`, connected to the user's own transport.

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectInMemory, importLibrary } from '../support/in-memory.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { viewFile } from '../support/saved.ts';
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

test('createServer, also called create_server, gives a server named deepwork until it is closed', async () => {
  verifies('JOBS-REQ-001.1.1', 'JOBS-REQ-001.1.10');
  const library = await importLibrary();
  expect(library.create_server).toBe(library.createServer);
  const server = await connectInMemory({ projectRoot: projectWithReview().root });
  expect(server.client.getServerVersion()?.name).toBe('deepwork');
  // No bundled jobs unless they are requested.
  const { jobs } = await server.ok('get_workflows');
  expect(jobs).toMatchObject([{ name: 'demo' }]);
  await server.close();
  await expect(server.client.callTool({ name: 'get_workflows' })).rejects.toThrow();
});

test('it leaves no temporary file and no open file behind when its server is closed', async () => {
  verifies('JOBS-REQ-001.1.1');
  const project = projectWithReview();
  const server = await connectInMemory({ projectRoot: project.root });
  await server.ok('start_workflow', START);
  await server.call('update_workflow_state', { status: 'working', task: 'x', addProgress: 'y' });
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

test('it waits for no call when it is closed, although an id was used again at once', async () => {
  const { createServer, stdioTransport } = await importLibrary();
  const server = createServer({ projectRoot: newProject().root, log: null });
  const [input, output] = [new PassThrough(), new PassThrough()];
  await server.connect(stdioTransport(input, output));
  for (const each of [initialize('hello'), ...Array(3).fill(request('again', 'ping'))]) {
    const answered = new Promise((resolve) => output.once('data', resolve));
    input.write(`${JSON.stringify(each)}\n`);
    await answered;
  }
  // It gives a call that is still running two seconds, which never pass here.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await server.close();
});

test('a project root may be relative, and two servers in one process are separate', async () => {
  verifies('JOBS-REQ-001.1.1', 'JOBS-REQ-001.1.2');
  const [project, other] = [projectWithReview(), projectWithReview()];
  const projectRoot = path.relative(process.cwd(), project.root);
  expect(path.isAbsolute(projectRoot)).toBe(false);
  const first = await connectInMemory({ projectRoot });
  const second = await connectInMemory({ projectRoot: other.root });
  const { begin_step } = await first.ok('start_workflow', START);
  expect(begin_step.job_dir).toBe(project.path('.deepwork/jobs/demo'));
  expect(existsSync(project.path(viewFile(begin_step.session_id)))).toBe(true);
  expect(await second.ok('get_active_workflow')).toMatchObject({ active: false, stack: [] });
});

const REVIEWER = 'quality_gate: {agent_review_command: touch reviewed}\n';

test.each([
  ['', {}, 'self_review'],
  ['', { enableQualityGate: true, externalRunner: null }, 'self_review'],
  ['', { enableQualityGate: false }, null],
  [REVIEWER, { externalRunner: null }, 'self_review'],
  [REVIEWER, { agentReviewCommand: null }, 'self_review'],
  [REVIEWER, { externalRunner: null, agentReviewCommand: null }, 'self_review'],
])('the options of the gate beat config.yml: %j %j', async (config, options, reason) => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.3', 'JOBS-REQ-001.1.6');
  verifies('JOBS-REQ-001.1.8', 'JOBS-REQ-001.1.9');
  const project = projectWithReview();
  project.write('.deepwork/config.yml', `git: {branch: off}\n${config}`);
  const env = { DEEPWORK_TRUST: '1' };
  const { ok } = await connectInMemory({ projectRoot: project.root, ...options }, { env });
  const { session_id } = (await ok('start_workflow', START)).begin_step;
  const answer = await ok('finished_step', FINISH);
  expect(answer).toMatchObject({ reason, failed_reviews: null });
  const file = `.deepwork/tmp/quality_review_${session_id}_a.md`;
  expect(existsSync(project.path(file))).toBe(reason !== null);
  expect(existsSync(project.path('reviewed'))).toBe(false);
});

test('jobs of a standard folder are listed, and git.branch can be overridden', async () => {
  verifies('JOBS-REQ-001.2.8', 'JOBS-X.24');
  const [project, other] = [newProject(), projectWithReview()];
  const repository = newRepository(project.root);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  const { ok } = await connectInMemory({
    projectRoot: project.root,
    standardJobsDir: other.path('.deepwork/jobs'),
    gitBranch: 'create',
  });
  expect((await ok('get_workflows')).jobs).toMatchObject([{ name: 'demo' }]);
  const { begin_step } = await ok('start_workflow', START);
  expect(repository.branches()).toEqual([begin_step.branch_name]);
});
