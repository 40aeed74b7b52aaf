// Each flag of `deepwork serve` and each key of `.deepwork/config.yml`, by its effect.

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newClient } from '../support/calls.ts';
import { command } from '../support/command.ts';
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
  writeJob(
    project,
    'demo',
    { a: { outputs: { report }, reviews: [REVIEW] }, b: {} },
    { main: ['a', 'b'] },
  );
  return project;
}

describe('--path', () => {
  /** A server started in a folder, without the help of `connect`, which names the path. */
  async function jobsSeen(cwd: string, args: readonly string[]): Promise<string[]> {
    const client = newClient();
    onTestFinished(() => client.close());
    const command = { command: process.execPath, args: [BINARY, 'serve', ...args] };
    await client.connect(new StdioClientTransport({ ...command, cwd, stderr: 'ignore' }));
    const { structuredContent } = await client.callTool({ name: 'get_workflows' });
    const { jobs } = structuredContent as { jobs: { name: string }[] };
    return jobs.map(({ name }) => name).filter((name) => name !== 'deepwork_jobs');
  }

  test('is the current directory by default', async () => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.2');
    const project = projectWithReview();
    expect(await jobsSeen(project.root, [])).toEqual(['demo']);
    expect(await jobsSeen(newProject().root, [])).toEqual([]);
  });

  test('may be relative or absolute', async () => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.2');
    const project = projectWithReview();
    const below = project.path('sub');
    mkdirSync(below);
    expect(await jobsSeen(below, ['--path', '..'])).toEqual(['demo']);
    expect(await jobsSeen(path.dirname(project.root), [`--path=${project.root}`])).toEqual([
      'demo',
    ]);
  });

  test.each([
    ['does not exist', 'ghost'],
    ['is a file', 'report.md'],
  ])('is refused when it %s', async (_why, place) => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    const ran = await command(['serve', '--path', place], { cwd: project.root });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(place);
    expect(existsSync(project.path('ghost'))).toBe(false);
  });
});

describe('the quality gate', () => {
  test('asks for a self-review unless it is switched off', async () => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.8');
    const project = projectWithReview();
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    expect((await server.ok('finished_step', FINISH)).status).toBe('needs_work');
  });

  test('--no-quality-gate asks for no review, and rules still apply', async () => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.9');
    const project = projectWithReview();
    const server = await connect(project.root, { args: ['--no-quality-gate'] });
    await server.ok('start_workflow', START);
    expect(await server.ok('finished_step', { outputs: { report: 'draft.md' } })).toMatchObject({
      status: 'needs_work',
      failed_criteria: [{ criterion: 'Say that it is done.', passed: false }],
    });
    expect((await server.ok('finished_step', FINISH)).status).toBe('next_step');
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
    expect((await server.ok('finished_step', FINISH)).status).toBe('next_step');
  });

  test('--transport stdio and --platform change nothing', async () => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    const args = ['--transport', 'stdio', '--platform', 'claude'];
    const server = await connect(project.root, { args });
    await server.ok('start_workflow', START);
    expect((await server.ok('finished_step', FINISH)).status).toBe('needs_work');
  });
});

describe('config.yml', () => {
  test('is optional, and keys of other tools are accepted', async () => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    const server = await connect(project.root);
    const texts = [
      '',
      '# nothing\n',
      'version: "1.0"\nplatforms:\n  - claude\ngit: {branch: off}\n',
      'quality_gate:\n  default_timeout: 120\n  default_max_attempts: 3\n  max_parallel: 2\n  theirs: 1\ngit:\n  branch: off\n  theirs: 2\n',
    ];
    for (const text of texts) {
      project.write('.deepwork/config.yml', text);
      expect((await server.ok('start_workflow', START)).begin_step.step_id, text).toBe('a');
    }
  });

  test('that is invalid is reported by key and place, and the server keeps running', async () => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    const server = await connect(project.root);
    const wrong: [text: string, named: RegExp][] = [
      ['git: {branch: sometimes}', /git\.branch: .*create, checkout, off.* \(line 1, column 15\)/],
      ['git: {branch: [off]}', /git\.branch: /],
      ['git: true', /git: expected a map/],
      ['quality_gate: {default_timeout: soon}', /quality_gate\.default_timeout: /],
      ['quality_gate: {default_timeout: -1}', /quality_gate\.default_timeout: /],
      ['quality_gate: {default_max_attempts: 0}', /quality_gate\.default_max_attempts: /],
      ['quality_gate: {default_max_attempts: 1.5}', /quality_gate\.default_max_attempts: /],
      ['quality_gate: {max_parallel: many}', /quality_gate\.max_parallel: /],
      ['quality_gate: {agent_review_command: 7}', /quality_gate\.agent_review_command: /],
      ['quality_gate: strict', /quality_gate: expected a map/],
      ['- a list', /expected a map/],
      ['git: {branch: off', /cannot be read: .*line 1/],
      ['qualitygate: {}', /unknown key 'qualitygate'; did you mean 'quality_gate'\?/],
      [`a: &a [x]\nb: [${'*a, '.repeat(1000)}x]`, /more than 100 aliases/],
      ['['.repeat(100_000), /nested deeper/],
    ];
    for (const [text, named] of wrong) {
      project.write('.deepwork/config.yml', text);
      const { warnings } = await server.ok('get_workflows');
      expect(warnings[0], text.slice(0, 80)).toEqual({
        job_name: null,
        job_dir: null,
        warning: expect.stringMatching(/^\.deepwork\/config\.yml: .* \(line \d+, column \d+\)$/),
      });
      expect(warnings[0].warning).toMatch(named);
      expect((await server.ok('start_workflow', START)).begin_step.step_id).toBe('a');
    }
    project.write('.deepwork/config.yml', 'git: {branch: off}\n');
    expect((await server.ok('get_workflows')).warnings).toEqual([]);
  });

  test('and GOAL.md with problems are reported on stderr once', async () => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    project.write('.deepwork/config.yml', 'team: {toekns: true}\n');
    project.write('GOAL.md', '---\nmodls: {}\n---\n');
    const lines = [
      "deepwork: .deepwork/config.yml: team: unknown key 'toekns'; did you mean 'tokens'? (line 1, column 8)\n",
      "deepwork: GOAL.md: unknown key 'modls'; did you mean 'models'? (line 2, column 1)\n",
    ];
    const server = await serveHttpInProcess(project.root);
    await until(() => lines.every((line) => server.log().includes(line)));
    const call = { jsonrpc: '2.0', id: 1, method: 'workflow_list' };
    await post(`${server.url}/mcp`, call);
    for (const line of lines) expect(server.log().split(line)).toHaveLength(2);
  });

  test('that is not a readable file is refused by name', async () => {
    verifies('JOBS-X.24');
    const project = projectWithReview();
    const server = await connect(project.root);
    project.write('.deepwork/config.yml', '#'.repeat(2 * 1024 * 1024));
    expect((await refusal(server, 'start_workflow', START)).code).toBe('config_invalid');
  });
});
