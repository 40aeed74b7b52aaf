// The formats of `deepwork lint`: what programs, GitHub and code scanners read.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { writeFiles } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { verifies } from '../verifies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const step = (id: string) => `
  - id: ${id}
    name: ${id}
    description: ${id}
    instructions_file: steps/${id}.md
    outputs: {}
    reviews: []`;
const JOB = `name: sample
version: '1.0.0'
summary: A sample
common_job_info_provided_to_all_steps_at_runtime: Nothing
workflows:
  - name: main
    summary: All of it
    inputs: { i: { description: d, enum: [low, high] } }
    steps: [a, b]
steps:${step('a')}${step('b')}
    when: { var: i, equals: medium }
`;

function project(): string {
  const folder = tempFolder('.deepwork/jobs/sample');
  writeFiles(path.join(folder, '.deepwork/jobs/sample'), {
    'job.yml': JOB,
    'steps/a.md': 'Do it.\n',
    'steps/b.md': '\n',
  });
  return folder;
}

const FILE = '.deepwork/jobs/sample/job.yml';

test('json has every finding with its place, code and proof, as the schema says', async () => {
  verifies('LANG-8');
  const cwd = project();
  const { code, stdout } = await command(['lint', '--format', 'json', FILE], { cwd });
  expect(code).toBe(1);
  const found = JSON.parse(stdout);
  const schema = JSON.parse(readFileSync(path.join(root, 'schemas/lint.schema.json'), 'utf8'));
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  expect(validate(found), JSON.stringify(validate.errors)).toBe(true);
  expect(found.findings).toMatchObject([
    {
      file: FILE,
      severity: 'problem',
      code: 'never_holds',
      proof: {
        path: [
          { what: 'started', values: { i: 'low' } },
          { what: 'done', name: 'a' },
        ],
      },
    },
    { file: FILE, severity: 'warning', code: 'empty_instructions', proof: null },
  ]);
});

test('sarif is a log of version 2.1.0', async () => {
  verifies('LANG-8');
  const cwd = project();
  const { stdout } = await command(['lint', '--format', 'sarif', FILE], { cwd });
  const { version, runs } = JSON.parse(stdout);
  expect(version).toBe('2.1.0');
  expect(runs).toHaveLength(1);
  const { tool, results } = runs[0];
  expect(tool.driver.name).toBe('deepwork');
  const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(results).toHaveLength(2);
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect(ids[ruleIndex]).toBe(ruleId);
    expect(['error', 'warning', 'note', 'none']).toContain(level);
    expect(message.text).not.toBe('');
    const { artifactLocation, region } = locations[0].physicalLocation;
    expect(artifactLocation.uri).toBe(FILE);
    expect(region.startLine).toBeGreaterThan(0);
    expect(region.startColumn).toBeGreaterThan(0);
  }
});

test('github gets annotations, one line each', async () => {
  verifies('LANG-8');
  const cwd = project();
  const { stdout } = await command(['lint', '--format', 'github', FILE], { cwd });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^::error file=[^,]+,line=\d+,col=\d+,title=never_holds::The condition/);
  expect(lines[1]).toMatch(/^::warning file=/);
});

test('an unknown format is a usage error', async () => {
  const { code, stderr } = await command(['lint', '--format', 'xml'], { cwd: project() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('text, json, github, sarif')]);
});

test('--watch checks again when a file changes', async () => {
  verifies('LANG-8');
  const cwd = project();
  const main = path.join(root, 'dist', 'main.cjs');
  const child = spawn(process.execPath, [main, 'lint', '--watch', FILE], { cwd });
  onTestFinished(() => void child.kill());
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed).toContain('1 problem, 1 warning');
  writeFiles(path.join(cwd, '.deepwork/jobs/sample'), { 'steps/b.md': 'Do it.\n' });
  await expect.poll(() => printed).toContain('1 problem, 0 warnings');
});

test('--watch on a small screen names the command that shows everything', async () => {
  verifies('LANG-8');
  const cwd = tempFolder();
  const jobs = Array.from({ length: 30 }, (_, at) => [`job_${at}/job.yml`, 'a: [']);
  writeFiles(path.join(cwd, '.deepwork/jobs'), Object.fromEntries(jobs));
  const terminal = deepworkOnTerminal(['lint', '--watch'], { cwd });
  await terminal.sees('more lines: deepwork lint shows them all');
});

test('no format for people or for GitHub prints the controls that a folder has in its name', async () => {
  verifies('LANG-8');
  const cwd = tempFolder();
  writeFiles(path.join(cwd, '.deepwork/jobs/x\u001b[31m'), { 'job.yml': 'a: [' });
  for (const format of ['text', 'github']) {
    const { stdout, stderr } = await command(['lint', '--format', format], { cwd });
    expect(stdout).toContain('job.yml');
    expect(`${stdout}${stderr}`, format).not.toContain('\u001b[31m');
  }
});
