import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { holds, missingVariables } from './conditions.ts';
import { parseCondition } from './conditions-parse.ts';
import { MAX_PROBLEMS } from './conditions-problems.ts';

function decide(condition: unknown, context: Record<string, unknown>): boolean {
  const parsed = parseCondition(condition);
  expect(parsed.problems).toEqual([]);
  if (parsed.condition === null) throw new Error('no problems, and yet no condition');
  return holds(parsed.condition, context);
}

function problemsOf(condition: unknown): string[] {
  const parsed = parseCondition(condition);
  expect(parsed.condition).toBeNull();
  return parsed.problems.map(({ path, message }) => `/${path.join('/')} ${message}`);
}

describe('the result of a condition', () => {
  test.each([
    [{ var: 'x', equals: 1 }, false],
    [{ var: 'x', equals: null }, false],
    [{ var: 'x', not_equals: 1 }, true],
    [{ var: 'x', not_equals: null }, true],
    [{ var: 'x', gt: 0 }, false],
    [{ var: 'x', gte: 0 }, false],
    [{ var: 'x', lt: 0 }, false],
    [{ var: 'x', lte: 0 }, false],
    [{ var: 'x' }, false],
    [{ not: { var: 'x' } }, true],
  ])('a missing variable: %j is %s', (condition, expected) => {
    verifies('GUIDE-13');
    expect(decide(condition, {})).toBe(expected);
    expect(decide(condition, { x: undefined, other: 1 })).toBe(expected);
  });

  test.each([
    ['5', { equals: 5 }, false],
    [5, { equals: 5 }, true],
    ['Large', { equals: 'large' }, false],
    [true, { equals: 'true' }, false],
    ['', { equals: 0 }, false],
    [null, { equals: null }, true],
    [0, { equals: -0 }, true],
    ['5', { not_equals: 5 }, true],
    ['5', { gt: 3 }, false],
    ['5', { lt: 9 }, false],
    [null, { gte: 0 }, false],
    [[5], { gte: 0 }, false],
    [5, { gt: 5 }, false],
    [5, { gte: 5 }, true],
    [5, { lt: 5 }, false],
    [5, { lte: 5 }, true],
    [Number.NaN, { lte: 5 }, false],
  ])('%j under %j is %s', (value, comparison, expected) => {
    verifies('GUIDE-14');
    expect(decide({ var: 'x', ...comparison }, { x: value })).toBe(expected);
  });

  test('all operators of one object must hold', () => {
    verifies('GUIDE-15');
    const range = { var: 'n', gte: 1, lte: 3 };
    expect([0, 1, 3, 5].map((n) => decide(range, { n }))).toEqual([false, true, true, false]);
    expect(decide({ var: 'n', equals: 1, not_equals: 1 }, { n: 1 })).toBe(false);
    expect(decide({ var: 'n', gte: 1, or: [{ var: 'm' }] }, { n: 1 })).toBe(false);
    expect(decide({ var: 'n', gte: 1, not: { var: 'm' } }, { n: 1 })).toBe(true);
    expect(decide({ and: [], or: [], not: {} }, {})).toBe(false);
  });

  test.each([
    [{ a: 1, b: [true, null] }, { b: [true, null], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ 0: 'a' }, ['a'], false],
    [{ a: null }, { b: null }, false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [JSON.parse('{"__proto__":{}}'), {}, false],
    [{ toString: 1 }, { valueOf: 1 }, false],
  ])('by structure, %j equals %j is %s', (value, operand, expected) => {
    verifies('GUIDE-15');
    expect(decide({ var: 'x', equals: operand }, { x: value })).toBe(expected);
    expect(decide({ var: 'x', not_equals: operand }, { x: value })).toBe(!expected);
  });

  test.each(['constructor', '__proto__', 'toString', '__proto__.toString', 'constructor.name'])(
    'the inherited %s does not count as a variable',
    (name) => {
      verifies('GUIDE-16');
      expect(decide({ var: name }, {})).toBe(false);
      expect(decide({ var: `a.${name}` }, { a: {} })).toBe(false);
      expect(decide({ var: `a.${name}` }, { a: 'text' })).toBe(false);
    },
  );

  test('own properties with such names do', () => {
    verifies('GUIDE-16');
    expect(decide({ var: '__proto__', equals: 1 }, JSON.parse('{"__proto__":1}'))).toBe(true);
    expect(decide({ var: 'a.__proto__.b' }, JSON.parse('{"a":{"__proto__":{"b":1}}}'))).toBe(true);
  });

  test.each([
    [{}, true],
    [{ and: [{}] }, true],
    [{ or: [{}] }, true],
    [{ not: {} }, false],
    [{ and: [] }, true],
    [{ or: [] }, false],
    [{ not: { or: [] } }, true],
  ])('%j is %s', (condition, expected) => {
    verifies('GUIDE-17');
    expect(decide(condition, {})).toBe(expected);
  });

  test('a variable alone counts by truthiness, also beside others', () => {
    const values = [0, '', null, false, 'a', 1, [], {}, '0'];
    const truthy = [false, false, false, false, true, true, true, true, true];
    expect(values.map((x) => decide({ var: 'x' }, { x }))).toEqual(truthy);
    expect(decide({ var: 'x', and: [] }, { x: 0 })).toBe(false);
    expect(decide({ var: 'x', or: [{}] }, { x: 1 })).toBe(true);
    expect(decide({ var: 'x', equals: 0 }, { x: 0 })).toBe(true);
  });

  test('dots select from nested objects, and a literal key wins', () => {
    verifies('GUIDE-19');
    const condition = { var: 'a.b', equals: 1 };
    expect(decide(condition, { a: { b: 1 } })).toBe(true);
    expect(decide(condition, { a: { b: 1 }, 'a.b': 2 })).toBe(false);
    expect(decide(condition, { a: { b: 2 }, 'a.b': 1 })).toBe(true);
    expect(decide({ var: 'a.b' }, { a: { b: 1 }, 'a.b': null })).toBe(false);
    expect(decide({ var: 'a.0' }, { a: ['x'] })).toBe(false);
    expect(decide({ var: 'a.length' }, { a: ['x'] })).toBe(false);
    expect(decide({ var: 'a.length' }, { a: 'x' })).toBe(false);
    expect(decide({ var: 'a..b' }, { a: { '': { b: 1 } } })).toBe(true);
    expect(decide({ var: 'a.b.c' }, { 'a.b': { c: 1 } })).toBe(false);
  });
});

describe('problems of a condition', () => {
  test.each([
    [{ var: 'x', foo: 1 }],
    [{ foo: 1 }],
    [{ not: { foo: 1 } }],
    [{ or: [{}, { foo: 1 }] }],
    [{ and: [{ or: [{ not: { var: 'x', foo: 1 } }] }] }],
    [JSON.parse('{"__proto__":1}')],
    [{ Equals: 1, var: 'x' }],
  ])('an unknown operator in %j', (condition) => {
    verifies('GUIDE-18');
    const problems = problemsOf(condition);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/Unknown operator: (foo|__proto__|Equals) /);
  });

  test('operators of other engines are named as not supported', () => {
    for (const name of ['in', 'contains', 'startsWith', 'endsWith']) {
      expect(problemsOf({ var: 'x', [name]: 'a' })).toEqual([`/${name} Not supported: ${name}`]);
    }
  });

  test.each([
    ['severity == high', '{"var":"severity","equals":"high"}'],
    ["severity === 'very high'", '{"var":"severity","equals":"very high"}'],
    ['user.level!="low"', '{"var":"user.level","not_equals":"low"}'],
    ['done = true', '{"var":"done","equals":true}'],
    ['count >= 3', '{"var":"count","gte":3}'],
    ['count < -0.5', '{"var":"count","lt":-0.5}'],
    ['!done', '{"not":{"var":"done"}}'],
  ])('a condition written as text, %s, is answered with the object', (written, meant) => {
    expect(problemsOf(written)).toEqual([
      `/ A condition must be an object, got string; did you mean ${meant}?`,
    ]);
    expect(parseCondition(JSON.parse(meant)).problems).toEqual([]);
  });

  test.each(['', 'a == b and c', 'count > many', 'a b', '=='])(
    'text that is not understood, %s, is answered with an example',
    (written) => {
      expect(problemsOf(written)).toEqual([
        '/ A condition must be an object, got string, for example {"var": "severity", "equals": "high"}',
      ]);
    },
  );

  test.each([
    [
      null,
      '/ A condition must be an object, got null, for example {"var": "severity", "equals": "high"}',
    ],
    ['x', '/ A condition must be an object, got string; did you mean {"var":"x"}?'],
    [
      [],
      '/ A condition must be an object, got array, for example {"var": "severity", "equals": "high"}',
    ],
    [
      undefined,
      '/ A condition must be an object, got nothing, for example {"var": "severity", "equals": "high"}',
    ],
    [
      { and: [null] },
      '/and/0 A condition must be an object, got null, for example {"var": "severity", "equals": "high"}',
    ],
    [
      { not: [{}] },
      '/not A condition must be an object, got array, for example {"var": "severity", "equals": "high"}',
    ],
    [{ or: {} }, '/or "or" must be an array of conditions, got object'],
    [{ and: 'x' }, '/and "and" must be an array of conditions, got string'],
    [{ var: 1 }, '/var "var" must be the name of a variable, got number'],
    [{ var: '' }, '/var "var" must be the name of a variable, got an empty string'],
    [{ var: 'x', gt: '1' }, '/gt "gt" must be a number, got string'],
    [{ var: 'x', gt: Number.NaN }, '/gt "gt" must be a number, got number'],
    [{ var: 'x', lte: null }, '/lte "lte" must be a number, got null'],
    [
      { var: 'x', equals: undefined },
      '/equals "equals" must be a JSON value of at most 10000 parts',
    ],
    [{ equals: 1 }, '/equals "equals" needs a "var" beside it that names the variable to compare'],
  ])('%j: %s', (condition, problem) => {
    expect(problemsOf(condition)).toEqual([problem]);
  });

  test('are all reported at once, each with its place', () => {
    const problems = problemsOf({
      var: 3,
      foo: 1,
      and: [{ gt: 1 }, { var: 'x', lt: 'y', gte: [] }],
      not: { bar: 1 },
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      '/foo',
      '/var',
      '/and/0/gt',
      '/and/1/gte',
      '/and/1/lt',
      '/not/bar',
    ]);
  });
});

describe('bounds', () => {
  function nested(depth: number): unknown {
    let condition: unknown = {};
    for (let level = 1; level < depth; level += 1) condition = { not: condition };
    return condition;
  }

  test('32 conditions deep works; 33 and 20,000 are refused', () => {
    verifies('GUIDE-20');
    expect(decide(nested(32), {})).toBe(false);
    expect(decide(nested(31), {})).toBe(true);
    for (const depth of [33, 20_000]) {
      expect(problemsOf(nested(depth))).toEqual([
        `${'/not'.repeat(32)} Conditions are nested more than 32 deep`,
      ]);
    }
  });

  test('values of any depth are compared', () => {
    const deep = (end: string) => JSON.parse(`${'['.repeat(5000)}${end}${']'.repeat(5000)}`);
    const condition = { var: 'x', equals: deep('1') };
    expect(decide(condition, { x: deep('1') })).toBe(true);
    expect(decide(condition, { x: deep('2') })).toBe(false);
    const endless: unknown[] = [];
    endless.push(endless);
    expect(decide(condition, { x: endless })).toBe(false);
  });

  test('a cycle or an explosion of shared branches is refused', () => {
    const cycle: Record<string, unknown> = {};
    cycle.not = cycle;
    expect(problemsOf(cycle)).toHaveLength(1);
    const endless: unknown[] = [];
    endless.push(endless);
    expect(problemsOf({ var: 'x', equals: endless })).toHaveLength(1);
    let value: unknown = [1];
    let condition: unknown = {};
    for (let level = 0; level < 30; level += 1) {
      value = [value, value];
      condition = { and: [condition, condition] };
    }
    expect(problemsOf({ var: 'x', equals: value })).toHaveLength(1);
    expect(problemsOf(condition)).toEqual([
      expect.stringMatching(/More than 10000 conditions in one condition$/),
    ]);
  });

  test('problems are limited in number, and quotes in length', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`op${at}`, 1]));
    expect(problemsOf(many)).toHaveLength(MAX_PROBLEMS);
    const [long] = parseCondition({ ['x'.repeat(100_000)]: 1 }).problems;
    expect(long?.message.length).toBeLessThan(400);
  });
});

test('the variables of a condition are sorted and listed once each', () => {
  const source = {
    var: 'z',
    and: [{ var: 'a.b', equals: 1 }, { or: [{ var: 'z' }, { not: { var: 'c', lt: 1 } }] }],
  };
  const { condition } = parseCondition(source);
  if (condition === null) throw new Error('has problems');
  expect(condition.source).toBe(source);
  expect(condition.variables.map(({ name }) => name)).toEqual(['a.b', 'c', 'z']);
  expect(missingVariables(condition, {})).toEqual(['a.b', 'c', 'z']);
  expect(missingVariables(condition, { a: { b: null }, z: 0 })).toEqual(['c']);
  expect(missingVariables(condition, { 'a.b': 1, c: 1, z: 1 })).toEqual([]);
});
