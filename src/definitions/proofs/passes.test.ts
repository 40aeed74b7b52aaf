// What a pass of a loop has of its own: lint must take nothing for done that was done in the pass
// before, and must not forget what happened on the way into the pass.

import { describe, expect, test } from 'vitest';
import { writeFiles } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { lintPaths } from '../lint.ts';

interface Parts {
  readonly inputs?: string;
  readonly entries: string;
  /** By step: its keys beyond those that every step has. */
  readonly steps: Readonly<Record<string, readonly string[]>>;
}

const BOOLEAN = '{ type: boolean, description: d }';
const UNTIL_CHECK = 'until: { check: { name: c, run: x } }, max: 2';

async function findingsOf({ inputs, entries, steps }: Parts): Promise<readonly string[]> {
  const ids = Object.keys(steps);
  const written = ids.flatMap((id) => [
    `  - id: ${id}`,
    `    name: ${id}`,
    `    description: ${id}`,
    `    instructions_file: ${id}.md`,
    '    outputs: { out: { type: file, description: out, required: true } }',
    '    reviews: []',
    ...(steps[id] ?? []).map((key) => `    ${key}`),
  ]);
  const yaml = [
    'name: sample',
    "version: '1.0.0'",
    'summary: A sample',
    'common_job_info_provided_to_all_steps_at_runtime: Nothing',
    'workflows:',
    '  - name: main',
    '    summary: All of it',
    ...(inputs === undefined ? [] : [`    inputs: ${inputs}`]),
    `    steps: ${entries}`,
    'steps:',
    ...written,
  ].join('\n');
  const dir = `${tempFolder()}/sample`;
  const texts = Object.fromEntries(ids.map((id) => [`${id}.md`, 'Do it.']));
  writeFiles(dir, { 'job.yml': yaml, ...texts });
  const { files } = await lintPaths([dir], async () => []);
  return files.flatMap(({ problems, warnings }) => [
    ...problems.kept.map(({ code, message }) => `problem ${code}: ${message}`),
    ...warnings.kept.map(({ code, message }) => `warning ${code}: ${message}`),
  ]);
}

describe('the next pass of a loop', () => {
  test('has no list where the step that makes it is skipped: the run cannot continue there', async () => {
    verifies('LANG-8');
    const found = await findingsOf({
      // It is made in the first pass, whatever happens; a later one may do without.
      inputs: '{ go: { type: boolean, description: d, enum: [true] } }',
      entries: `[{ loop: { name: l, steps: [plan, { for_each: { name: e, items: plan.out, step: work } }], ${UNTIL_CHECK} } }, close]`,
      steps: {
        plan: ['when: { var: go }'],
        work: [`reports: { go: ${BOOLEAN} }`],
        close: ['dependencies: [plan]', 'inputs: [{ file: out, from_step: plan }]'],
      },
    });
    expect(found).toEqual([
      "problem skipped_source: for_each 'e' takes its items from 'plan', which some path to it skips: the run cannot continue there",
    ]);
  });

  test('still has the list that a step before the loop made', async () => {
    verifies('LANG-8');
    const found = await findingsOf({
      entries: `[plan, { loop: { name: l, steps: [{ for_each: { name: e, items: plan.out, step: work } }], ${UNTIL_CHECK} } }]`,
      steps: { plan: [], work: [] },
    });
    expect(found).toEqual([]);
  });

  test('asks for a report that a step of the pass before left out, which is no finding', async () => {
    verifies('LANG-8');
    const found = await findingsOf({
      inputs: '{ go: { type: boolean, description: d, enum: [true] } }',
      entries: `[{ loop: { name: l, steps: [look, more], ${UNTIL_CHECK} } }]`,
      steps: {
        look: [
          'when: { var: go }',
          `reports: { odd: { type: boolean, description: d, required: false }, go: ${BOOLEAN} }`,
        ],
        more: ['when: { var: odd }'],
      },
    });
    expect(found).toEqual([]);
  });
});

describe('a list without items at the beginning of a pass', () => {
  const LIST = '{ for_each: { name: e, items: plan.out, step: work } }';

  test('is a matter of the data for a step that takes what its items make', async () => {
    verifies('LANG-8');
    const close = ['dependencies: [work]', 'inputs: [{ file: out, from_step: work }]'];
    const steps = { plan: [], work: [], close };
    const outside = await findingsOf({ entries: `[plan, ${LIST}, close]`, steps });
    const inside = await findingsOf({
      entries: `[plan, { loop: { name: l, steps: [${LIST}, close], ${UNTIL_CHECK} } }]`,
      steps,
    });
    expect(outside).toEqual([]);
    expect(inside).toEqual([]);
  });

  test('is a matter of the data for the rules of the loop', async () => {
    verifies('LANG-8');
    const rules = 'rules: [{ type: contains, value: x, message: m }]';
    const found = await findingsOf({
      entries: `[plan, { loop: { name: l, steps: [${LIST}, close], until: { output: work.out, ${rules} }, max: 2 } }]`,
      steps: { plan: [], work: [], close: [] },
    });
    expect(found).toEqual([]);
  });

  test('does not stand for a list that a later pass skips', async () => {
    verifies('LANG-8');
    const found = await findingsOf({
      inputs: '{ go: { type: boolean, description: d, enum: [true] } }',
      entries: `[plan, { loop: { name: l, steps: [${LIST}, close], ${UNTIL_CHECK} } }]`,
      steps: {
        plan: [],
        work: ['when: { var: go }'],
        close: [
          'dependencies: [work]',
          'inputs: [{ file: out, from_step: work }]',
          `reports: { go: ${BOOLEAN} }`,
        ],
      },
    });
    expect(found).toEqual([
      "warning skipped_source: Step 'close' takes an input from 'work', which some path to it skips",
    ]);
  });
});

test('a run may have no instance id, so a step for such runs can be reached', async () => {
  const found = await findingsOf({
    entries: '[first, alone]',
    steps: { first: [], alone: ['when: { var: instance_id, equals: null }'] },
  });
  expect(found).toEqual([]);
});
