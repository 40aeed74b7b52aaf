// Everything that can be wrong with a job.yml, as reported by get_workflows.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { lineOf, SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

interface Problem {
  readonly text: string;
  /** What the one problem says, word for word. */
  readonly says: string | RegExp;
  /** A piece of the text on the line of the problem; n-th occurrence. Null: any line. */
  readonly at: readonly [piece: string, nth?: number] | null;
}

const SHAPE = 'Job definition validation failed: Validation error at';
const WORKFLOWS = SOUND.slice(SOUND.indexOf('workflows:'));
const STEPS = SOUND.slice(SOUND.indexOf('steps:'), SOUND.indexOf('workflows:'));
const depends = (on: string): [string, string] => [
  'dependencies: [first]',
  `dependencies: [${on}]`,
];
const runs = (steps: string): [string, string] => ['steps: [first, second]', `steps: ${steps}`];

const PROBLEMS: Readonly<Record<string, Problem>> = {
  unknown_dependency: {
    text: spoil(depends('first, ghost')),
    says: "Step 'second' depends on non-existent step 'ghost'",
    at: ['ghost'],
  },
  depends_on_itself: {
    text: spoil(depends('first, second')),
    says: "Circular dependency detected involving step 'second'",
    at: ['dependencies:'],
  },
  cycle: {
    text: spoil(
      ['description: Writes notes', 'description: Writes notes\n    dependencies: [second]'],
      [WORKFLOWS, 'workflows: []\n'],
    ),
    says: /^Circular dependency detected involving step '(first|second)'$/,
    at: null,
  },
  unknown_input_step: {
    text: spoil(['from_step: first', 'from_step: ghost']),
    says: "Step 'second' references non-existent step 'ghost' in file input",
    at: ['ghost'],
  },
  input_without_dependency: {
    text: spoil(depends('')),
    says: "Step 'second' has file input from 'first' but 'first' is not in dependencies",
    at: ['from_step: first'],
  },
  unknown_run_each: {
    text: spoil(
      ['run_each: notes.md', 'run_each: draft'],
      [
        'notes.md: {type: file',
        'z.md: {type: file, description: Z, required: false}\n      notes.md: {type: file',
      ],
    ),
    says: "Step 'first' has review with run_each='draft' but no output with that name. Valid values: 'step', notes.md, z.md",
    at: ['draft'],
  },
  run_each_without_outputs: {
    text: spoil(['reviews: []', 'reviews: [{run_each: draft, quality_criteria: {a: b}}]']),
    says: "Step 'second' has review with run_each='draft' but no output with that name. Valid values: 'step', (no outputs)",
    at: ['draft'],
  },
  duplicate_workflow: {
    text: `${SOUND}  - {name: main, summary: Again, steps: [first]}\n`,
    says: "Duplicate workflow name: 'main'",
    at: ['Again'],
  },
  workflow_with_unknown_step: {
    text: spoil(runs('[first, second, ghost]')),
    says: "Workflow 'main' references non-existent step 'ghost'",
    at: ['ghost'],
  },
  workflow_with_step_twice: {
    text: spoil(runs('[first, [second, first]]')),
    says: "Workflow 'main' contains duplicate step 'first'",
    at: ['[second, first]'],
  },
  duplicate_step: {
    text: spoil([
      'workflows:',
      '  - {id: first, name: F, description: F, instructions_file: steps/first.md, outputs: {}, reviews: []}\nworkflows:',
    ]),
    says: "Duplicate step id: 'first'",
    at: ['id: first', 2],
  },
  wrong_order: {
    text: spoil(runs('[second, first]')),
    says: "Workflow 'main' runs 'second' before its dependency 'first'",
    at: ['[second, first]'],
  },
  beside_dependency: {
    text: spoil(runs('[[first, second]]')),
    says: "Workflow 'main' runs 'second' before its dependency 'first'",
    at: ['[[first, second]]'],
  },
  dependency_left_out: {
    text: spoil(runs('[second]')),
    says: "Workflow 'main' lacks 'first', a dependency of 'second'",
    at: ['steps: [second]'],
  },
  instructions_missing: {
    text: spoil(['steps/second.md', 'steps/ghost.md']),
    says: 'Instructions file not found: steps/ghost.md',
    at: ['ghost.md'],
  },
  output_named_step: {
    text: spoil(['outputs: {}', 'outputs: {step: {type: file, description: S, required: true}}']),
    says: "Step 'second' has an output named 'step'",
    at: ['{step: {'],
  },
  outputs_with_one_variable: {
    text: spoil([
      'outputs: {}',
      "outputs: {a.b: {type: file, description: A, required: true}, A_b: {type: file, description: B, required: true}}\n    checks: [{name: c, run: 'true'}]",
    ]),
    says: "Step 'second' has checks, and its outputs 'a.b' and 'A_b' would both be DEEPWORK_OUTPUT_A_B",
    at: ['A_b: {'],
  },
  input_without_output: {
    text: spoil(['file: notes.md', 'file: draft.md']),
    says: "Step 'second' has file input 'draft.md' but 'first' has no such output",
    at: ['draft.md'],
  },
};

/** Places in the file: what is written there, and the path that is reported. */
const MISSHAPEN: Readonly<Record<string, readonly [text: string, path: string]>> = {
  root_no_map: ['- just\n- a list\n', 'root'],
  root_unknown_key: [`${SOUND}surplus: 1\n`, 'root'],
  name_not_an_id: [spoil(['name: sample', 'name: Not-An-Id']), 'name'],
  version_a_number: [spoil(['version: "1.0.0"', 'version: 1.0']), 'version'],
  version_incomplete: [spoil(['"1.0.0"', '"1.0"']), 'version'],
  summary_empty: [spoil(['summary: A sample', 'summary: ""']), 'summary'],
  summary_too_long: [spoil(['A sample', 'é'.repeat(201)]), 'summary'],
  steps_empty: [spoil([STEPS, 'steps: []\n']), 'steps'],
  step_unknown_key: [spoil(['    name: The first', '    name: F\n    nickname: F']), 'steps -> 0'],
  outputs_missing: [spoil(['    outputs: {}\n', '']), 'steps -> 1'],
  reviews_missing: [spoil(['    reviews: []\n', '']), 'steps -> 1'],
  output_type: [spoil(['type: file', 'type: folder']), 'steps -> 0 -> outputs -> notes.md -> type'],
  output_required: [
    spoil(['required: true', 'required: maybe']),
    'steps -> 0 -> outputs -> notes.md -> required',
  ],
  output_unknown_key: [
    spoil(['required: true', 'required: true, size: 1']),
    'steps -> 0 -> outputs -> notes.md',
  ],
  review_no_criteria: [
    spoil(['{short: It is short}', '{}']),
    'steps -> 0 -> reviews -> 0 -> quality_criteria',
  ],
  input_mixed: [
    spoil(['{file: notes.md, from_step: first}', '{file: notes.md, description: N}']),
    'steps -> 1 -> inputs -> 0',
  ],
  workflow_empty_entry: [spoil(runs('[first, []]')), 'workflows -> 0 -> steps -> 1'],
  check_without_run: [
    spoil(['reviews: []', 'reviews: []\n    checks: [{name: tests}]']),
    'steps -> 1 -> checks -> 0',
  ],
};

test('each problem is reported with its place', async () => {
  verifies('JOBS-X.3', 'JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
  const project = newProject();
  writeJobText(project, 'sample', SOUND);
  for (const [name, { text }] of Object.entries(PROBLEMS)) writeJobText(project, name, text);
  const server = await connect(project.root);
  const { jobs, errors } = await server.ok('get_workflows');

  expect(jobs.map(({ name }: { name: string }) => name)).toEqual(['sample', 'deepwork_jobs']);
  expect(errors).toHaveLength(Object.keys(PROBLEMS).length);
  for (const [name, { text, says, at }] of Object.entries(PROBLEMS)) {
    const found = errors.find(({ job_name }: { job_name: string }) => job_name === name);
    const [, told, line] = /^(.*) \(line (\d+), column \d+\)$/.exec(found.error) ?? [];
    if (typeof says === 'string') expect(told, found.error).toBe(says);
    else expect(told, found.error).toMatch(says);
    if (at !== null) expect(Number(line), `line of: ${found.error}`).toBe(lineOf(text, ...at));
    expect(found.job_dir).toBe(project.path(`.deepwork/jobs/${name}`));
  }
});

test('each invalid value is named by its path', async () => {
  verifies('JOBS-X.3', 'JOBS-REQ-001.2.6');
  const project = newProject();
  for (const [name, [text]] of Object.entries(MISSHAPEN)) writeJobText(project, name, text);
  const server = await connect(project.root);
  const { errors } = await server.ok('get_workflows');
  for (const [name, [, path]] of Object.entries(MISSHAPEN)) {
    const found = errors.find(({ job_name }: { job_name: string }) => job_name === name);
    const [first] = (found?.error ?? `${name} is listed`).split('\n');
    expect(first, name).toMatch(/ \(line \d+, column \d+\)$/);
    expect(first, name).toContain(`${SHAPE} ${path}: `);
  }
});

test('several problems are reported at once, in a fixed order', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const text = `${spoil(
    ['version: "1.0.0"', 'version: "1"'],
    depends('ghost'),
    ['run_each: notes.md', 'run_each: draft'],
    ['steps/first.md', '../first.md'],
    ['outputs: {}', 'outputs: {step: {type: file, description: S, required: true}}'],
    runs('[first, second, ghost]'),
  )}  - {name: main, summary: Again, steps: [first]}\n`;
  writeJobText(project, 'sample', text);
  const server = await connect(project.root);
  const { errors } = await server.ok('get_workflows');
  const told = errors[0].error.split('\n').map((line: string) => line.replace(/ \(line.*$/, ''));
  expect(told[0]).toContain(`${SHAPE} version: `);
  expect(told.slice(1)).toEqual([
    "Step 'second' depends on non-existent step 'ghost'",
    "Step 'second' has file input from 'first' but 'first' is not in dependencies",
    "Step 'first' has review with run_each='draft' but no output with that name. Valid values: 'step', notes.md",
    "Workflow 'main' references non-existent step 'ghost'",
    "Duplicate workflow name: 'main'",
    'Instructions file outside job directory: ../first.md',
    "Step 'second' has an output named 'step'",
  ]);
});

test('the number of reported problems is limited', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
  writeJobText(project, 'sample', spoil(depends(ghosts)));
  writeJobText(project, 'wide', spoil(depends(`g${'x'.repeat(100_000)}`)));
  const server = await connect(project.root);
  const { errors } = await server.ok('get_workflows');
  expect(errors).toHaveLength(2);
  for (const { error } of errors) {
    expect(error).toMatch(/^Step 'second' depends on non-existent step 'g/);
    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(4096);
  }
});

test('yes and no count as booleans', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const words = { yes: true, no: false, on: true, off: false, true: true, false: false };
  for (const word of Object.keys(words)) {
    writeJobText(project, word, spoil(['required: true', `required: ${word}`]));
  }
  const server = await connect(project.root);
  for (const [job_name, required] of Object.entries(words)) {
    const start = { goal: 'Try it', job_name, workflow_name: 'main' };
    const { begin_step } = await server.ok('start_workflow', start);
    expect(begin_step.step_expected_outputs[0].required, job_name).toBe(required);
  }
});
