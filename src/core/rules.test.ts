import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { validateAtOnce } from '../../test/support/validate-at-once.ts';
import { verifies } from '../../test/verifies.ts';
import { applicableMessages, type Criteria, conditionsOf, parseCriteria } from './rules.ts';

const REVIEW = 'Review validation criteria and adjust output accordingly.';
const NOT_JSON = 'Output is not valid JSON for schema validation';
const ON = { var: 'on' };

async function compile(source: unknown): Promise<Criteria> {
  const { criteria, problems } = await parseCriteria(source);
  expect(problems).toEqual([]);
  if (criteria === null) throw new Error('no problems, and yet no criteria');
  return criteria;
}

async function judge(source: unknown, text: string, context: Record<string, unknown> = {}) {
  const verdict = validateAtOnce(await compile(source), text, context);
  if (verdict.kind === 'interrupted') throw new Error(`${verdict.rule} ${verdict.reason}`);
  return verdict;
}

async function issuesOf(source: unknown, text: string, context: Record<string, unknown> = {}) {
  const { valid, issues } = await judge(source, text, context);
  expect(valid).toBe(issues.length === 0);
  return issues;
}

/** Problems outside schemas, with their places. */
async function problemsOf(source: unknown): Promise<string[]> {
  const { criteria, problems } = await parseCriteria(source);
  expect(criteria).toBeNull();
  expect(problems.filter(({ code }) => code === 'wrong_schema')).toEqual([]);
  return problems.map(({ path, message }) => `/${path.join('/')} ${message}`);
}

const has = (value: string, message = value) => ({ type: 'contains', value, message });

describe('without criteria', () => {
  test.each([[undefined], [null], [[]], [{}]])('%j: only a blank output fails', async (source) => {
    verifies('GUIDE-26');
    const { criteria, problems } = await parseCriteria(source);
    expect([criteria, problems]).toEqual([null, []]);
    expect(validateAtOnce(criteria, 'x', {})).toMatchObject({ valid: true, issues: [] });
    expect(validateAtOnce(criteria, ' \n\t', {})).toMatchObject({ valid: false });
  });

  test('a blank output runs no rule', async () => {
    verifies('GUIDE-26');
    for (const blank of ['', ' \n\t\u00a0\ufeff']) {
      expect(await judge([has('a'), has('b')], blank)).toEqual({
        kind: 'done',
        valid: false,
        issues: ['Output is empty or invalid.'],
        suggestions: ['Provide valid output content.'],
        failures: [
          { message: 'Output is empty or invalid.', suggestion: 'Provide valid output content.' },
        ],
      });
    }
  });
});

describe('contains', () => {
  test('is case-sensitive, and the empty text is contained in every text', async () => {
    verifies('GUIDE-27');
    expect(await issuesOf([has('', 'nothing'), has('JWT', 'm')], 'uses JWT')).toEqual([]);
    expect(await issuesOf(has('jwt', 'm'), 'uses JWT')).toEqual(['m']);
  });

  test('needs a string', async () => {
    verifies('GUIDE-27');
    expect(await problemsOf({ type: 'contains', message: 'm' })).toEqual([
      '/ Missing field: value',
    ]);
    expect(await problemsOf({ type: 'contains', value: 7, message: 'm' })).toEqual([
      '/value "value" must be a string, got number',
    ]);
  });
});

describe('regex', () => {
  const rule = (pattern: string, flags?: string) => ({
    type: 'regex',
    pattern,
    flags,
    message: 'm',
  });
  const strip = (value: object) => JSON.parse(JSON.stringify(value));

  test.each([
    ['(?i)jwt', undefined, 'a JWT', true],
    ['jwt', undefined, 'a JWT', false],
    ['jwt', 'i', 'a JWT', true],
    ['(?i)jwt', 'i', 'a JWT', true],
    ['(?im)^b$', undefined, 'a\nB', true],
    ['(?i)(?m)^b$', undefined, 'a\nB', true],
    ['(?s)a.b', undefined, 'a\nb', true],
    ['a.b', undefined, 'a\nb', false],
    ['a(?=b)', undefined, 'ab', true],
    ['a(?!b)', undefined, 'ab', false],
    ['(?<=a)b', undefined, 'ab', true],
    ['(?<x>a)\\k<x>', undefined, 'baa', true],
    ['a|b', undefined, 'xb', true],
    ['^.$', 'u', '😀', true],
    ['^.$', undefined, '😀', false],
  ])('%s with flags %s on %j: %s', async (pattern, flags, text, passes) => {
    verifies('GUIDE-28');
    expect(await issuesOf(strip(rule(pattern, flags)), text)).toEqual(passes ? [] : ['m']);
  });

  test('global and sticky regexes keep no state', async () => {
    const criteria = await compile([rule('a', 'g'), rule('a', 'y'), rule('a', 'gy')]);
    for (let time = 0; time < 4; time += 1) {
      expect(validateAtOnce(criteria, 'aa', {})).toMatchObject({ valid: true });
    }
  });

  test.each([
    [rule('('), '/pattern Invalid regular expression: Unterminated group'],
    [rule('(?x)a'), '/pattern Invalid regular expression: inline flag "x" is none of i, m, s'],
    [rule('(?ix)a'), '/pattern Invalid regular expression: inline flag "x" is none of i, m, s'],
    [rule('a)|(b'), "/pattern Invalid regular expression: Unmatched ')'"],
    [rule(''), '/pattern "pattern" must not be empty'],
    [{ type: 'regex', message: 'm' }, '/ Missing field: pattern'],
    [
      { type: 'regex', pattern: 1, message: 'm' },
      '/pattern "pattern" must be a string, got number',
    ],
    [{ ...rule('a'), flags: 1 }, '/flags "flags" must be a string, got number'],
    [{ ...rule('a'), flags: null }, '/flags "flags" must be a string, got null'],
  ])('%j: %s', async (source, problem) => {
    verifies('GUIDE-28');
    expect(await problemsOf(strip(source))).toEqual([problem]);
  });

  test.each(['x', 'ii', 'uv', 'I', ' '])('the flags %j are wrong', async (flags) => {
    verifies('GUIDE-28');
    expect((await problemsOf(rule('a', flags)))[0]).toMatch(/^\/flags Invalid flags: /);
  });
});

describe('deadline', () => {
  const runaway = '^(a+)+$';
  const text = `${'a'.repeat(50)}!`;

  test('stops a runaway regex and schema, and names the rule', async () => {
    verifies('GUIDE-29');
    const source = [
      has('a'),
      { or: [has('a'), { not: { type: 'regex', pattern: runaway, message: 'm' } }] },
    ];
    expect(validateAtOnce(await compile(source), text, {})).toEqual({
      kind: 'interrupted',
      rule: '/1/or/1/not',
      reason: 'took longer than 100 ms',
    });
    const schema = { properties: { a: { pattern: runaway } } };
    expect(
      validateAtOnce(
        await compile({ type: 'schema', schema, message: 'm' }),
        JSON.stringify({ a: text }),
        {},
      ),
    ).toEqual({ kind: 'interrupted', rule: '', reason: 'took longer than 100 ms' });
  });

  test('the rules that follow work as before', async () => {
    verifies('GUIDE-29');
    const criteria = await compile({ type: 'regex', pattern: runaway, message: 'm' });
    expect(validateAtOnce(criteria, text, {}).kind).toBe('interrupted');
    expect(validateAtOnce(criteria, 'aaa', {})).toMatchObject({ valid: true });
  });

  test('many slow rules share one time limit', async () => {
    const criteria = await compile(Array.from({ length: 2000 }, () => has('a')));
    // Each look at the clock takes ten milliseconds, and so does each rule.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 10;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    expect(validateAtOnce(criteria, 'a', {})).toMatchObject({
      kind: 'interrupted',
      rule: '/200',
      reason: 'all rules together took longer than 2000 ms',
    });
  });
});

describe('length', () => {
  test('counts code points', async () => {
    verifies('GUIDE-30');
    const one = { type: 'length', min: 1, max: 1, message: 'm' };
    expect(await issuesOf(one, '😀')).toEqual([]);
    expect(await issuesOf(one, '😀a')).toEqual(['m']);
    expect(await issuesOf({ type: 'length', min: 2, message: 'm' }, '😀')).toEqual(['m']);
    expect(await issuesOf({ type: 'length', max: 0, message: 'm' }, 'a')).toEqual(['m']);
    expect(await issuesOf({ type: 'length', message: 'm' }, 'a')).toEqual([]);
  });

  test.each([
    [{ min: 2, max: 1 }, '/min "min" must not be greater than "max", got 2 and 1'],
    [{ min: -1 }, '/min "min" must be an integer of 0 or more, got -1'],
    [{ max: 1.5 }, '/max "max" must be an integer of 0 or more, got 1.5'],
    [{ max: '9' }, '/max "max" must be an integer of 0 or more, got string'],
    [{ min: null }, '/min "min" must be an integer of 0 or more, got null'],
  ])('%j: %s', async (bounds, problem) => {
    verifies('GUIDE-30');
    expect(await problemsOf({ type: 'length', message: 'm', ...bounds })).toEqual([problem]);
  });
});

describe('schema', () => {
  const rule = (schema: unknown, message = 'm') => ({ type: 'schema', schema, message });

  test('judges JSON', async () => {
    const schema = {
      type: 'object',
      properties: { method: { enum: ['GET', 'POST'] } },
      required: ['method'],
    };
    expect(await issuesOf(rule(schema), '{"method":"GET"}')).toEqual([]);
    expect(await issuesOf(rule(schema), '{"method":"PUT"}')).toEqual(['m']);
    expect(await issuesOf(rule(schema), '\uFEFF{"method":"GET"}')).toEqual([]);
  });

  test('text that is not JSON fails, and is reported once', async () => {
    verifies('GUIDE-32');
    const criteria = [rule({}, 'first'), has('x'), rule({}, 'second')];
    expect(await issuesOf(criteria, 'no json')).toEqual(['first', NOT_JSON, 'x', 'second']);
    expect(await issuesOf({ not: rule({}) }, 'no json')).toEqual([]);
    expect(await issuesOf({ or: [rule({}), has('no')] }, 'no json')).toEqual([]);
    expect(await issuesOf({ or: [rule({}), has('x')] }, 'no json')).toEqual(['m', NOT_JSON, 'x']);
  });

  test('a missing schema is a problem of the rule', async () => {
    verifies('GUIDE-32');
    expect(await problemsOf({ type: 'schema', message: 'm' })).toEqual(['/ Missing field: schema']);
    for (const schema of [true, 'x', null, [{}]]) {
      expect((await problemsOf(rule(schema)))[0]).toMatch(/^\/schema "schema" must be an object/);
    }
  });

  test('a malformed schema is a problem of its own kind', async () => {
    verifies('GUIDE-32');
    const { criteria, problems } = await parseCriteria([
      rule({ type: 'strin' }),
      rule({ properties: { a: { pattern: '(' } } }),
      { type: 'contains', message: 'm' },
    ]);
    expect(criteria).toBeNull();
    expect(problems.map(({ code, path }) => [code, path.join('/')])).toEqual([
      ['missing_key', '2'],
      ['wrong_schema', '0/schema/type'],
      ['wrong_schema', '1/schema/properties/a/pattern'],
    ]);
  });
});

describe('compositions', () => {
  const parts = [has('a'), has('b'), has('c')];

  test('report what failed in them', async () => {
    verifies('GUIDE-33');
    expect(await issuesOf({ and: parts }, 'b')).toEqual(['a', 'c']);
    expect(await issuesOf({ or: parts }, 'b')).toEqual([]);
    expect(await issuesOf({ or: parts }, 'x')).toEqual(['a', 'b', 'c']);
    expect(await issuesOf([{ and: [has('a'), { or: parts.slice(1) }] }], 'a')).toEqual(['b', 'c']);
    expect(await issuesOf([has('a', 'm'), has('b', 'm')], 'x')).toEqual(['m', 'm']);
  });

  test('a not reports its own message', async () => {
    verifies('GUIDE-33');
    expect(await issuesOf({ not: has('a') }, 'b')).toEqual([]);
    expect(await issuesOf({ not: has('a') }, 'a')).toEqual(['Output must not satisfy: a']);
    expect(await issuesOf({ not: has('a'), message: 'no a' }, 'a')).toEqual(['no a']);
    expect(await issuesOf({ not: { or: parts } }, 'a')).toEqual([
      'Output must not satisfy: a; b; c',
    ]);
    expect(await issuesOf({ not: { not: has('a') } }, 'b')).toEqual([
      'Output must not satisfy: Output must not satisfy: a',
    ]);
  });

  test('skipped members do not count', async () => {
    verifies('GUIDE-34');
    const skipped = { ...has('s'), condition: ON };
    expect(await issuesOf({ or: [skipped, has('a')] }, 'x')).toEqual(['a']);
    expect(await issuesOf({ not: skipped }, 's')).toEqual([]);
    expect(await issuesOf({ and: [skipped] }, 'x')).toEqual([]);
    expect(await issuesOf({ or: [skipped] }, 'x')).toEqual([]);
    expect(await issuesOf({ or: [{ not: skipped }, has('a')] }, 'x')).toEqual(['a']);
    expect(await issuesOf({ or: [{ and: [skipped] }, has('a')] }, 'x')).toEqual(['a']);
    expect(await issuesOf({ not: { or: [skipped] } }, 's')).toEqual([]);
    expect(await issuesOf({ not: { and: [skipped, has('a')] } }, 'a')).toEqual([
      'Output must not satisfy: a',
    ]);
    expect(await issuesOf({ or: [skipped, has('a')] }, 'x', { on: 1 })).toEqual(['s', 'a']);
    expect(await issuesOf(skipped, 'x')).toEqual([]);
  });
});

describe('answers', () => {
  test('suggestions are the general one, then those of the reported rules, once each', async () => {
    verifies('GUIDE-36');
    const hint = (value: string, suggestion: string) => ({ ...has(value), suggestion });
    const source = [
      hint('a', 'second'),
      hint('b', 'first'),
      has('c'),
      hint('d', 'second'),
      { not: hint('x', 'of the inner one'), suggestion: 'of the not' },
      { or: [hint('x', 'unused'), hint('e', 'unused')] },
      hint('f', REVIEW),
    ];
    const verdict = await judge(source, 'x');
    expect(verdict.suggestions).toEqual([REVIEW, 'second', 'first', 'of the not']);
    expect(verdict.failures).toEqual([
      { message: 'a', suggestion: 'second' },
      { message: 'b', suggestion: 'first' },
      { message: 'c', suggestion: null },
      { message: 'd', suggestion: 'second' },
      { message: 'Output must not satisfy: x', suggestion: 'of the not' },
      { message: 'f', suggestion: REVIEW },
    ]);
    expect(await judge(hint('a', 's'), 'a')).toMatchObject({ suggestions: [], failures: [] });
  });

  test('the context decides which rules apply', async () => {
    verifies('GUIDE-37');
    const source = [
      { ...has('bcrypt'), condition: { var: 'security', equals: 'high' } },
      { ...has('expires'), condition: { var: 'env.name', equals: 'production' } },
    ];
    expect(await issuesOf(source, 'x')).toEqual([]);
    expect(await issuesOf(source, 'x', { security: 'high' })).toEqual(['bcrypt']);
    expect(await issuesOf(source, 'x', { env: { name: 'production' } })).toEqual(['expires']);
    const criteria = await compile(source);
    expect(
      conditionsOf(criteria).flatMap(({ variables }) => variables.map(({ name }) => name)),
    ).toEqual(['security', 'env.name']);
  });

  test('applicable messages are available in advance', async () => {
    const source = [
      has('a'),
      { or: [{ ...has('b'), condition: ON }, { and: [has('c'), has('a')] }] },
      { not: { ...has('d'), condition: ON } },
      { not: has('e'), message: 'no e' },
    ];
    const criteria = await compile(source);
    expect(criteria.source).toBe(source);
    expect(applicableMessages(criteria, {})).toEqual(['a', 'c', 'a', 'no e']);
    expect(applicableMessages(criteria, { on: true })).toEqual([
      'a',
      'b',
      'c',
      'a',
      'Output must not satisfy: d',
      'no e',
    ]);
    expect(conditionsOf(criteria)).toHaveLength(2);
  });
});
