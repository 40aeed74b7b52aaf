import { describe, expect, test } from 'vitest';
import { validateAtOnce } from '../../../test/support/validate-at-once.ts';
import { verifies } from '../../../test/verifies.ts';
import { parseCriteria } from './parse.ts';

async function verdictOn(source: unknown, text: string) {
  const { criteria, problems } = await parseCriteria(source);
  expect(problems).toEqual([]);
  return validateAtOnce(criteria, text, {});
}

async function issuesOf(source: unknown, text: string) {
  const verdict = await verdictOn(source, text);
  return verdict.kind === 'done' ? verdict.issues : verdict;
}

async function problemsOf(source: unknown): Promise<string[]> {
  const { criteria, problems } = await parseCriteria(source);
  expect(criteria).toBeNull();
  return problems.map(({ path, message }) => `/${path.join('/')} ${message}`);
}

const has = (value: string, message = value) => ({ type: 'contains', value, message });

describe('shape', () => {
  test('a bare rule, and a composition in a list, work', async () => {
    verifies('GUIDE-35');
    expect(await issuesOf(has('a'), 'x')).toEqual(['a']);
    expect(await issuesOf([{ and: [has('a')] }, has('b')], 'x')).toEqual(['a', 'b']);
  });

  const need =
    'A rule needs a "type" (contains, regex, length, schema), or one of "and", "or", "not"';
  const types = '(known are contains, regex, length, schema)';

  test.each([
    ['text', '/ A rule must be an object, got string'],
    [7, '/ A rule must be an object, got number'],
    [['text'], '/0 A rule must be an object, got string'],
    [[7], '/0 A rule must be an object, got number'],
    [[null], '/0 A rule must be an object, got null'],
    [[[has('a')]], '/0 A rule must be an object, got array'],
    [{ not: null }, '/not A rule must be an object, got null'],
    [{ not: [has('a')] }, '/not A rule must be an object, got array'],
    [{ foo: 1 }, `/ ${need}`],
    [[{}], `/0 ${need}`],
    [{ message: 'm' }, `/ ${need}`],
    [{ type: 'foo', message: 'm' }, `/type Unknown rule type: foo ${types}`],
    [{ type: 'toString', message: 'm' }, `/type Unknown rule type: toString ${types}`],
    [{ type: 7, message: 'm' }, `/type Unknown rule type: number ${types}`],
    [{ and: [] }, '/and "and" must be a non-empty array, got an empty one'],
    [{ or: [] }, '/or "or" must be a non-empty array, got an empty one'],
    [{ or: has('a') }, '/or "or" must be a non-empty array, got object'],
    [{ type: 'contains', value: 'a' }, '/ Missing field: message'],
    [{ ...has('a'), message: '' }, '/message "message" must have 1 to 1024 characters, got 0'],
    [{ ...has('a'), message: 1 }, '/message "message" must be a string, got number'],
    [
      { ...has('a'), suggestion: '😀'.repeat(1025) },
      '/suggestion "suggestion" must have 1 to 1024 characters, got 1025',
    ],
    [{ not: has('a'), message: null }, '/message "message" must be a string, got null'],
    [{ ...has('a'), min: 1 }, '/min Unknown field: min'],
    [{ ...has('a'), and: [has('b')] }, '/and Unknown field: and'],
    [{ and: [has('a')], message: 'm' }, '/message Unknown field: message'],
    [{ not: has('a'), condition: {} }, '/condition Unknown field: condition'],
    [
      { and: [has('a')], not: has('b') },
      '/ A composition has exactly one of "and", "or", "not", got and and not',
    ],
    [
      { ...has('a'), condition: null },
      '/condition A condition must be an object, got null, for example {"var": "severity", "equals": "high"}',
    ],
    [
      { ...has('a'), condition: { gt: 'x', var: 'y' } },
      '/condition/gt "gt" must be a number, got string',
    ],
    [
      JSON.parse('{"and":[{"type":"contains","value":"a","message":"m","__proto__":1}]}'),
      '/and/0/__proto__ Unknown field: __proto__',
    ],
  ])('%j: %s', async (source, problem) => {
    verifies('GUIDE-35');
    expect(await problemsOf(source)).toEqual([problem]);
  });

  test('messages of 1024 code points fit', async () => {
    const message = '😀'.repeat(1024);
    expect(await issuesOf({ ...has('a'), message }, 'x')).toEqual([message]);
  });

  test('all problems are reported at once, with their places', async () => {
    const problems = await problemsOf([
      { type: 'regex', pattern: '(', flags: '', message: 7, condition: { foo: 1 } },
      { and: [{ or: [] }, 3, { not: { type: 'length', min: -1, max: 'x', message: 'm' } }] },
    ]);
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      '/0/message',
      '/0/condition/foo',
      '/0/pattern',
      '/1/and/0/or',
      '/1/and/1',
      '/1/and/2/not/min',
      '/1/and/2/not/max',
    ]);
  });
});

describe('bounds', () => {
  test('compositions may be 64 levels deep and no deeper', async () => {
    const nested = (depth: number) => {
      let source: unknown = has('a');
      for (let level = 1; level < depth; level += 1) source = { not: source, message: 'm' };
      return source;
    };
    expect(await issuesOf(nested(63), 'a')).toEqual([]);
    expect(await issuesOf(nested(64), 'a')).toEqual(['m']);
    for (const depth of [65, 20_000]) {
      expect(await problemsOf(nested(depth))).toEqual([
        `${'/not'.repeat(64)} Rules are nested more than 64 deep`,
      ]);
    }
  });

  test('a cycle or an explosion of shared branches is refused', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.and = [cycle, cycle];
    expect((await parseCriteria(cycle)).criteria).toBeNull();
    let source: unknown = has('a');
    for (let level = 0; level < 40; level += 1) source = { or: [source, source] };
    expect((await problemsOf(source)).at(-1)).toMatch(/More than 10000 rules in one place$/);
  });

  test('a text nested too deeply for a schema interrupts the rule instead of crashing', async () => {
    const schema = { items: { $ref: '#' } };
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await verdictOn({ type: 'schema', schema, message: 'm' }, text)).toMatchObject({
      kind: 'interrupted',
      reason: 'Maximum call stack size exceeded',
    });
  });
});
