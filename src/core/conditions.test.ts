import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookUp, referenceHolds } from '../../test/reference/conditions.ts';
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
  return parsed.problems.map(({ code, path }) => `${code} /${path.join('/')}`);
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
  const foo = (place: string) => [`unknown_operator ${place}/foo`];

  test.each<[condition: unknown, problems: string[]]>([
    [{ var: 'x', foo: 1 }, foo('')],
    [{ foo: 1 }, foo('')],
    [{ not: { foo: 1 } }, foo('/not')],
    [{ or: [{}, { foo: 1 }] }, foo('/or/1')],
    [{ and: [{ or: [{ not: { var: 'x', foo: 1 } }] }] }, foo('/and/0/or/0/not')],
    [JSON.parse('{"__proto__":1}'), ['unknown_operator /__proto__']],
    [{ Equals: 1, var: 'x' }, ['unknown_operator /Equals']],
    [{ var: 'x', startsWith: 'a' }, ['not_supported /startsWith']],
    [null, ['wrong_type /']],
    [[], ['wrong_type /']],
    [undefined, ['wrong_type /']],
    [{ and: [null] }, ['wrong_type /and/0']],
    [{ not: [{}] }, ['wrong_type /not']],
    [{ or: {} }, ['wrong_type /or']],
    [{ var: 1 }, ['wrong_type /var']],
    [{ var: '' }, ['wrong_type /var']],
    [{ var: 'x', gt: '1' }, ['wrong_type /gt']],
    [{ var: 'x', gt: Number.NaN }, ['wrong_type /gt']],
    [{ var: 'x', lte: null }, ['wrong_type /lte']],
    [{ var: 'x', equals: undefined }, ['wrong_type /equals']],
    [{ equals: 1 }, ['missing_key /equals']],
    // All are reported at once, each with its place.
    [
      { var: 3, foo: 1, and: [{ gt: 1 }, { var: 'x', lt: 'y', gte: [] }], not: { bar: 1 } },
      [
        ...foo(''),
        'wrong_type /var',
        'missing_key /and/0/gt',
        'wrong_type /and/1/gte',
        'wrong_type /and/1/lt',
        'unknown_operator /not/bar',
      ],
    ],
  ])('%j', (condition, problems) => {
    verifies('GUIDE-18');
    expect(problemsOf(condition)).toEqual(problems);
  });

  test.each([
    ['severity == high', '{"var":"severity","equals":"high"}'],
    ["severity === 'very high'", '{"var":"severity","equals":"very high"}'],
    ['user.level!="low"', '{"var":"user.level","not_equals":"low"}'],
    ['done = true', '{"var":"done","equals":true}'],
    ['count >= 3', '{"var":"count","gte":3}'],
    ['count < -0.5', '{"var":"count","lt":-0.5}'],
    ['!done', '{"not":{"var":"done"}}'],
    ['x', '{"var":"x"}'],
    ['', null],
    ['a == b and c', null],
    ['count > many', null],
    ['==', null],
  ])('a condition written as text, %s, is answered with the object', (written, meant) => {
    const [problem, ...others] = parseCondition(written).problems;
    expect(others).toEqual([]);
    expect(problem?.message).toContain(meant ?? '{"var": "severity", "equals": "high"}');
    if (meant !== null) expect(parseCondition(JSON.parse(meant)).problems).toEqual([]);
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
      expect(problemsOf(nested(depth))).toEqual([`too_deep ${'/not'.repeat(32)}`]);
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
    expect(problemsOf(condition)).toHaveLength(1);
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

// Random conditions and contexts that share a few names and values, compared with a direct reading of
// the contract. DEEPWORK_CASES sets how many.

const numRuns = Number(process.env.DEEPWORK_CASES ?? 4000);
const timeout = 30_000 + 2 * numRuns;

const key = fc.constantFrom('a', 'b', 'a.b', 'b.a', '__proto__', 'constructor', '');
const scalar = fc.constantFrom(null, true, false, 0, -0, 1, 2, 3.5, '', '1', 'a', 'A');
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 2, selector: ([k]) => k }).map(own),
  ),
})).value;
const context = fc
  .uniqueArray(fc.tuple(key, json), { maxLength: 4, selector: ([k]) => k })
  .map(own);

const name = fc.constantFrom('a', 'b', 'a.b', 'a.a', 'b.a.b', 'constructor', '__proto__.a', 'c');
const number = fc.constantFrom(0, 1, 2, 3.5);
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom('equals', 'not_equals'), json),
  fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), number),
);
const leaf = fc
  .tuple(name, fc.array(comparison, { maxLength: 2 }))
  .map(([variable, demands]) => own([['var', variable], ...demands]));
const condition = fc.letrec<{ tree: Fields; list: Fields[] }>((tie) => ({
  list: fc.array(tie('tree'), { maxLength: 3 }),
  tree: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: tie('list').map((and) => ({ and })) },
    { weight: 2, arbitrary: tie('list').map((or) => ({ or })) },
    { weight: 2, arbitrary: tie('tree').map((not) => ({ not })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(leaf, tie('list'), tie('list'), tie('tree'))
        .map(([compared, and, or, not]) => ({ ...compared, and, or, not })),
    },
  ),
})).tree;

type Json = null | boolean | number | string | Json[] | Fields;
interface Fields {
  [key: string]: Json;
}

/** Like JSON.parse, makes `__proto__` an ordinary property. */
function own(entries: [string, Json][]): Fields {
  return Object.fromEntries(entries) as Fields;
}

test('conditions hold when the contract says so', { timeout }, () => {
  let held = 0;
  fc.assert(
    fc.property(condition, context, (source, values) => {
      const parsed = parseCondition(source);
      expect(parsed.problems).toEqual([]);
      if (parsed.condition === null) throw new Error('no problems, and yet no condition');
      const expected = referenceHolds(source, values);
      if (expected) held += 1;
      expect(holds(parsed.condition, values)).toBe(expected);
      const missing = parsed.condition.variables
        .map(({ name }) => name)
        .filter((one) => lookUp(one, values) === undefined);
      expect(missingVariables(parsed.condition, values)).toEqual(missing);
    }),
    { numRuns },
  );
  // Random cases that nearly all have the same result would prove little.
  expect(held / numRuns).toBeGreaterThan(0.2);
  expect(held / numRuns).toBeLessThan(0.8);
});

test('no value makes parsing throw, and every accepted condition can be evaluated', {
  timeout,
}, () => {
  const anything = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }),
    fc.dictionary(
      fc.constantFrom('var', 'equals', 'gt', 'and', 'or', 'not', 'in', '__proto__', 'x'),
      fc.anything({ maxDepth: 3 }),
    ),
  );
  fc.assert(
    fc.property(anything, context, (value, values) => {
      const { condition: parsed, problems } = parseCondition(value);
      expect(parsed === null).toBe(problems.length > 0);
      for (const { message } of problems) expect(message.length).toBeLessThan(500);
      if (parsed !== null) expect(typeof holds(parsed, values)).toBe('boolean');
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  );
});
