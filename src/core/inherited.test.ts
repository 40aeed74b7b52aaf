// Inherited properties must not influence anything, neither in a definition nor in a
// context. So Object.prototype gets a trap for each meaningful name, and random conditions
// and rules are parsed and evaluated while the traps are set.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateAtOnce } from '../../test/support/validate-at-once.ts';
import { holds, missingVariables } from './conditions.ts';
import { parseCondition } from './conditions-parse.ts';
import { applicableMessages, conditionsOf, parseCriteria } from './rules.ts';

const numRuns = Math.ceil(Number(process.env.DEEPWORK_CASES ?? 20_000) / 10);
const timeout = 60_000 + 10 * numRuns;

const NAMES = [
  ...['var', 'equals', 'not_equals', 'gt', 'gte', 'lt', 'lte', 'and', 'or', 'not'],
  ...['type', 'pattern', 'min', 'max', 'message', 'suggestion', 'condition', 'schema'],
  ...['a', 'b', 'user', 'level'],
];

/** Runs work while every name is a trap; returns its result and the traps that were hit. */
async function amongTraps<T>(work: () => T | Promise<T>): Promise<{ result: T; hit: string[] }> {
  const hit: string[] = [];
  for (const name of NAMES) {
    const get = () => {
      hit.push(name);
      return 1;
    };
    Object.defineProperty(Object.prototype, name, { get, configurable: true });
  }
  try {
    return { result: await work(), hit };
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
    name.map((variable) => ({ var: variable })),
    fc.tuple(name, json).map(([variable, equals]) => ({ var: variable, equals })),
    fc.array(tie('tree'), { maxLength: 2 }).map((or) => ({ or })),
    tie('tree').map((not) => ({ not })),
    fc.dictionary(fc.constantFrom('var', 'gte', 'odd'), json),
  ),
})).tree;
// Without schemas, which are evaluated by a library.
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
    rule.map((not) => ({ not })),
  ),
  { maxLength: 3 },
);

test('the traps detect inherited reads', async () => {
  const { result, hit } = await amongTraps(() => 'user' in {} && ({} as { user?: 1 }).user);
  expect([result, hit]).toEqual([1, ['user']]);
});

interface Case {
  readonly source: object;
  readonly values: Record<string, unknown>;
}

function decide({ source, values }: Case) {
  const { condition: decided, problems } = parseCondition(source);
  if (decided === null) return problems.length;
  return [holds(decided, values), ...missingVariables(decided, values)];
}

async function judge({ source, values }: Case) {
  const { criteria: parsed, problems } = await parseCriteria(source);
  const verdict = validateAtOnce(parsed, 'a text', values);
  if (parsed === null) return { verdict, problems: problems.length };
  return {
    verdict,
    messages: applicableMessages(parsed, values),
    asks: conditionsOf(parsed).length,
  };
}

/** All cases among one set of traps: setting them makes V8 drop what it has compiled. */
async function expectOwnOnly(
  sources: fc.Arbitrary<object>,
  work: (each: Case) => unknown,
): Promise<void> {
  const all = fc.sample(fc.record({ source: sources, values: context }), numRuns);
  const workOn = async () => {
    const results: unknown[] = [];
    for (const each of all) results.push(await work(each));
    return results;
  };
  const expected = await workOn();
  const { result, hit } = await amongTraps(workOn);
  expect(hit).toEqual([]);
  const odd = all.filter((_, index) => !isDeepStrictEqual(result[index], expected[index]));
  expect(odd).toEqual([]);
}

test('conditions see own properties only', { timeout }, () => expectOwnOnly(condition, decide));

test('rules see own properties only', { timeout }, () => expectOwnOnly(criteria, judge));
