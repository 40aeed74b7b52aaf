import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { holds } from '../../core/conditions.ts';
import { parseCondition } from '../../core/conditions-parse.ts';
import { judgeGuide } from './judge-guide.ts';

const step = (more: object) => ({ id: 'a', title: 'A', prompt: 'Do it', ...more });
const found = (runCondition: unknown) => judgeGuide({ steps: [step({ runCondition })] });

describe('a condition that no context can meet', () => {
  test.each([
    [{ var: 'n', gt: 5, lt: 3 }, 'no context has n > 5 and n < 3'],
    [{ var: 'n', gt: 1, lte: 1 }, 'no context has n > 1 and n ≤ 1'],
    [
      {
        and: [
          { var: 'level', equals: 'low' },
          { var: 'n', gt: 1 },
          { var: 'level', equals: 'high' },
        ],
      },
      'no context has level = "low" and level = "high"',
    ],
    [{ and: [{ var: 'a' }, { not: { var: 'a' } }, { var: 'b' }] }, 'no context has a and not (a)'],
    [{ var: 'a', equals: true, not_equals: true }, 'no context has a = true and a ≠ true'],
    [
      {
        and: [
          {
            or: [
              { var: 'n', equals: 1 },
              { var: 'n', equals: 2 },
            ],
          },
          { var: 'n', gt: 2 },
        ],
      },
      'no context has (n = 1 or n = 2) and n > 2',
    ],
    [{ not: {} }, 'no context has not (anything)'],
  ])('%j', (condition, says) => {
    verifies('LANG-8');
    expect(found(condition)).toEqual([
      {
        code: 'never_holds',
        path: ['steps', 0, 'runCondition'],
        message: "The condition of step 'a' never holds: no call reaches it",
        proof: { says, path: [] },
      },
    ]);
  });

  test.each([
    [{ var: 'n', gt: 3, lt: 5 }],
    [{ var: 'n', gt: 1, lt: 1.0000001 }],
    [
      {
        and: [
          { var: 'user', equals: 1 },
          { var: 'user.name', equals: 'x' },
        ],
      },
    ],
    [{ not: { or: [{ var: 'a' }, { var: 'a', equals: false }, { var: 'a', equals: null }] } }],
    [{ and: [{ var: 'a', not_equals: 1 }, { var: 'a', not_equals: 2 }, { var: 'a' }] }],
    [{}],
  ])('is not %j', (condition) => {
    expect(found(condition)).toEqual([]);
  });

  test('is found for confirmations and rules, but not in schemas', () => {
    verifies('LANG-8');
    const never = { var: 'n', gt: 5, lt: 3 };
    const rule = (more: object) => ({ type: 'contains', value: 'x', message: 'x', ...more });
    const schema = { type: 'object', properties: { condition: never } };
    const steps = [
      step({
        requireConfirmation: never,
        validationCriteria: {
          and: [rule({}), { not: rule({ condition: never }) }, rule({ type: 'schema', schema })],
        },
      }),
      step({ requireConfirmation: true }),
    ];
    expect(judgeGuide({ steps }).map(({ path }) => path.join('/'))).toEqual([
      'steps/0/requireConfirmation',
      'steps/0/validationCriteria/and/1/not/condition',
    ]);
  });

  test('is not searched for above the limits', () => {
    const many = Array.from({ length: 9_000 }, (_, at) => ({ var: 'n', equals: at }));
    expect(found({ and: many })).toEqual([]);
  });
});

const NAMES = ['a', 'b', 'b.c'];
const VALUES = [true, false, null, 0, 0.5, 1, 1.5, 2, -1, 3, '', 'x', 'other', undefined];

const clause = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      {
        var: fc.constantFrom(...NAMES),
        equals: fc.constantFrom(true, 0, 1, 'x', ''),
        not_equals: fc.constantFrom(false, 1, 'x', null),
        gt: fc.constantFrom(0, 1, 2),
        lt: fc.constantFrom(0, 1, 2),
      },
      { requiredKeys: ['var'] },
    ),
    fc.record({ and: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('any') }),
  ),
})).any;

test('finds random conditions that hold in none of many contexts', () => {
  verifies('LANG-8');
  const contexts = VALUES.flatMap((a) =>
    VALUES.flatMap((b) => VALUES.map((c) => ({ a, b, 'b.c': c }))),
  ).map((each) =>
    Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)),
  );
  fc.assert(
    fc.property(clause, (written) => {
      const { condition } = parseCondition(written);
      if (condition === null) return;
      const isMet = contexts.some((context) => holds(condition, context));
      expect(found(written).length, JSON.stringify(written)).toBe(isMet ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});
