// Each flag of `deepwork serve` and each key of `.deepwork/config.yml`, by its effect.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { newClient } from '../support/calls.ts';
import { BINARY, connect, connectToProcess } from '../support/connect.ts';
import { post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { refusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
const FINISH = { outputs: { report: 'report.md' } };

/** One step whose output has a rule and a review. */
function projectWithReview(): Project {
  const project = newProject({ 'report.md': 'All done\n', 'draft.md': 'Not yet\n' });
  const rules = [{ type: 'contains', value: 'done', message: 'Say that it is done.' }];
  const report = { type: 'file', description: 'A report', required: true, rules };
  const steps = { a: { outputs: { report }, reviews: [REVIEW] }, b: {} };
  writeJob(project, 'demo', steps, { main: ['a', 'b'] });
  return project;
}

test('--path is the current directory by default, and may be relative or absolute', async () => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.2');
  /** Without the help of `connect`, which names the path. */
  const jobsSeen = async (cwd: string, ...args: string[]) => {
    const client = newClient();
    onTestFinished(() => client.close());
    const command = { command: process.execPath, args: [BINARY, 'serve', ...args] };
    await client.connect(new StdioClientTransport({ ...command, cwd, stderr: 'ignore' }));
    const { structuredContent } = await client.callTool({ name: 'get_workflows' });
    const { jobs } = structuredContent as { jobs: { name: string }[] };
    return jobs.map(({ name }) => name).filter((name) => name !== 'deepwork_jobs');
  };
  const { root } = projectWithReview();
  const below = path.join(root, 'sub');
  mkdirSync(below);
  const elsewhere = path.dirname(root);
  for (const [cwd, ...args] of [
    [root],
    [below, '--path', '..'],
    [elsewhere, `--path=${root}`],
  ] as const) {
    expect(await jobsSeen(cwd, ...args)).toEqual(['demo']);
  }
  expect(await jobsSeen(newProject().root)).toEqual([]);
});

test('--no-quality-gate overrides a command, on the command line and in config.yml', async () => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.9');
  const project = projectWithReview();
  const command = 'no-such-reviewer';
  project.write(
    '.deepwork/config.yml',
    `git: {branch: off}\nquality_gate: {agent_review_command: ${command}}\n`,
  );
  const args = ['--quality-gate', command, '--external-runner', 'claude', '--no-quality-gate'];
  const server = await connectToProcess(project.root, { args });
  await server.ok('start_workflow', START);
  // Rules still apply.
  const rules = await server.ok('finished_step', { outputs: { report: 'draft.md' } });
  expect(rules).toMatchObject({ reason: 'rules', failed_criteria: [{ passed: false }] });
  expect((await server.ok('finished_step', FINISH)).status).toBe('next_step');
  // These change nothing.
  const platform = await connect(project.root, {
    args: ['--transport', 'stdio', '--platform', 'x'],
  });
  expect((await platform.ok('get_workflows')).jobs).not.toEqual([]);
});

test('config.yml is optional, and keys of other tools are accepted; an invalid one is reported', async () => {
  verifies('JOBS-X.24');
  const project = projectWithReview();
  const server = await connect(project.root);
  for (const text of [
    '',
    '# nothing\n',
    'version: "1.0"\nplatforms:\n  - claude\ngit: {branch: off}\n',
    'quality_gate:\n  default_timeout: 120\n  default_max_attempts: 3\n  max_parallel: 2\n  theirs: 1\ngit:\n  branch: off\n  theirs: 2\n',
  ]) {
    project.write('.deepwork/config.yml', text);
    expect((await server.ok('start_workflow', START)).begin_step.step_id, text).toBe('a');
  }
  // By key and place, and the server keeps running.
  for (const [text, named] of [
    ['git: {branch: sometimes}', 'git.branch: '],
    ['quality_gate: {default_max_attempts: 1.5}', 'quality_gate.default_max_attempts: '],
    ['git: {branch: off', 'line 1'],
    ['qualitygate: {}', "'quality_gate'"],
    [
      'quality_gate: {agent_review_command: cat | x}',
      "agent_review_command: is run without a shell: '|'",
    ],
    ['['.repeat(100_000), 'nested deeper'],
  ] as const) {
    project.write('.deepwork/config.yml', text);
    const { warnings } = await server.ok('get_workflows');
    expect(warnings[0], text.slice(0, 80)).toEqual({
      job_name: null,
      job_dir: null,
      warning: expect.stringMatching(/^\.deepwork\/config\.yml: .* \(line \d+, column \d+\)$/),
    });
    expect(warnings[0].warning).toContain(named);
    expect((await server.ok('start_workflow', START)).begin_step.step_id).toBe('a');
  }
  project.write('.deepwork/config.yml', 'git: {branch: off}\n');
  expect((await server.ok('get_workflows')).warnings).toEqual([]);
  // One that cannot be read may say where the journal is, so nothing is recorded elsewhere.
  project.write('.deepwork/config.yml', '#'.repeat(2 * 1024 * 1024));
  const next = await connect(project.root);
  expect((await refusal(next, 'start_workflow', START)).code).toBe('config_invalid');
});

test('problems of config.yml and GOAL.md are reported on stderr, once', async () => {
  verifies('JOBS-X.24');
  const project = projectWithReview();
  project.write('.deepwork/config.yml', 'team: {toekns: true}\n');
  project.write('GOAL.md', '---\nmodls: {}\n---\n');
  const { url, log } = await serveHttpInProcess(project.root);
  const lines = () =>
    log()
      .split('\n')
      .filter((line) => /toekns|modls/.test(line));
  await until(() => lines().length >= 2);
  await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'workflow_list' });
  expect(lines()).toEqual([
    expect.stringMatching(/config\.yml.*'tokens'.*\(line 1, column 8\)$/),
    expect.stringMatching(/GOAL\.md.*'models'.*\(line 2, column 1\)$/),
  ]);
});
