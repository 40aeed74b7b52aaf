// Compares compiled conditions with a direct reading of the contract, on random conditions
// and contexts that share a few names and values, so that they interact. DEEPWORK_CASES
// sets how many; by default they are 100,000 together with those of the rules.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookUp, referenceHolds } from '../../test/reference/conditions.ts';
import { holds, missingVariables } from './conditions.ts';
import { parseCondition } from './conditions-parse.ts';

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
