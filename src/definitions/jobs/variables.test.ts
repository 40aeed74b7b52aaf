import { describe, expect, it } from 'vitest';
import { jobYml, problemsOf, soundJob } from '../../../test/support/job-files.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';

/** A job whose workflow has these inputs. */
function withInputs(inputs: string): string {
  return jobYml({
    workflows: `  - name: main\n    summary: All\n    steps: [a, b]\n    inputs: ${inputs}\n`,
  });
}

const PLACE = 'Job definition validation failed: Validation error at workflows -> 0 -> inputs';

describe('inputs of a workflow', () => {
  it('are read with their types, and are required unless they have a default', async () => {
    verifies('LANG-1');
    const { workflows } = await soundJob(
      withInputs(
        `{issue: {description: An address, pattern: '^https://'}, severity: {description: How bad, enum: [low, high], default: low}, n: {description: A number, type: number, default: 2, required: true}, strict: {description: Is it, type: boolean, default: yes}, log: {description: A file, type: file, required: false}}`,
      ),
    );
    expect(workflows[0]?.inputs).toMatchObject([
      { name: 'issue', type: 'string', required: true, default: null, enum: null },
      { name: 'severity', enum: ['low', 'high'], required: false, default: 'low' },
      { name: 'n', type: 'number', required: true, default: 2 },
      { name: 'strict', type: 'boolean', required: false, default: true },
      { name: 'log', type: 'file', required: false, default: null },
    ]);
    expect(workflows[0]?.inputs?.[0]?.pattern?.source).toBe('^https://');
  });

  it('are absent in a workflow that declares none', async () => {
    const { workflows } = await soundJob(withInputs('{}'));
    expect(Object.hasOwn(workflows[0] ?? {}, 'inputs')).toBe(false);
  });

  const cases: [string, string, string][] = [
    ['no description', '{a: {}}', " -> a: missing required key 'description'"],
    [
      'a misspelt key',
      '{a: {description: d, requird: true}}',
      " -> a: unknown key 'requird'; did you mean 'required'?",
    ],
    ['a name that is no id', '{A-b: {description: d}}', " -> A-b: 'A-b' is not an id"],
    ['a reserved name', '{goal: {description: d}}', " -> goal: 'goal' is always in the context"],
    [
      'an unknown type',
      '{a: {description: d, type: text}}',
      " -> a -> type: expected 'string' or 'number' or 'boolean' or 'file', found 'text'",
    ],
    ['no values', '{a: {description: d, enum: []}}', ' -> a -> enum: expected at least 1 item'],
    [
      'a duplicate value',
      '{a: {description: d, enum: [x, x]}}',
      " -> a -> enum -> 1: duplicate value 'x'",
    ],
    [
      'a value of another type',
      '{a: {description: d, enum: [x, 2]}}',
      " -> a -> enum -> 1: expected text, found the number '2'; put it in quotes",
    ],
    [
      'a text in an enum of numbers',
      '{a: {description: d, type: number, enum: [1, "2"]}}',
      ' -> a -> enum -> 1: expected a number, found',
    ],
    [
      'a default of another type',
      '{a: {description: d, type: boolean, default: 1}}',
      ' -> a -> default: expected true or false, found',
    ],
    [
      'a default that is not in the enum',
      '{a: {description: d, enum: [x, y], default: z}}',
      ' -> a -> default: must be one of x, y, got z',
    ],
    [
      'a default that does not match the pattern',
      "{a: {description: d, pattern: '^x', default: y}}",
      ' -> a -> default: must match ^x, got y',
    ],
    [
      'an invalid pattern',
      "{a: {description: d, pattern: '('}}",
      ' -> a -> pattern: Invalid regular expression',
    ],
    [
      'a pattern for a number',
      "{a: {description: d, type: number, pattern: '1'}}",
      ' -> a -> pattern: a pattern is for strings, not for a number',
    ],
    ['a list', '[a]', ': expected a map, found'],
  ];
  it.each(cases)('are refused with a position: %s', async (_, inputs, says) => {
    verifies('LANG-1');
    const problems = await problemsOf(withInputs(inputs));
    expect(problems.map((problem) => problem.replace(/ \(line \d+, column \d+\)$/, ''))).toEqual([
      expect.stringContaining(`${PLACE}${says}`),
    ]);
    expect(problems[0]).toMatch(/ \(line \d+, column \d+\)$/);
  });
});

describe('defaults whose patterns take long', () => {
  const SLOW = `pattern: '^(x+x+)+y1', default: ${'x'.repeat(36)}`;
  const slowOnes = (count: number) =>
    Array.from({ length: count }, (_, at) => `v${at}: {description: d, ${SLOW}}`).join(', ');
  const NOT_TESTED =
    'the default was not tested, because the patterns of this file together took longer than 200 ms; simplify them';

  it('are tested within one budget for the file; the others are reported as not tested', async () => {
    verifies('LANG-1');
    await expectPiecesAtMost(200, async () => {
      const problems = await problemsOf(withInputs(`{${slowOnes(30)}}`));
      expect(problems[0]).toContain('(the pattern took longer than 100 ms)');
      expect(problems[9]).toContain(`${PLACE} -> v9 -> default: ${NOT_TESTED}`);
    });
  });

  it('share the budget with reports', async () => {
    const reports = `    reviews: []\n    reports: {${slowOnes(15)}}`;
    await expectPiecesAtMost(200, async () => {
      const problems = await problemsOf(jobYml({ a: reports, b: reports }));
      expect(problems[9]).toContain(`steps -> 0 -> reports -> v9 -> default: ${NOT_TESTED}`);
    });
  });

  it('do not use up the budget if there are only many of them', async () => {
    const fast = Array.from(
      { length: 1500 },
      (_, at) => `v${at}: {description: d, pattern: '^x${at}$', default: x${at}}`,
    );
    const { workflows } = await soundJob(withInputs(`{${fast.join(', ')}}`));
    expect(workflows[0]?.inputs).toHaveLength(1500);
  });
});

describe('reports of a step', () => {
  it('are read like inputs', async () => {
    const reports = '{regression: {type: boolean, description: Did it work before?}}';
    const { steps } = await soundJob(jobYml({ a: `    reviews: []\n    reports: ${reports}` }));
    expect(steps[0]?.reports).toMatchObject([{ name: 'regression', type: 'boolean' }]);
    expect(steps[1]?.reports).toBeUndefined();
  });

  it('cannot be files', async () => {
    const yml = jobYml({
      a: '    reviews: []\n    reports: {f: {type: file, description: A file}}',
    });
    expect(await problemsOf(yml)).toEqual([
      expect.stringContaining('steps -> 0 -> reports -> f -> type: only an input can be a file'),
    ]);
  });
});
