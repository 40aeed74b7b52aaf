// Compares the rule engine with a direct reading of the contract, on random criteria, texts
// and contexts of so few words that they often interact. DEEPWORK_CASES sets how many.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Member, referenceMessages, referenceValidate } from '../../test/reference/rules.ts';
import { validateAtOnce } from '../../test/support/validate-at-once.ts';
import { applicableMessages, parseCriteria } from './rules.ts';

const numRuns = Number(process.env.DEEPWORK_CASES ?? 1500);
const timeout = 30_000 + 4 * numRuns;

const message = fc.constantFrom('m1', 'm2', 'm3', 'Output is not valid JSON for schema validation');
const condition = fc.constantFrom<NonNullable<Member['condition']>[]>(
  {},
  { var: 'on' },
  { var: 'on' },
  { not: { var: 'on' } },
  { var: 'level', gte: 2 },
  { or: [] },
);
const common = fc.record(
  { message, condition, suggestion: fc.constantFrom('s1', 's2') },
  { requiredKeys: ['message'] },
);
const contains = fc.record({
  type: fc.constant('contains'),
  value: fc.constantFrom('', 'a', 'B', 'ab', '😀', 'zz'),
});
const length = fc
  .record({ min: fc.nat(3), more: fc.nat(3) }, { requiredKeys: [] })
  .map(({ min, more }) => ({
    type: 'length',
    ...(min === undefined ? {} : { min }),
    ...(more === undefined ? {} : { max: (min ?? 0) + more }),
  }));
const regex = fc.record(
  {
    type: fc.constant('regex'),
    pattern: fc.constantFrom('b', '(?i)b', '^a', 'a$', '^.$', 'a(?=b)', '(a|b)\\1', '[^ab]'),
    flags: fc.constantFrom('', 'i', 'm', 's', 'u', 'g', 'gi'),
  },
  { requiredKeys: ['type', 'pattern'] },
);
const schema = fc.record({
  type: fc.constant('schema'),
  schema: fc.constantFrom<NonNullable<Member['schema']>[]>(
    {},
    { type: 'object' },
    { type: 'number' },
    { required: ['a'] },
  ),
});
// Schemas and regexes are slow, so they are rare.
const rule = fc
  .tuple(
    common,
    fc.oneof(
      { weight: 30, arbitrary: contains },
      { weight: 16, arbitrary: length },
      { weight: 3, arbitrary: regex },
      { weight: 1, arbitrary: schema },
    ),
  )
  .map(([shared, test]): Member => ({ ...test, ...shared }));
const member = fc.letrec<{ tree: Member; list: Member[] }>((tie) => ({
  list: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
  tree: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: rule },
    { weight: 1, arbitrary: tie('list').map((and) => ({ and })) },
    { weight: 1, arbitrary: tie('list').map((or) => ({ or })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          tie('tree'),
          fc.record({ message, suggestion: fc.constant('s3') }, { requiredKeys: [] }),
        )
        .map(([not, words]) => ({ not, ...words })),
    },
  ),
})).tree;
const criteria = fc.oneof(member, fc.array(member, { minLength: 1, maxLength: 3 }));
const text = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'B', ' ', '\n', '😀', '\ud83d', 'A'), { maxLength: 5 })
    .map((words) => words.join('')),
  fc.constantFrom('{}', '{"a":1}', '7', 'null', '[]', '{"a":', '"ab"', '\u00a0\u2028'),
);
const context = fc.record({ on: fc.boolean(), level: fc.nat(3) }, { requiredKeys: [] });

test('verdicts and messages are those of the contract', { timeout }, async () => {
  let valid = 0;
  await fc.assert(
    fc.asyncProperty(criteria, text, context, async (source, output, values) => {
      const parsed = await parseCriteria(source);
      expect(parsed.problems).toEqual([]);
      if (parsed.criteria === null) throw new Error('no problems, and yet no criteria');
      const expected = referenceValidate(source, output, { ...values });
      if (expected.valid) valid += 1;
      const found = validateAtOnce(parsed.criteria, output, values);
      // Schema errors, in the library's words, come last.
      const own = expected.suggestions.length;
      expect({
        ...found,
        ...(found.kind === 'done' && { suggestions: found.suggestions.slice(0, own) }),
      }).toMatchObject({
        kind: 'done',
        ...expected,
      });
      const rest = found.kind === 'done' ? found.suggestions.slice(own) : [];
      expect(rest.filter((line) => !line.startsWith('At (root): '))).toEqual([]);
      const messages = referenceMessages(source, { ...values });
      expect(applicableMessages(parsed.criteria, values)).toEqual(messages);
    }),
    { numRuns },
  );
  // Random cases that nearly all have the same result would prove little.
  expect(valid / numRuns).toBeGreaterThan(0.15);
  expect(valid / numRuns).toBeLessThan(0.8);
});

test('no value makes parsing throw, and all accepted criteria can be evaluated', {
  timeout,
}, async () => {
  const fields = fc.dictionary(
    fc.constantFrom('type', 'value', 'pattern', 'flags', 'min', 'schema', 'message', 'and', 'not'),
    fc.oneof(
      fc.constantFrom('contains', 'regex', 'schema', 'length', 'x', '(', 0, -1),
      fc.anything({ maxDepth: 2 }),
      fc.array(rule, { maxLength: 2 }),
    ),
  );
  const anything = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }),
    fields,
    fc.array(fc.oneof(fields, rule), { maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(anything, text, async (value, output) => {
      const parsed = await parseCriteria(value);
      if (parsed.problems.length > 0) expect(parsed.criteria).toBeNull();
      for (const problem of parsed.problems) expect(problem.message.length).toBeLessThan(500);
      expect(validateAtOnce(parsed.criteria, output, {}).kind).toBe('done');
    }),
    { numRuns: Math.ceil(numRuns / 4) },
  );
});
