// Nothing that an object only inherits may decide anything: neither in a definition nor in
// a context. So Object.prototype gets a trap for each name that means something, and random
// conditions and rules are read and judged while the traps are set.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds, missingVariables, parseCondition } from './conditions.ts';
import { validateAtOnce } from './rules/validate-at-once.ts';
import { applicableMessages, conditionsOf, parseCriteria } from './rules.ts';

const numRuns = Math.ceil(Number(process.env.DEEPWORK_CASES ?? 20_000) / 10);
const timeout = 60_000 + 10 * numRuns;

const NAMES = [
  ...['var', 'equals', 'not_equals', 'gt', 'gte', 'lt', 'lte', 'and', 'or', 'not'],
  ...['type', 'pattern', 'min', 'max', 'message', 'suggestion', 'condition', 'schema'],
  ...['a', 'b', 'user', 'level'],
];

/** Runs work while every name is a trap; gives its result, and the traps that were sprung. */
async function amongTraps<T>(work: () => T | Promise<T>): Promise<{ result: T; sprung: string[] }> {
  const sprung: string[] = [];
  for (const name of NAMES) {
    const get = () => {
      sprung.push(name);
      return 1;
    };
    Object.defineProperty(Object.prototype, name, { get, configurable: true });
  }
  try {
    return { result: await work(), sprung };
  } finally {
    for (const name of NAMES) delete (Object.prototype as Record<string, unknown>)[name];
  }
}

const own = (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries);
const json = fc.jsonValue({ maxDepth: 2 });
const name = fc.constantFrom('a', 'b', 'user', 'user.level', 'a.b', 'constructor', '__proto__');
const context = fc
  .uniqueArray(fc.tuple(fc.constantFrom('b', 'x', 'user'), json), { selector: ([key]) => key })
  .map(own);
const condition = fc.letrec<{ tree: object }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    name.map((variable) => ({ var: variable })),
    fc.tuple(name, json).map(([variable, equals]) => ({ var: variable, equals })),
    fc.tuple(name, fc.integer()).map(([variable, gt]) => ({ var: variable, gt })),
    fc.array(tie('tree'), { maxLength: 2 }).map((or) => ({ or })),
    tie('tree').map((not) => ({ not })),
    fc.dictionary(fc.constantFrom('var', 'gte', 'odd'), json),
  ),
})).tree;
// Without schemas: their library is not ours to judge.
const rule = fc.record(
  {
    type: fc.constantFrom('contains', 'regex', 'length', 'odd'),
    message: fc.constant('m'),
    value: fc.constantFrom('a', ''),
    pattern: fc.constantFrom('a', '('),
    min: fc.nat(2),
    condition,
  },
  { requiredKeys: ['type'] },
);
const criteria = fc.array(
  fc.oneof(
    rule,
    fc.array(rule, { maxLength: 2 }).map((and) => ({ and })),
    rule.map((not) => ({ not })),
  ),
  { maxLength: 3 },
);

test('the traps work', async () => {
  const { result, sprung } = await amongTraps(() => 'user' in {} && ({} as { user?: 1 }).user);
  expect([result, sprung]).toEqual([1, ['user']]);
});

test('conditions see only what objects have themselves', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(condition, context, async (source, values) => {
      const decide = () => {
        const parsed = parseCondition(source);
        const decided = parsed.condition;
        if (decided === null) return parsed.problems.length;
        return [holds(decided, values), ...missingVariables(decided, values)];
      };
      const expected = decide();
      expect(await amongTraps(decide)).toEqual({ result: expected, sprung: [] });
    }),
    { numRuns },
  );
});

test('rules see only what objects have themselves', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(criteria, context, async (source, values) => {
      const judge = async () => {
        const { criteria: parsed, problems } = await parseCriteria(source);
        const verdict = validateAtOnce(parsed, 'a text', values);
        if (parsed === null) return { verdict, problems: problems.length };
        return {
          verdict,
          messages: applicableMessages(parsed, values),
          asks: conditionsOf(parsed).length,
        };
      };
      const expected = await judge();
      expect(await amongTraps(judge)).toEqual({ result: expected, sprung: [] });
    }),
    { numRuns },
  );
});
