// Job files from strangers: with mistakes, in other encodings and dialects, of extreme sizes and
// depths, with instruction files in the wrong place. A bad one never hides the others.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { lineOf, SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject, type Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const start = (job_name: string) => ({ goal: 'Try it', job_name, workflow_name: 'main' });
const jobFile = (project: Project, name: string) => project.path(`.deepwork/jobs/${name}/job.yml`);
const depends = (on: string): [string, string] => [
  'dependencies: [first]',
  `dependencies: [${on}]`,
];
const runs = (steps: string): [string, string] => ['steps: [first, second]', `steps: ${steps}`];

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
    expect(job_dir).toBe(project.path(`.deepwork/jobs/${job_name}`));
  }
  return Object.fromEntries(
    errors.map((each: { job_name: string; error: string }) => [each.job_name, each.error]),
  );
}

describe('mistakes in a job.yml', () => {
  test('are reported all at once, each with its place, in a fixed order', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
    const text = `${spoil(
      ['version: "1.0.0"', 'version: "1"'],
      depends('ghost'),
      ['run_each: notes.md', 'run_each: draft'],
      ['steps/first.md', '../first.md'],
      ['outputs: {}', 'outputs: {step: {type: file, description: S, required: true}}'],
      runs('[first, second, spook]'),
    )}  - {name: main, summary: Again, steps: [first]}\n`;
    const { broken = '' } = await errorsOf(newProject(), { broken: text });
    const places = broken
      .split('\n')
      .map((line) => Number(/ \(line (\d+), column \d+\)$/.exec(line)?.[1]));
    const at = [
      '"1"',
      'ghost',
      'from_step: first',
      'draft',
      'spook',
      'Again',
      '../first',
      '{step:',
    ];
    expect(places).toEqual(at.map((piece) => lineOf(text, piece)));
    for (const [index, named] of [
      'version',
      'ghost',
      'first',
      'draft',
      'spook',
      'main',
    ].entries()) {
      expect(broken.split('\n')[index]).toContain(named);
    }
  });

  test('are limited in number and size, and the rest is counted', async () => {
    verifies('JOBS-X.3');
    const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
    const errors = await errorsOf(newProject(), {
      many: spoil(depends(ghosts)),
      wide: spoil(depends(`g${'x'.repeat(100_000)}`)),
      again: `${SOUND}${'name: again\n'.repeat(1100)}`,
    });
    for (const name of ['many', 'wide', 'again']) expect(errors[name]).toBeDefined();
    const lines = (errors.again ?? '').split('\n');
    const left = /at least (\d+) more/.exec(lines.at(-1) ?? '')?.[1];
    expect(Number(left)).toBe(1100 - (lines.length - 1));
  });

  test('do not include yes and no, an alias at the 64th level, or a check that takes a day', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const words = { yes: true, no: false, on: true, off: false, true: true, false: false };
    for (const word of Object.keys(words)) {
      writeJobText(project, word, spoil(['required: true', `required: ${word}`]));
    }
    const server = await connect(project.root);
    for (const [job_name, required] of Object.entries(words)) {
      const { begin_step } = await server.ok('start_workflow', start(job_name));
      expect(begin_step.step_expected_outputs[0].required, job_name).toBe(required);
    }
    // The alias stands on level 3: in a list, in the map of the whole file.
    const aliased = (levels: number) =>
      `${SOUND}a: &deep ${'['.repeat(levels)}${']'.repeat(levels)}\nb: [*deep]\n`;
    const withTimeout = (seconds: number) =>
      spoil([
        'outputs: {}\n',
        `outputs: {}\n    checks: [{name: c, run: x, timeout_seconds: ${seconds}}]\n`,
      ]);
    const errors = await errorsOf(project, {
      deep: aliased(62),
      deeper: aliased(63),
      day: withTimeout(86_400),
      longer: withTimeout(86_401),
    });
    expect(errors.deep).not.toContain('64');
    expect(errors.deeper).toContain('64');
    expect([errors.day, errors.longer]).toEqual([undefined, expect.stringContaining('86400')]);
  });
});

describe('a job.yml that cannot be loaded', () => {
  test('is a separate error, and the others are listed', async () => {
    verifies('JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7', 'JOBS-X.3');
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
      only_comments: '# nothing yet\n---\n',
      syntax: 'name: [sample\nversion: "1',
      tabs: 'name: sample\n\tversion: 1\n',
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
    const errors = await errorsOf(newProject(), files);
    expect(Object.keys(errors)).toEqual(Object.keys(files).sort());
    for (const error of Object.values(errors)) expect(error).toMatch(/ \(line \d+, column \d+\)$/);
    expect(errors.latin1).toMatch(/UTF-8.*\(line 3, column 13\)$/);
    expect(errors.deep_map).toContain('64');
    expect(errors.ten_megabytes).toContain('1 MiB');
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
  });

  test('with all others, because the jobs folder is none, is reported at every call', async () => {
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
});

describe('a job.yml from another system or dialect', () => {
  test('is read with a byte order mark, Windows line ends and JSON syntax, and has the same places', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const windows = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const wrong = spoil(depends('first, ghost'));
    const errors = await errorsOf(project, {
      crlf: SOUND.replaceAll('\n', '\r\n'),
      both: windows(SOUND),
      json: JSON.stringify(parse(SOUND)),
      wrong,
      wrong_too: windows(wrong),
    });
    expect(Object.keys(errors)).toEqual(['wrong', 'wrong_too']);
    expect(errors.wrong_too).toBe(errors.wrong);
    const server = await connect(project.root);
    for (const name of ['crlf', 'both', 'json']) {
      const { begin_step } = await server.ok('start_workflow', start(name));
      expect(begin_step).toMatchObject({
        step_id: 'first',
        common_job_info: 'What all steps share',
        step_expected_outputs: [{ name: 'notes.md' }],
      });
    }
  });

  test('is converted from the list style', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.4');
    const project = newProject();
    const old = `name: old
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
workflows:
  - {name: main, summary: Both, steps: [first]}
`;
    expect(await errorsOf(project, { old })).toEqual({});
    const server = await connect(project.root);
    const { jobs } = await server.ok('get_workflows');
    const listed = { name: 'old', summary: 'An old one', description: 'Made long ago.\n' };
    expect(jobs).toContainEqual(expect.objectContaining(listed));
    const { begin_step } = await server.ok('start_workflow', start('old'));
    expect(begin_step).toMatchObject({
      common_job_info: 'Made long ago.\n',
      step_expected_outputs: [
        { name: 'notes.md', type: 'file', required: true },
        { name: 'data/report.md', type: 'file', required: true },
        { name: 'charts/', type: 'files', required: true },
      ],
      step_reviews: [
        {
          run_each: 'step',
          quality_criteria: { criterion_1: 'It is short', criterion_2: 'It is true' },
        },
      ],
    });
  });
});

test("the instruction file of a step must be a text file inside the job's folder", async () => {
  verifies('JOBS-X.3');
  const project = newProject({ 'secret.md': 'A secret\n', 'outside/secret.md': 'Another\n' });
  const bad: Record<string, string> = {
    dots: '../../../secret.md',
    absolute: project.path('secret.md'),
    etc: '/etc/passwd',
    neighbour: '../sample/steps/second.md',
    link: 'steps/link.md',
    linked_folder: 'linked/secret.md',
    folder: 'steps',
    pipe: 'steps/pipe.md',
    latin1: 'steps/latin1.md',
    large: 'steps/large.md',
    nul: '"steps/a\\0.md"',
  };
  const good = {
    dots_inside: 'steps/../steps/second.md',
    link_inside: 'steps/link.md',
    large_enough: 'steps/large.md',
  };
  const files = Object.entries({ ...bad, ...good }).map(([name, file]) => [
    name,
    spoil(['steps/second.md', file]),
  ]);
  const at = (file: string) => project.path(`.deepwork/jobs/${file}`);
  for (const name of ['link', 'link_inside', 'pipe'])
    mkdirSync(at(`${name}/steps`), { recursive: true });
  mkdirSync(at('linked_folder'));
  symlinkSync(project.path('secret.md'), at('link/steps/link.md'));
  symlinkSync('second.md', at('link_inside/steps/link.md'));
  symlinkSync(project.path('outside'), at('linked_folder/linked'));
  execFileSync('mkfifo', [at('pipe/steps/pipe.md')]);
  project.write('.deepwork/jobs/latin1/steps/latin1.md', Buffer.from('Caf\u00e9', 'latin1'));
  project.write('.deepwork/jobs/large/steps/large.md', 'x'.repeat(128 * 1024 + 1));
  project.write('.deepwork/jobs/large_enough/steps/large.md', 'x'.repeat(128 * 1024));
  const errors = await errorsOf(project, Object.fromEntries(files));
  expect(Object.keys(errors)).toEqual(Object.keys(bad).sort());
  const { nul: _, ...named } = bad;
  for (const [name, file] of Object.entries(named)) expect(errors[name]).toContain(`: ${file} (`);
  const outside = ['dots', 'absolute', 'etc', 'neighbour', 'link', 'linked_folder'];
  for (const name of outside) expect(errors[name]).toContain('outside job directory');
  expect(errors.latin1).toContain('UTF-8');

  const { code } = await command(['lint', at('large_enough')], { cwd: project.root });
  expect(code).toBe(0);
});
