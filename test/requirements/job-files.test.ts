// Job files from strangers, through the server: a bad one never hides the others, and is reported at
// every call. All that can be wrong is tested with the readers.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { connect } from '../support/connect.ts';
import { lineOf, SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject, type Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';

/** The report on each broken job, by its directory's name; `sample` must be listed. */
async function errorsOf(
  project: Project,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<Record<string, string>> {
  writeJobText(project, 'sample', SOUND);
  for (const [name, text] of Object.entries(files)) writeJobText(project, name, text);
  const { jobs, errors } = await (await connect(project.root)).ok('get_workflows');
  expect(jobs.map(({ name }: { name: string }) => name)).toContain('sample');
  for (const { error, job_dir, job_name } of errors) {
    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(4096);
    expect(error).toContain('(line ');
    expect(job_dir).toBe(project.path(`.deepwork/jobs/${job_name}`));
  }
  return Object.fromEntries(
    errors.map((each: { job_name: string; error: string }) => [each.job_name, each.error]),
  );
}

test('all mistakes of a job are reported at once, each with its place, in a fixed order', async () => {
  verifies('JOBS-X.3', 'JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
  const text = `${spoil(
    ['version: "1.0.0"', 'version: "1"'],
    ['dependencies: [first]', 'dependencies: [ghost]'],
    ['run_each: notes.md', 'run_each: draft'],
    ['steps/first.md', '../first.md'],
    ['outputs: {}', 'outputs: {step: {type: file, description: S, required: true}}'],
    ['steps: [first, second]', 'steps: [first, second, spook]'],
  )}  - {name: main, summary: Again, steps: [first]}\n`;
  const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
  const many = spoil(['dependencies: [first]', `dependencies: [${ghosts}]`]);
  const again = `${SOUND}${'name: again\n'.repeat(1100)}`;
  const errors = await errorsOf(newProject(), { text, many, again });
  const places = errors.text
    ?.split('\n')
    .map((line) => Number(/ \(line (\d+), column \d+\)$/.exec(line)?.[1]));
  const at = ['"1"', 'ghost', 'from_step: first', 'draft', 'spook', 'Again', '../first', '{step:'];
  expect(places).toEqual(at.map((piece) => lineOf(text, piece)));
  expect(errors.many).toBeDefined();
  // Whatever fits into an answer is shown; of the rest at least so many are left.
  const lines = (errors.again ?? '').split('\n');
  expect(lines.at(-1)).toMatch(new RegExp(`\\b${1100 - (lines.length - 1)} more`));
});

test('a job.yml that cannot be loaded is a separate error', async () => {
  verifies('JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7', 'JOBS-X.3');
  const project = newProject({ 'elsewhere.yml': SOUND });
  const laughs = ['a0: &a0 [x, x, x]'];
  for (let level = 1; level < 12; level++) {
    laughs.push(
      `a${level}: &a${level} [${Array(8)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  const files: Record<string, string | Buffer> = {
    empty: '',
    syntax: 'name: [sample\nversion: "1',
    latin1: Buffer.from(spoil(['A sample', 'Caf\u00e9']), 'latin1'),
    utf16: Buffer.from(`\ufeff${SOUND}`, 'utf16le'),
    binary: Buffer.from([0, 1, 2, 255, 254, 0, 10, 128]),
    alias_bomb: `${SOUND}${laughs.join('\n')}\n`,
    deep: `${SOUND}x: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`,
    ten_megabytes: `${SOUND}# ${'x'.repeat(10_000_000)}\n`,
    etc_passwd: spoil(['steps/second.md', '/etc/passwd']),
  };
  const jobFile = (name: string) => project.path(`.deepwork/jobs/${name}/job.yml`);
  const places = ['folder', 'pipe', 'link_out', 'dangling'];
  for (const name of places) {
    writeJobText(project, name, SOUND);
    rmSync(jobFile(name));
  }
  mkdirSync(jobFile('folder'));
  execFileSync('mkfifo', [jobFile('pipe')]);
  symlinkSync(project.path('elsewhere.yml'), jobFile('link_out'));
  symlinkSync('nowhere.yml', jobFile('dangling'));
  project.write('.deepwork/jobs/just_a_file', 'x');
  const errors = await errorsOf(project, files);
  expect(Object.keys(errors)).toEqual([...Object.keys(files), ...places].sort());
  expect(errors.ten_megabytes).toContain('1 MiB');
});

test('a jobs folder that is none is reported at every call', async () => {
  verifies('JOBS-REQ-001.2.7');
  const project = newProject({ '.deepwork/jobs': 'Not a folder\n' });
  const job_dir = project.path('.deepwork/jobs');
  const server = await connect(project.root);
  for (const _ of ['first', 'second', 'third']) {
    // What is kept of a listing is kept only once the folder is old enough.
    await new Promise((resolve) => setTimeout(resolve, 60));
    const { errors } = await server.ok('get_workflows');
    expect(errors).toEqual([{ job_name: 'jobs', job_dir, error: expect.any(String) }]);
  }
});

test('a job from another system or in the list style is started as any other', async () => {
  verifies('JOBS-X.3', 'JOBS-REQ-001.2.4');
  const project = newProject();
  const old = `name: old
version: "1.0.0"
summary: An old one
description: |
  Made long ago.
steps:
  - id: first
    name: The first
    description: Writes notes
    instructions_file: steps/first.md
    outputs: [notes.md, {file: data/report.md, doc_spec: report}, charts/]
    quality_criteria: [It is short, It is true]
workflows:
  - {name: main, summary: Both, steps: [first]}
`;
  const windows = `\ufeff${SOUND.replaceAll('\n', '\r\n')}`;
  const json = JSON.stringify(parse(SOUND));
  expect(await errorsOf(project, { windows, json, old })).toEqual({});
  const server = await connect(project.root);
  const begin = async (job_name: string) => {
    const start = { goal: 'Try it', job_name, workflow_name: 'main' };
    return (await server.ok('start_workflow', start)).begin_step;
  };
  for (const name of ['windows', 'json']) {
    expect(await begin(name)).toMatchObject({
      common_job_info: 'What all steps share',
      step_expected_outputs: [{ name: 'notes.md' }],
    });
  }
  expect(await begin('old')).toMatchObject({
    common_job_info: 'Made long ago.\n',
    step_expected_outputs: [{ type: 'file' }, { type: 'file' }, { name: 'charts/', type: 'files' }],
    step_quality_criteria: ['It is short', 'It is true'],
  });
});
