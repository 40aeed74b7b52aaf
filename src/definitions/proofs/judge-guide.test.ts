import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { holds } from '../../core/conditions.ts';
import { parseCondition } from '../../core/conditions-parse.ts';
import { judgeGuide } from './judge-guide.ts';

const never = { var: 'n', gt: 5, lt: 3 };
const step = (more: object) => ({ id: 'a', title: 'A', prompt: 'Do it', ...more });
const found = (runCondition: unknown) => judgeGuide({ steps: [step({ runCondition })] });

test('a condition that no context can meet is found where it is written, but not in schemas', () => {
  verifies('LANG-8');
  const rule = (more: object) => ({ type: 'contains', value: 'x', message: 'x', ...more });
  const schema = { type: 'object', properties: { condition: never } };
  const validationCriteria = {
    and: [rule({}), { not: rule({ condition: never }) }, rule({ type: 'schema', schema })],
  };
  const confirmed = step({ runCondition: {}, requireConfirmation: never, validationCriteria });
  const findings = judgeGuide({ steps: [confirmed, step({ runCondition: { not: {} } })] });
  expect(findings.map(({ code, path }) => [code, path.join('/')])).toEqual([
    ['never_holds', 'steps/0/requireConfirmation'],
    ['never_holds', 'steps/0/validationCriteria/and/1/not/condition'],
    ['never_holds', 'steps/1/runCondition'],
  ]);
  const tooMany = Array.from({ length: 9_000 }, (_, at) => ({ var: 'n', equals: at }));
  expect(found({ and: tooMany }), 'above the limits').toEqual([]);
});

const clause = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      {
        var: fc.constantFrom('a', 'b', 'b.c'),
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

test('of random conditions those are found that hold in none of many contexts', () => {
  verifies('LANG-8');
  const values = [true, false, null, 0, 0.5, 1, 1.5, 2, -1, 3, '', 'x', 'other', undefined];
  const known = (context: object) =>
    Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
  const contexts = values.flatMap((a) =>
    values.flatMap((b) => values.map((c) => known({ a, b, 'b.c': c }))),
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
