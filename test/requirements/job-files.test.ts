// Job files from strangers: other encodings and dialects, extreme sizes and depths, instruction
// files in the wrong place. A bad one never hides the others.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { connect } from '../support/connect.ts';
import { SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject, type Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';

interface Failed {
  readonly job_name: string;
  readonly job_dir: string;
  readonly error: string;
}

const start = (job_name: string) => ({ goal: 'Try it', job_name, workflow_name: 'main' });
const jobFile = (project: Project, name: string) => project.path(`.deepwork/jobs/${name}/job.yml`);

/** The report on each broken job, by its directory's name; `sample` must be listed. */
async function errorsOf(project: Project): Promise<Record<string, string>> {
  writeJobText(project, 'sample', SOUND);
  const server = await connect(project.root);
  const { jobs, errors } = await server.ok('get_workflows');
  expect(jobs.map(({ name }: { name: string }) => name)).toContain('sample');
  for (const { error, job_dir, job_name } of errors as Failed[]) {
    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(4096);
    expect(job_dir).toBe(project.path(`.deepwork/jobs/${job_name}`));
    for (const line of error.split('\n')) expect(line).toMatch(/ \(line \d+, column \d+\)$/);
  }
  return Object.fromEntries(errors.map(({ job_name, error }: Failed) => [job_name, error]));
}

describe('a job.yml that cannot be loaded', () => {
  test('is a separate error, and the others are listed', async () => {
    verifies('JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7', 'JOBS-X.3');
    const project = newProject();
    const laughs = ['a0: &a0 [x, x, x]'];
    for (let level = 1; level < 12; level++) {
      const before = `*a${level - 1}`;
      laughs.push(`a${level}: &a${level} [${Array.from({ length: 8 }, () => before).join(', ')}]`);
    }
    const files: Record<string, string | Buffer> = {
      empty: '',
      blank: ' \n\n',
      only_comments: '# nothing yet\n---\n',
      syntax: 'name: [sample\nversion: "1',
      tabs: 'name: sample\n\tversion: 1\n',
      duplicate_key: `${SOUND}name: again\n`,
      two_documents: `${SOUND}---\n${SOUND}`,
      latin1: Buffer.from(spoil(['A sample', 'Caf\u00e9']), 'latin1'),
      utf16: Buffer.from(`\ufeff${SOUND}`, 'utf16le'),
      binary: Buffer.from([0, 1, 2, 255, 254, 0, 10, 128]),
      alias_bomb: `${SOUND}${laughs.join('\n')}\n`,
      aliases: `${SOUND}x: &x [1]\ny: [${'*x, '.repeat(101)}1]\n`,
      no_anchor: spoil(['A sample', '*ghost']),
      deep_list: `${SOUND}x: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`,
      deep_map: `${SOUND}x: ${'{a: '.repeat(65)}1${'}'.repeat(65)}\n`,
      ten_megabytes: `${SOUND}# ${'x'.repeat(10_000_000)}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeJobText(project, name, text);
    const errors = await errorsOf(project);

    expect(Object.keys(errors)).toEqual(Object.keys(files).sort());
    for (const name of ['empty', 'blank', 'only_comments']) {
      expect(errors[name]).toMatch(/^job\.yml is empty \(/);
    }
    for (const name of Object.keys(files).slice(3)) {
      expect(errors[name], name).toMatch(/^Failed to load job\.yml: \w/);
    }
    expect(errors.duplicate_key).toMatch(/duplicate.*name/i);
    expect(errors.latin1).toMatch(/UTF-8.*\(line 3, column 13\)$/);
    expect(errors.aliases).toMatch(/alias/);
    expect(errors.deep_map).toMatch(/64/);
    expect(errors.ten_megabytes).toMatch(/1 MiB/);
  });

  test('is refused if it is not a plain file in its folder', async () => {
    verifies('JOBS-REQ-001.2.6', 'JOBS-X.3');
    const project = newProject({ 'elsewhere.yml': SOUND });
    for (const name of ['folder', 'pipe', 'link_out', 'dangling']) {
      writeJobText(project, name, SOUND);
      rmSync(jobFile(project, name));
    }
    mkdirSync(jobFile(project, 'folder'));
    execFileSync('mkfifo', [jobFile(project, 'pipe')]);
    symlinkSync(project.path('elsewhere.yml'), jobFile(project, 'link_out'));
    symlinkSync('nowhere.yml', jobFile(project, 'dangling'));
    project.write('.deepwork/jobs/just_a_file', 'x');
    mkdirSync(project.path('.deepwork/jobs/no_job_here'));
    const errors = await errorsOf(project);
    expect(Object.keys(errors)).toEqual(['dangling', 'folder', 'link_out', 'pipe']);
    for (const error of Object.values(errors)) {
      expect(error).toMatch(/^Failed to load job\.yml: .+ \(line 1, column 1\)$/);
    }
  });
});

describe('a job.yml from another system or dialect', () => {
  test('is read with a byte order mark, Windows line ends and JSON syntax', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'bom', `\ufeff${SOUND}`);
    writeJobText(project, 'crlf', SOUND.replaceAll('\n', '\r\n'));
    writeJobText(project, 'both', `\ufeff${SOUND.replaceAll('\n', '\r\n')}`);
    writeJobText(project, 'json', JSON.stringify(parse(SOUND)));
    expect(await errorsOf(project)).toEqual({});
    const server = await connect(project.root);
    for (const name of ['bom', 'crlf', 'both', 'json']) {
      const { begin_step } = await server.ok('start_workflow', start(name));
      expect(begin_step).toMatchObject({
        step_id: 'first',
        common_job_info: 'What all steps share',
        step_expected_outputs: [{ name: 'notes.md' }],
      });
    }
  });

  test('is reported with the same place with Windows line ends', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const text = spoil(['dependencies: [first]', 'dependencies: [first, ghost]']);
    writeJobText(project, 'unix', text);
    writeJobText(project, 'windows', `\ufeff${text.replaceAll('\n', '\r\n')}`);
    const { unix, windows } = await errorsOf(project);
    expect(unix).toContain("'ghost'");
    expect(windows).toBe(unix);
  });

  test('is converted from the list style', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.4');
    const project = newProject();
    const listStyle = `name: old
version: "1.0.0"
summary: An old one
description: |
  Made long ago.
changelog:
  - {version: "0.9.0", changes: Begun}
steps:
  - id: first
    name: The first
    description: Writes notes
    instructions_file: steps/first.md
    outputs:
      - notes.md
      - {file: data/report.md, doc_spec: report}
      - charts/
    quality_criteria:
      - It is short
      - It is true
  - id: second
    name: The second
    description: Has no criteria
    instructions_file: steps/second.md
    dependencies: [first]
    outputs: []
workflows:
  - {name: main, summary: Both, steps: [first, second]}
`;
    writeJobText(project, 'old', listStyle);
    expect(await errorsOf(project)).toEqual({});
    const server = await connect(project.root);
    const { jobs } = await server.ok('get_workflows');
    expect(jobs.find(({ name }: { name: string }) => name === 'old')).toMatchObject({
      summary: 'An old one',
      description: 'Made long ago.\n',
    });
    const { begin_step } = await server.ok('start_workflow', start('old'));
    expect(begin_step.common_job_info).toBe('Made long ago.\n');
    expect(begin_step.step_expected_outputs).toMatchObject([
      { name: 'notes.md', type: 'file', required: true },
      { name: 'data/report.md', type: 'file', required: true },
      { name: 'charts/', type: 'files', required: true },
    ]);
    expect(begin_step.step_reviews).toEqual([
      {
        run_each: 'step',
        quality_criteria: { criterion_1: 'It is short', criterion_2: 'It is true' },
        additional_review_guidance: null,
      },
    ]);
    expect(begin_step.step_quality_criteria).toEqual(['It is short', 'It is true']);
  });
});

describe('the instruction file of a step', () => {
  test('must be a text file inside the job’s folder', async () => {
    verifies('JOBS-X.3');
    const project = newProject({ 'secret.md': 'A secret\n', 'outside/secret.md': 'Another\n' });
    const named: Record<string, string> = {
      dots: '../../../secret.md',
      dots_inside: 'steps/../steps/second.md',
      absolute: project.path('secret.md'),
      etc: '/etc/passwd',
      neighbour: '../sample/steps/second.md',
      link: 'steps/link.md',
      link_inside: 'steps/link.md',
      linked_folder: 'linked/secret.md',
      folder: 'steps',
      pipe: 'steps/pipe.md',
      latin1: 'steps/latin1.md',
      large: 'steps/large.md',
      large_enough: 'steps/large.md',
      nul: '"steps/a\\0.md"',
    };
    for (const [name, file] of Object.entries(named)) {
      writeJobText(project, name, spoil(['steps/second.md', file]));
    }
    const at = (file: string) => project.path(`.deepwork/jobs/${file}`);
    symlinkSync(project.path('secret.md'), at('link/steps/link.md'));
    symlinkSync('second.md', at('link_inside/steps/link.md'));
    symlinkSync(project.path('outside'), at('linked_folder/linked'));
    execFileSync('mkfifo', [at('pipe/steps/pipe.md')]);
    project.write('.deepwork/jobs/latin1/steps/latin1.md', Buffer.from('Caf\u00e9', 'latin1'));
    project.write('.deepwork/jobs/large/steps/large.md', 'x'.repeat(128 * 1024 + 1));
    project.write('.deepwork/jobs/large_enough/steps/large.md', 'x'.repeat(128 * 1024));

    const told = Object.fromEntries(
      Object.entries(await errorsOf(project)).map(([name, error]) => [
        name,
        error.replace(/ \(line \d+, column \d+\)$/, ''),
      ]),
    );
    const { nul, ...others } = told;
    expect(nul).toMatch(/^Instructions file not found: steps\/a/);
    expect(others).toEqual({
      dots: 'Instructions file outside job directory: ../../../secret.md',
      absolute: `Instructions file outside job directory: ${project.path('secret.md')}`,
      etc: 'Instructions file outside job directory: /etc/passwd',
      neighbour: 'Instructions file outside job directory: ../sample/steps/second.md',
      link: 'Instructions file outside job directory: steps/link.md',
      linked_folder: 'Instructions file outside job directory: linked/secret.md',
      folder: 'Instructions file not a regular file: steps',
      pipe: 'Instructions file not a regular file: steps/pipe.md',
      latin1: 'Instructions file not UTF-8: steps/latin1.md',
      large: 'Instructions file too large: steps/large.md',
    });
  });
});
