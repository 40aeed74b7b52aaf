// Reading any file ends soon: with a definition, or with problems, each of which is on one line and has a
// position.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { bytesOf, step, workflow } from '../../test/support/guides.ts';
import { jobYml, loadJob, writeJob } from '../../test/support/job-files.ts';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { openGuideText } from './guides/parse-guide.ts';
import { problemOf } from './reader/issues.ts';
import { frontMatterText, readFrontMatter } from './source/front-matter.ts';
import { agentsOfFlow, parseGoal } from './team/goal.ts';

const CASES = Number(process.env.DEEPWORK_CASES ?? 400);
const TIMEOUT_MS = 1_800_000;
const MAX_PIECES = 150;

type Content = string | Uint8Array;

interface Format {
  readonly name: string;
  readonly sound: string;
  readonly runs: number;
  readonly judge: (content: Content) => Promise<void>;
}

const JOB = jobYml({
  a: `    reviews: [{run_each: notes.md, quality_criteria: {c: d}}]
    checks: [{name: t, run: make}]
    when: {var: x, equals: 1}`,
  b: `    inputs: [{file: notes.md, from_step: a}]
    dependencies: [a]
    reviews: []`,
});

async function judgeJob(content: Content): Promise<void> {
  const dir = writeJob(tempFolder(), 'demo', '');
  writeFileSync(join(dir, 'job.yml'), content);
  const loaded = await loadJob(dir);
  const reported = loaded.kind === 'job' ? loaded.warnings : loaded.problems;
  if (loaded.kind === 'broken') expect(reported.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(reported.join('\n'))).toBeLessThan(4096);
  for (const [index, line] of reported.entries()) {
    const last = index === reported.length - 1 && /^and (at least )?\d+ more problems?$/.test(line);
    if (!last) expect(line).toMatch(/^[^\n\r]+ \(line [1-9]\d*, column [1-9]\d*\)$/);
  }
}

const rule = { type: 'contains', value: '401', message: 'm', condition: { var: 'x', lt: 3 } };
const pattern = { type: 'regex', pattern: '(?i)a+(?=b)', flags: 'g', message: 'm' };
const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x' } } };
const GUIDE = JSON.stringify(
  workflow({
    preconditions: ['One', 'Two'],
    category: 'testing',
    steps: [
      step({
        requireConfirmation: { var: 'a.b', gte: 1, not: { var: 'c' } },
        runCondition: { and: [{ var: 'x', equals: [1, { y: null }] }, { or: [] }] },
        guidance: ['Take care'],
        agentRole: 'You are careful.',
      }),
      step({ id: 'second', validationCriteria: [rule, { and: [pattern] }, { not: rule }] }),
      step({ id: 'third', validationCriteria: { type: 'schema', message: 'm', schema } }),
    ],
  }),
  null,
  1,
);

async function judgeGuide(content: Content): Promise<void> {
  await expectPiecesAtMost(MAX_PIECES, async () => {
    const parsed = await openGuideText(Buffer.from(content as Uint8Array), '/x.json').check();
    if (parsed.kind === 'guide') {
      expect(parsed.guide.definition.steps.length).toBeGreaterThan(0);
      return;
    }
    expect(parsed.problems.length).toBeGreaterThan(0);
    expect(parsed.problems.length).toBeLessThanOrEqual(100);
    for (const { line, column, path, message } of parsed.problems.map(problemOf)) {
      expect(Math.min(line, column)).toBeGreaterThan(0);
      expect(path === '' || path.startsWith('/')).toBe(true);
      expect(message).toMatch(/^[^\n\r]+$/);
    }
    const steps = parsed.criteriaFaults.map((fault) => fault.step);
    expect(new Set(steps).size).toBe(steps.length);
    if (parsed.criteriaOnly) expect(steps.length).toBeGreaterThan(0);
  });
}

const GOAL =
  '---\nflow: |\n  digraph { a -> "b c"; b -> {d e} }\nmodels: {a: m, d: [x, y]}\n---\n# Do\n';

async function judgeGoal(content: Content): Promise<void> {
  const page = Buffer.from(content as Uint8Array).toString();
  const front = await readFrontMatter(page);
  if (front.kind === 'map') {
    expect(frontMatterText(front.map, 'name') ?? 'x').not.toMatch(/[\n\r]/);
  }
  const goal = await parseGoal(page);
  if (goal.kind === 'broken') expect(goal.problems.length).toBeGreaterThan(0);
  for (const { message } of goal.problems) expect(message).toMatch(/^[^\n\r]{1,2000}$/);
}

const FORMATS: readonly Format[] = [
  // Each writes a file, so there are fewer.
  { name: 'job', sound: JOB, runs: Math.min(CASES / 3, 5000), judge: judgeJob },
  { name: 'guide', sound: GUIDE, runs: CASES, judge: judgeGuide },
  { name: 'goal', sound: GOAL, runs: CASES * 4, judge: judgeGoal },
];

/** What has a meaning in YAML, JSON, DOT, Markdown, or in a definition. */
const PIECES = [
  ...['', ' ', '\n', '  ', '- ', ': ', ',', ':', '[', ']', '{', '}', '"', "'", '\\', '#', '|\n'],
  ...['>\n', '&x ', '*x', '!t ', '---\n', '...\n', '%YAML 1.1\n', '? ', '~', '\t', '\r\n', '\0'],
  ...['\ufeff', '<<: ', 'a', 'step', 'yes', '1.0', '0', '-1', '1e9', 'null', '[]', '{}', '😀'],
  ...['\\u0000', '"\\ud800"', '__proto__', '"__proto__":1,', '"constructor":', '../a.md', 'steps:'],
  ...['outputs: [x]', '"$id":"x",', '"id"', '"steps"', '"type":"loop",', '"var":', '"not":{'],
  ...['"and":[', '"schema":', '"$ref":"#",', '"pattern":"(a+)+$",', '"(?x)"', '"items":'],
  ...['"enum":[],', '"minLength":-1,', '->', '--', ';', '=', '+', '<b>', '//', '/*', '*/', '@x'],
  ...['digraph {', 'subgraph', 'strict', 'node', 'flow: ', 'models: ', '  a: m\n', 'name: '],
];
const piece = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.string({ maxLength: 8, unit: anyCharacter }),
  fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.stringify(json)),
);
const pieces = fc.array(piece, { maxLength: 25 }).map((each) => each.join(''));

function editsOf(sound: string): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(sound.length), drop: fc.nat(30), put: piece });
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce(
        (text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop),
        sound,
      ),
    );
}

/** Any value after any colon. */
function valuesIn(sound: string): fc.Arbitrary<string> {
  const lines = sound.split('\n');
  const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json));
  return fc
    .tuple(fc.nat(lines.length - 1), value)
    .map(([at, json]) =>
      lines
        .map((line, index) =>
          index === at ? line.replace(/:.*?(,?)$/, (_, comma) => `: ${json}${comma}`) : line,
        )
        .join('\n'),
    );
}

function bytesIn(sound: string): fc.Arbitrary<Uint8Array> {
  const flip = fc.record({ at: fc.nat(sound.length - 1), byte: fc.nat(255) });
  const flipped = fc.array(flip, { minLength: 1, maxLength: 5 }).map((flips) => {
    const bytes = Buffer.from(sound);
    for (const { at, byte } of flips) bytes[at] = byte;
    return bytes;
  });
  return fc.oneof(fc.uint8Array({ maxLength: 200 }), flipped);
}

test.each(FORMATS)(
  'any edit, value, byte or text in a $name is judged',
  async ({ sound, runs, judge }) => {
    verifies('JOBS-X.3', 'GUIDE-8', 'TEAM-17', 'TEAM-37');
    const contents = fc.oneof(editsOf(sound), valuesIn(sound), bytesIn(sound), pieces);
    await judge(sound);
    await fc.assert(fc.asyncProperty(contents, judge), { numRuns: Math.ceil(runs * 3) });
  },
  TIMEOUT_MS,
);

it('any flow is read', { timeout: TIMEOUT_MS }, () => {
  verifies('TEAM-17');
  fc.assert(
    fc.property(pieces, (flow) => {
      const read = agentsOfFlow(flow);
      if (read.kind === 'broken') expect(read.reason).toMatch(/^[^\n\r]{1,1000}$/);
      else expect(new Set(read.names).size).toBe(read.names.length);
    }),
    { numRuns: CASES * 15 },
  );
});

it('guides that are a megabyte of one fragment are judged in time', async () => {
  const fill = (unit: string, open: string, close: string) =>
    open + unit.repeat((1024 * 1024 - open.length - close.length) / unit.length) + close;
  const inWorkflow = (field: string) =>
    bytesOf(JSON.stringify(workflow({ x: 1 })).replace('"x":1', field));
  const badRules = '{"type":"regex","pattern":"("},'.repeat(20_000);
  for (const content of [
    fill('[', '', ''),
    fill('{"a":', '', ''),
    fill('"a":1,', '{', '"a":1}'),
    fill('"', '', ''),
    fill('\\u0041', '"', '"'),
    fill('0', '', ''),
    fill('null,', '[', 'null]'),
    fill('{},', '{"steps":[', '{}]}'),
    fill('{"id":"aaa"},', '{"steps":[', '{}]}'),
    fill('"x",', '{"metaGuidance":[', '"x"]}'),
    inWorkflow(`"steps":[{"validationCriteria":[${badRules}1]}]`),
    inWorkflow(`"steps":[{"runCondition":{"or":[${'{"a":1},'.repeat(90_000)}1]}}]`),
  ]) {
    await judgeGuide(content);
  }
});
