// Misspelt places in instructions: a warning at the place itself, in the file where it stands, in
// every format.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { lintFolders } from '../../src/definitions/lint.ts';
import { command } from '../support/command.ts';
import { writeFiles } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const step = (id: string) => `  - id: ${id}
    name: ${id}
    description: ${id}
    instructions_file: steps/${id}.md
    outputs: { list: { type: file, description: The list, required: true } }
    reviews: []
`;

const JOB = `name: sample
version: '1.0.0'
summary: A sample
common_job_info_provided_to_all_steps_at_runtime: Nothing
workflows:
  - name: main
    summary: All of it
    inputs:
      issue: { description: The issue }
    steps: [plan, { for_each: { name: each, items: plan.list, step: work } }]
steps:
${step('plan')}${step('work')}`;

const FOLDER = '.deepwork/jobs/sample';
const PLAN = `${FOLDER}/steps/plan.md`;
const WORK = `${FOLDER}/steps/work.md`;

function project(): string {
  const folder = tempFolder();
  writeFiles(folder, {
    [`${FOLDER}/job.yml`]: JOB,
    [PLAN]: 'Plan {{ inputs.issue }}.\n\n😀 See {{ inputs.isue }}, {{ item }} and {{ name }}.\n',
    [WORK]: '# {{ item.name }}\n\nDo {{ itme }} for {{ inputs.issue }}.\n',
  });
  return folder;
}

const FOUND = [
  { file: PLAN, line: 3, column: 7, named: '{{ inputs.issue }}' },
  { file: PLAN, line: 3, column: 26, named: "'plan'" },
  { file: WORK, line: 3, column: 4, named: '{{ item }}' },
];

test('each is a warning at its place, in every format', async () => {
  verifies('LANG-2', 'LANG-8');
  const cwd = project();
  const print = async (...args: string[]) => {
    const { code, stdout } = await command(['lint', ...args], { cwd });
    expect(code).toBe(0);
    return stdout;
  };
  for (const given of [[FOLDER], [`${FOLDER}/job.yml`], ['.'], []]) {
    const lines = (await print(...given)).split('\n');
    const places = FOUND.map(({ file, line, column }) => `${file}:${line}:${column}: warning: `);
    expect(lines.slice(0, 3)).toEqual(places.map((place) => expect.stringContaining(place)));
  }
  const finding = { severity: 'warning', code: 'unknown_placeholder', proof: null };
  expect(JSON.parse(await print('--format', 'json', FOLDER)).findings).toEqual(
    FOUND.map(({ named, ...place }) => {
      return { ...finding, ...place, message: expect.stringContaining(named) };
    }),
  );
  const [, , github] = (await print('--format', 'github', FOLDER)).split('\n');
  expect(github).toContain(`::warning file=${WORK},line=3,col=4,title=unknown_placeholder::`);
  const [run] = JSON.parse(await print('--format', 'sarif', FOLDER)).runs;
  const region = { startLine: 3, startColumn: 7 };
  expect(run.results[0]).toMatchObject({
    ruleId: 'unknown_placeholder',
    level: 'warning',
    locations: [{ physicalLocation: { artifactLocation: { uri: PLAN }, region } }],
  });
});

test('in a job with step_arguments it is where the instructions stand', async () => {
  verifies('LANG-7', 'LANG-8');
  const cwd = tempFolder();
  const yaml = `name: sample
summary: A sample
step_arguments:
  - { name: topic, description: What it is about, type: string }
  - { name: notes, description: What was found, type: string }
workflows:
  main:
    summary: All of it
    steps:
      - name: gather
        instructions: |
          Gather for {{ inputs.topic }}, not \${{ inputs.tpoic }}.

          Then {{ inputs.tpoic }} and {{ inputs.tpoic }}.
        inputs: { topic: { required: true } }
        outputs: { notes: { required: true } }
      - name: write
        instructions: "Write\\tfrom {{ inputs.notes }}."
        inputs: { notes: { required: true } }
        outputs: {}
      - name: close
        instructions: "Say {{ inputs\\x2Enotes }}."
        outputs: {}
`;
  writeFiles(cwd, { [`${FOLDER}/job.yml`]: yaml });
  const { code, stdout } = await command(['lint', '--format', 'json', FOLDER], { cwd });
  const places = JSON.parse(stdout).findings.map(
    ({ file, line, column, code: kind }: Record<string, unknown>) => [file, line, column, kind],
  );
  const file = `${FOLDER}/job.yml`;
  expect(places).toEqual([
    [file, 14, 16, 'unknown_placeholder'],
    [file, 14, 39, 'unknown_placeholder'],
    [file, 18, 36, 'unknown_placeholder'],
    // Written in escapes, so that only the text as a whole can be named.
    [file, 22, 23, 'unknown_placeholder'],
  ]);
  expect(stdout).toContain("did you mean '{{ inputs.topic }}'?");
  expect(code).toBe(0);
});

test('many of them are counted, and a file that is fixed is clean', async () => {
  verifies('LANG-8');
  const cwd = project();
  writeFiles(cwd, { [PLAN]: '{{ itme }}\n'.repeat(60), [WORK]: 'Do {{ item }}.\n' });
  const { stdout } = await command(['lint', FOLDER], { cwd });
  expect(stdout).toContain(`${PLAN}: at least 10 more warnings`);
  expect(stdout).toContain('60 warnings');
  writeFiles(cwd, { [PLAN]: 'Plan {{ inputs.issue }}.\n' });
  const fixed = await command(['lint', FOLDER], { cwd });
  expect(fixed.stdout).toBe('1 job and 0 guides checked: 0 problems, 0 warnings\n');
});

test('none is in the instructions that ship with deepwork', async () => {
  verifies('LANG-8');
  const examples = readdirSync(path.join(root, 'examples')).map((name) =>
    path.join(root, 'examples', name, '.deepwork', 'jobs'),
  );
  const { files, jobs } = await lintFolders({
    jobs: [path.join(root, 'standard_jobs'), path.join(root, 'templates'), ...examples],
    guides: [],
  });
  expect(jobs).toBeGreaterThan(5);
  expect(files.filter(({ kind }) => kind === 'instructions')).toEqual([]);
  const codes = files.flatMap(({ warnings }) => warnings.kept.map(({ code }) => code));
  expect(codes).not.toContain('unknown_placeholder');
});
