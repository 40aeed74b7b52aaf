import { describe, expect, it } from 'vitest';
import {
  jobYml,
  loadJob,
  pointed,
  problemsOf,
  soundJob,
  writeJob,
} from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';

const SHAPE = 'Job definition validation failed: Validation error at';

describe('problems of references', () => {
  const review = (runEach: string) =>
    `    reviews: [{run_each: ${runEach}, quality_criteria: {c: d}}]`;
  const input = (file: string, step: string, rest = '') =>
    `    inputs: [{file: ${file}, from_step: ${step}}]\n    reviews: []${rest}`;
  const needs = (...ids: string[]) => `    reviews: []\n    dependencies: [${ids.join(', ')}]`;
  const runs = (...steps: string[]) =>
    steps.map((list, index) => `  - {name: w${index}, summary: x, steps: [${list}]}`).join('\n');

  const cases: [string, string, string, string][] = [
    ['1', jobYml({ a: needs('x') }), "Step 'a' depends on non-existent step 'x'", 'x]'],
    ['2', jobYml({ a: needs('a') }), "Circular dependency detected involving step 'a'", 'a]'],
    [
      '3',
      jobYml({ b: input('f', 'x') }),
      "Step 'b' references non-existent step 'x' in file input",
      'x}]',
    ],
    [
      '4',
      jobYml({ b: input('notes.md', 'a') }),
      "Step 'b' has file input from 'a' but 'a' is not in dependencies",
      'a}]',
    ],
    [
      '5',
      jobYml({ a: review('draft') }),
      "Step 'a' has review with run_each='draft' but no output with that name. Valid values: 'step', notes.md",
      'draft, quality_criteria: {c: d}}]',
    ],
    [
      '5 without outputs',
      jobYml({ b: review('draft') }),
      "Step 'b' has review with run_each='draft' but no output with that name. Valid values: 'step', (no outputs)",
      'draft, quality_criteria: {c: d}}]',
    ],
    [
      '6, same name',
      jobYml({ workflows: `${runs('a, b')}\n  - {name: w0, summary: x, steps: [a]}` }),
      "Duplicate workflow name: 'w0'",
      'w0, summary: x, steps: [a]}',
    ],
    [
      '6, no such step',
      jobYml({ workflows: runs('a, b, [x]') }),
      "Workflow 'w0' references non-existent step 'x'",
      'x]]}',
    ],
    [
      '6, step twice',
      jobYml({ workflows: runs('a, b, [a]') }),
      "Workflow 'w0' contains duplicate step 'a'",
      'a]]}',
    ],
    [
      '7',
      jobYml().replace('id: b', 'id: a').replace('[a, b]', '[a]'),
      "Duplicate step id: 'a'",
      'a',
    ],
    [
      '8, order',
      jobYml({ b: needs('a'), workflows: runs('b, a') }),
      "Workflow 'w0' runs 'b' before its dependency 'a'",
      'b, a]}',
    ],
    [
      '8, concurrent',
      jobYml({ b: needs('a'), workflows: runs('[b, a]') }),
      "Workflow 'w0' runs 'b' before its dependency 'a'",
      'b, a]]}',
    ],
    [
      '8, absence',
      jobYml({ b: needs('a'), workflows: runs('a, b', 'b') }),
      "Workflow 'w1' lacks 'a', a dependency of 'b'",
      'b]}',
    ],
    [
      '9',
      jobYml().replace('a.md', 'steps/none.md'),
      'Instructions file not found: steps/none.md',
      'steps/none.md',
    ],
    [
      '10',
      jobYml().replace('notes.md:', 'step:'),
      "Step 'a' has an output named 'step'",
      'step: {type: file, description: The notes, required: true}',
    ],
    [
      '11',
      jobYml({ b: input('other.md', 'a', '\n    dependencies: [a]') }),
      "Step 'b' has file input 'other.md' but 'a' has no such output",
      'other.md, from_step: a}]',
    ],
  ];

  it.each(cases)('finds number %s', async (_, yml, message, at) => {
    verifies('JOBS-X.3');
    expect(await pointed(yml)).toEqual([[message, at]]);
  });

  it('names the valid values in order', async () => {
    const yml = jobYml({ a: review('x') }).replace(
      'notes.md: {type: file, description: The notes, required: true}',
      '{z: &o {type: file, description: d, required: true}, B: *o, a: *o}',
    );
    expect(await problemsOf(yml)).toEqual([
      expect.stringContaining("Valid values: 'step', B, a, z ("),
    ]);
  });

  it('reports one problem for each cycle', async () => {
    const step = (id: string, ...on: string[]) =>
      `  - {id: ${id}, name: n, description: d, instructions_file: a.md, outputs: {}, reviews: [], dependencies: [${on}]}`;
    const steps = [
      step('p', 'q'),
      step('q', 'r'),
      step('r', 'q', 'p'),
      step('s', 't'),
      step('t', 's'),
      step('u', 'p'),
      step('v'),
    ];
    const yml = jobYml().replace(/steps:\n(.*\n)*workflows:\n.*/, `steps:\n${steps.join('\n')}`);
    expect((await pointed(yml)).map(([message]) => message)).toEqual([
      "Circular dependency detected involving step 'p'",
      "Circular dependency detected involving step 's'",
    ]);
  });

  it('accepts a file below an output that is a folder', async () => {
    const b = input('pages/one.md', 'a', '\n    dependencies: [a]');
    const job = await soundJob(
      jobYml({ b }).replace('notes.md: {type: file,', 'pages/: {type: files,'),
    );
    expect(job.steps).toHaveLength(2);
  });

  it('reports everything at once, in the order of the numbers', async () => {
    verifies('JOBS-X.3');
    const yml = `${jobYml({
      name: 'Demo',
      a: `    reviews: [{run_each: y, quality_criteria: {c: d}}]\n    dependencies: [b, x]\n    colour: red`,
      b: `    inputs: [{file: other.md, from_step: a}, {file: f, from_step: y}]\n    reviews: []\n    dependencies: [b]`,
      workflows:
        '  - {name: w, summary: x, steps: [b, b, z]}\n  - {name: w, summary: x, steps: [b]}',
    })
      .replace('b.md', '../b.md')
      .replace('notes.md:', 'step:')}
version: "2.0.0"
`;
    expect((await problemsOf(yml)).map((problem) => problem.replace(/ \(line.*/, ''))).toEqual([
      "Failed to load job.yml: duplicate key 'version'",
      `${SHAPE} name: 'Demo' is not an id: use lower-case letters, digits and _, beginning with a letter`,
      expect.stringContaining(`${SHAPE} steps -> 0: unknown key 'colour'; allowed here: id`),
      "Step 'a' depends on non-existent step 'x'",
      "Circular dependency detected involving step 'b'",
      "Step 'b' references non-existent step 'y' in file input",
      "Step 'b' has file input from 'a' but 'a' is not in dependencies",
      "Step 'a' has review with run_each='y' but no output with that name. Valid values: 'step', step",
      "Workflow 'w' contains duplicate step 'b'",
      "Workflow 'w' references non-existent step 'z'",
      "Duplicate workflow name: 'w'",
      'Instructions file outside job directory: ../b.md',
      "Step 'a' has an output named 'step'",
      "Step 'b' has file input 'other.md' but 'a' has no such output",
    ]);
  });

  it('reports no references if the steps could not be read', async () => {
    const yml = jobYml().replace(/steps:\n(.*\n)*workflows/, 'steps: {}\nworkflows');
    expect(await problemsOf(yml)).toHaveLength(1);
    const outputs = jobYml({ a: review('draft') }).replace(/outputs:\n.*\n/, 'outputs: none\n');
    expect(await problemsOf(outputs)).toEqual([expect.stringContaining('outputs: expected a map')]);
  });

  it('returns the declared name of a broken job', async () => {
    const dir = writeJob(tempFolder(), 'demo', jobYml({ name: 'declared', root: 'x: 1' }));
    expect(await loadJob(dir)).toMatchObject({ kind: 'broken', declaredName: 'declared' });
  });
});
