// Small jobs with one fault each: lint finds it, at its place, and its proof is true.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { holds } from '../../src/core/conditions.ts';
import { readVariable } from '../../src/core/conditions-values.ts';
import type { Issue } from '../../src/core/issue.ts';
import type { PathEvent } from '../../src/core/proof.ts';
import { handedInBy } from '../../src/core/session/positions.ts';
import { type Job, loopsOf, stepsOf, type Workflow } from '../../src/core/workflow.ts';
import { lintFolders, lintPaths } from '../../src/definitions/lint.ts';
import { findingsIn } from '../../src/definitions/proofs/findings.ts';
import { loadJob, writeFiles } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import type { Move } from './exhaustive.ts';
import { replay } from './replay.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const R = 'reports: { r: { type: boolean, description: d } }';
const FAST = '{ fast: { type: boolean, description: d } }';
const I = '{ i: { description: d, enum: [low, high] } }';
const CHECK = 'until: { check: { name: c, run: x } }, max: 2';
const RULES = 'rules: [{ type: contains, value: x, message: m }]';

/** `id | key: value | …`, a line for each step. */
function yamlOf(inputs: string, steps: string, entries: string): string {
  const written = steps.split('\n').map((line) => {
    const [id = '', ...keys] = line.split(' | ');
    const own = [`name: ${id}`, `description: ${id}`, `instructions_file: steps/${id}.md`];
    const out = 'outputs: { out: { type: file, description: out, required: true } }';
    return [`  - id: ${id}`, ...[...own, out, 'reviews: []', ...keys].map((key) => `    ${key}`)];
  });
  return [
    'name: sample\nversion: "1.0.0"\nsummary: A sample',
    'common_job_info_provided_to_all_steps_at_runtime: Nothing',
    `workflows:\n  - name: main\n    summary: All of it\n    steps: ${entries}`,
    ...(inputs === '' ? [] : [`    inputs: ${inputs}`]),
    'steps:',
    ...written.flat(),
    '',
  ].join('\n');
}

/** At: what stands at the place that lint names. */
type Fault = [finding: string, at: string, inputs: string, steps: string, entries: string];

const LOOP = (steps: string, until: string) =>
  `{ loop: { name: l, steps: [${steps}], until: { when: ${until} }, max: 2 } }`;
const EACH = '{ for_each: { name: e, items: a.out, step: b } }';
const FROM_A = 'dependencies: [a] | inputs: [{ file: out, from_step: a }]';

const FAULTS: readonly Fault[] = [
  // A variable that nothing declares, or that is not set.
  ['problem undeclared_variable', 'x', '', `a | ${R}\nb | when: { not: { var: x } }`, '[a, b]'],
  ['problem undeclared_variable', 'ree', '', `a | ${R}\nb | when: { var: ree }`, '[a, b]'],
  ['warning undeclared_variable', 'x', '', 'a\nb | when: { var: x }', '[a, b]'],
  ['problem undeclared_variable', 'x', '', `a | ${R}`, `[${LOOP('a', '{ var: x }')}]`],
  ['problem unset_variable', 'r', '', `a | when: { var: r }\nb | ${R}`, '[a, b]'],
  ['problem unset_variable', 'r', '', `a | ${R}\nb | when: { var: r, equals: true }`, '[[a, b]]'],
  ['problem unset_variable', 'r', '', `a\nb | ${R}`, `[${LOOP('a', '{ var: r }')}, b]`],
  [
    'warning unset_variable',
    'r',
    FAST,
    `a | when: { var: fast } | ${R}\nb | when: { var: r }`,
    '[a, b]',
  ],
  [
    'warning unset_variable',
    'i',
    I.replace('] }', '], required: false }'),
    'a\nb | when: { var: i, equals: low }',
    '[a, b]',
  ],
  [
    'warning unset_variable',
    'r',
    FAST,
    `a\nb | when: { var: fast } | ${R}`,
    `[${LOOP('a, b', '{ var: r }')}]`,
  ],
  // A condition that never holds.
  ...[
    '{ var: i, equals: medium }',
    '{ and: [{ var: i, equals: low }, { var: i, equals: high }] }',
    '{ not: { or: [{ var: i, equals: low }, { var: i, equals: high }] } }',
    '{ var: i, gt: 3 }',
    '{ or: [] }',
  ].map((when): Fault => ['problem never_holds', 'when', I, `a\nb | when: ${when}`, '[a, b]']),
  [
    'problem never_holds',
    'when',
    I,
    `a | when: { var: i, equals: high } | ${R}\nb | when: { and: [{ var: i, equals: low }, { var: r }] }`,
    '[a, b]',
  ],
  ['problem never_holds', 'when', '', `a | ${R}`, `[${LOOP('a', '{ var: r, equals: done }')}]`],
  ['problem never_holds', 'when', I, 'a\nb | when: { var: i, equals: c }', `[a, ${EACH}]`],
  // An until that the loop cannot change.
  ['problem until_cannot_change', 'when', I, 'a', `[${LOOP('a', '{ var: i, equals: low }')}]`],
  ['problem until_cannot_change', 'when', '', `a | ${R}\nb`, `[a, ${LOOP('b', '{ var: r }')}]`],
  // Taken from a step that some path skips.
  ['warning skipped_source', 'a', FAST, `z\na | when: { var: fast }\nb | ${FROM_A}`, '[z, a, b]'],
  [
    'problem skipped_source',
    'a',
    FAST,
    `z\na | when: { var: fast }\nb | ${FROM_A} | when: { not: { var: fast } }`,
    '[z, a, b]',
  ],
  [
    'warning skipped_source',
    'a',
    '',
    `z | ${R}\na | when: { var: r }\nb | ${FROM_A}`,
    `[{ loop: { name: l, steps: [z, a, b], ${CHECK} } }]`,
  ],
  ['problem skipped_source', 'a.out', FAST, 'z\na | when: { var: fast }\nb', `[z, a, ${EACH}]`],
  [
    'problem skipped_source',
    'a.out',
    FAST,
    'z\na | when: { var: fast }',
    `[{ loop: { name: l, steps: [z, a], until: { output: a.out, ${RULES} }, max: 2 } }]`,
  ],
  // An approval of nothing, and what no path reaches.
  [
    'problem nothing_to_show',
    'a.out',
    I,
    'z\na | when: { var: i, equals: c }',
    '[z, a, { approve: { name: ok, question: q, show: [z.out, a.out] } }]',
  ],
  ['problem unreachable', 'c', I, 'z\na | when: { var: i, equals: x }\nb\nc', `[z, a, ${EACH}, c]`],
  [
    'problem unreachable',
    'ok',
    I,
    'z\na | when: { var: i, equals: x }\nb',
    `[z, a, ${EACH}, { approve: { name: ok, question: q } }]`,
  ],
  // What needs no path.
  ['problem unknown_key', 'dependancies', '', 'a\nb | dependancies: [a]', '[a, b]'],
  [
    'problem unknown_key',
    'lopp',
    '',
    'a',
    '[{ lopp: { name: l, steps: [a], until: { when: {} }, max: 2 } }]',
  ],
];

function writeJob(yaml: string, instructions = 'Do it.\n'): string {
  const folder = path.join(tempFolder('sample'), 'sample');
  const ids = [...yaml.matchAll(/steps\/(\w+)\.md/g)].map(([, id]) => id);
  const files = Object.fromEntries(ids.map((id) => [`steps/${id}.md`, instructions]));
  writeFiles(folder, { 'job.yml': yaml, ...files });
  return folder;
}

async function findingsOf(dir: string): Promise<(Issue & { readonly found: string })[]> {
  const { files } = await lintPaths([dir], async () => []);
  const marked = (severity: string) => (issue: Issue) => {
    return { ...issue, found: `${severity} ${issue.code}` };
  };
  return files.flatMap(({ problems, warnings }) => [
    ...problems.kept.map(marked('problem')),
    ...warnings.kept.map(marked('warning')),
  ]);
}

test.for(FAULTS)('%s at %s: %s %s %s', async ([finding, at, inputs, steps, entries]) => {
  verifies('LANG-8');
  const yaml = yamlOf(inputs, steps, entries);
  const dir = writeJob(yaml);
  const all = await findingsOf(dir);
  const found = all.find((issue) => issue.found === finding);
  if (found === undefined)
    throw new Error(all.map((each) => `${each.found}: ${each.message}`).join());
  const text = (yaml.split('\n')[found.at.line - 1] ?? '').slice(found.at.column - 1);
  expect(text, found.message).toMatch(new RegExp(`^['"]?${at}\\b`));
  if (found.proof === undefined) {
    expect(found.code).toBe('unknown_key');
    return;
  }
  const loaded = await loadJob(dir);
  if (loaded.kind !== 'job') throw new Error('not loaded');
  expectTrue(loaded.job, found);
});

test('an empty instructions file is a warning', async () => {
  verifies('LANG-8');
  const [found] = await findingsOf(writeJob(yamlOf('', 'a', '[a]'), '\n'));
  expect(found?.found).toBe('warning empty_instructions');
});

/** Walks the path of the proof with the real deciders, and looks whether it is as it says. */
function expectTrue(job: Job, issue: Issue): void {
  const [workflow] = job.workflows;
  const finding = findingsIn(job).find(
    ({ code, message }) => code === issue.code && message === issue.message,
  );
  if (workflow === undefined || finding === undefined) throw new Error('not found again');
  const { path: way } = finding.proof;
  expect(way.length, 'the length of the path').toBeGreaterThan(0);
  for (const each of [way, ...waysAlike(way)]) {
    const moves = replay(job, workflow, each);
    expect(moves.length, `runs that go like ${JSON.stringify(each)}`).toBeGreaterThan(0);
    const isTrue = moves.some((move) => isAsSaid(workflow, finding, move));
    expect(isTrue, `${issue.message}: ${JSON.stringify(each)}`).toBe(true);
  }
}

/** The same way with each of the other values that are said to lead there. */
function waysAlike(way: readonly PathEvent[]): readonly (readonly PathEvent[])[] {
  return way.flatMap((happening, at) =>
    Object.entries(happening.alike ?? {}).flatMap(([name, others]) =>
      others.map((value) => {
        const values = { ...happening.values, [name]: value };
        return way.with(at, { ...happening, values });
      }),
    ),
  );
}

test('a proof names every value that leads there, and a finding the value that was meant', async () => {
  verifies('LANG-8');
  const inputs = '{ i: { description: d, enum: [low, medium, high] } }';
  const steps = 'a\nb | when: { and: [{ var: i, equals: High }, { var: i, equals: x }] }';
  const [found] = await findingsOf(writeJob(yamlOf(inputs, steps, '[a, b]')));
  expect(found?.message).toContain("'high'");
  for (const value of ['low', 'medium', 'high']) expect(found?.proof?.says).toContain(value);
});

type Found = ReturnType<typeof findingsIn>[number];

function isAsSaid(workflow: Workflow, { at, code }: Found, move: Move): boolean {
  const { after, context, refusal } = move;
  switch (at.kind) {
    case 'when': {
      const when = stepsOf(workflow).find(({ id }) => id === at.step)?.when;
      const wasAsked =
        move.skipped.includes(at.step) || (after?.position.members.includes(at.step) ?? false);
      if (!when || !wasAsked) return false;
      const variable = when.variables.find(({ name }) => name === at.variable);
      return variable === undefined
        ? !holds(when, context)
        : readVariable(variable, context) === undefined;
    }
    case 'until': {
      const until = loopsOf(workflow).find(({ name }) => name === at.loop)?.until;
      if (until?.kind !== 'when' || !move.untils.some(({ loop }) => loop === at.loop)) return false;
      const variable = until.condition.variables.find(({ name }) => name === at.variable);
      if (variable !== undefined) return readVariable(variable, context) === undefined;
      return code === 'until_cannot_change' || !holds(until.condition, context);
    }
    case 'input': {
      if (!after?.position.members.includes(at.step)) return false;
      return handedInBy(after)({ step: at.from, output: 'out' }).length === 0;
    }
    case 'show':
    case 'run_input':
      return after?.position.at?.name === at.name;
    case 'items':
      return refusal?.includes(at.name) ?? false;
    case 'until_output':
      return refusal?.includes(at.loop) ?? false;
    case 'entry':
      return refusal !== null;
  }
}

test('nothing of this kind is found in what ships with deepwork', async () => {
  verifies('LANG-8');
  const examples = ['quickstart', 'team'].map((name) =>
    path.join(root, 'examples', name, '.deepwork', 'jobs'),
  );
  const { files } = await lintFolders({
    jobs: [path.join(root, 'standard_jobs'), path.join(root, 'templates'), ...examples],
    guides: [path.join(root, 'standard_workflows')],
  });
  expect(files.length).toBeGreaterThan(3);
  for (const { file, problems, warnings } of files) {
    expect(
      [...problems.kept, ...warnings.kept].filter(({ proof }) => proof),
      file,
    ).toEqual([]);
  }
  expect(readFileSync(path.join(root, 'standard_jobs/deepwork_jobs/job.yml'), 'utf8')).toContain(
    'when:',
  );
});
