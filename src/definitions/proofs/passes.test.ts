// What a pass of a loop has of its own: lint must take nothing for done that was done in the pass
// before, and must not forget what happened on the way into the pass.

import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { lintPaths } from '../lint.ts';

const BOOLEAN = '{ type: boolean, description: d }';
const GO = '{ go: { type: boolean, description: d, enum: [true] } }';
const LIST = '{ for_each: { name: e, items: plan.out, step: work } }';
const loop = (steps: string, until = 'check: { name: c, run: x }') =>
  `{ loop: { name: l, steps: [${steps}], until: { ${until} }, max: 2 } }`;

/** The codes of what lint finds in a job of these steps, each with its keys beyond the usual ones. */
async function codesIn(
  entries: string,
  steps: Readonly<Record<string, readonly string[]>>,
  inputs = '{}',
): Promise<readonly string[]> {
  const outputs = 'outputs: { out: { type: file, description: out, required: true } }';
  const yaml = [
    'name: sample',
    "version: '1.0.0'",
    'summary: A sample',
    'common_job_info_provided_to_all_steps_at_runtime: Nothing',
    `workflows: [{ name: main, summary: All of it, inputs: ${inputs}, steps: [${entries}] }]`,
    'steps:',
    ...Object.entries(steps).flatMap(([id, keys]) => [
      `  - { id: ${id}, name: n, description: d, instructions_file: a.md, reviews: [], ${[outputs, ...keys].join(', ')} }`,
    ]),
  ].join('\n');
  const dir = `${tempFolder()}/sample`;
  writeFiles(dir, { 'job.yml': yaml, 'a.md': 'Do it.' });
  const { files } = await lintPaths([dir], async () => []);
  return files.flatMap(({ problems, warnings }) =>
    [...problems.kept, ...warnings.kept].map(({ code }) => code),
  );
}

test('a later pass has no list where the step that makes it is skipped', async () => {
  verifies('LANG-8');
  // It is made in the first pass, whatever happens; a later one may do without.
  const work = [`reports: { go: ${BOOLEAN} }`];
  expect(await codesIn(loop(`plan, ${LIST}`), { plan: ['when: { var: go }'], work }, GO)).toEqual([
    'skipped_source',
  ]);
  expect(await codesIn(`plan, ${loop(LIST)}`, { plan: [], work: [] })).toEqual([]);
});

test('a report that a step of the pass before left out is no finding', async () => {
  verifies('LANG-8');
  const odd = '{ type: boolean, description: d, required: false }';
  const look = ['when: { var: go }', `reports: { odd: ${odd}, go: ${BOOLEAN} }`];
  expect(await codesIn(loop('look, more'), { look, more: ['when: { var: odd }'] }, GO)).toEqual([]);
});

test('a list without items is a matter of the data, a list that a later pass skips is not', async () => {
  verifies('LANG-8');
  const close = ['dependencies: [work]', 'inputs: [{ file: out, from_step: work }]'];
  const inPass = loop(`${LIST}, close`);
  const rules = 'output: work.out, rules: [{ type: contains, value: x, message: m }]';
  for (const entries of [`${LIST}, close`, inPass, loop(`${LIST}, close`, rules)]) {
    expect(await codesIn(`plan, ${entries}`, { plan: [], work: [], close })).toEqual([]);
  }
  const work = ['when: { var: go }'];
  const reporting = [...close, `reports: { go: ${BOOLEAN} }`];
  expect(await codesIn(`plan, ${inPass}`, { plan: [], work, close: reporting }, GO)).toEqual([
    'skipped_source',
  ]);
});

test('a run may have no instance id, so a step for such runs can be reached', async () => {
  const alone = ['when: { var: instance_id, equals: null }'];
  expect(await codesIn('first, alone', { first: [], alone })).toEqual([]);
});
