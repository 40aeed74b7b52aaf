// Rules: what they accept, what they report, and what is wrong with them where they are written.

import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Member, referenceMessages, referenceValidate } from '../../test/reference/rules.ts';
import { validateAtOnce } from '../../test/support/validate-at-once.ts';
import { verifies } from '../../test/verifies.ts';
import { containsText, countCodePoints } from './rules/text.ts';
import { applicableMessages, type Criteria, conditionsOf, parseCriteria } from './rules.ts';

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

async function problemsOf(source: unknown): Promise<string[]> {
  const { criteria, problems } = await parseCriteria(source);
  expect(criteria).toBeNull();
  return problems.map(({ code, path }) => `${code} /${path.join('/')}`);
}

const IDS = {
  contains: 'GUIDE-27',
  regex: 'GUIDE-28',
  length: 'GUIDE-30',
  schema: 'GUIDE-32',
} as const;

/** The requirement on this kind of rule; on their form, if it is none of them. */
function idFor(source: unknown) {
  const type = (source as { readonly type?: keyof typeof IDS } | null)?.type ?? '';
  return Object.hasOwn(IDS, type) ? IDS[type as keyof typeof IDS] : 'GUIDE-35';
}

const has = (value: string, message = value) => ({ type: 'contains', value, message });
const regex = (pattern: string, flags?: string) => ({
  ...{ type: 'regex', pattern, message: 'm' },
  ...(flags !== undefined && { flags }),
});
const schemaRule = (schema: unknown, message = 'm') => ({ type: 'schema', schema, message });
const length = (bounds: object) => ({ type: 'length', message: 'm', ...bounds });

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
    const { issues, suggestions, failures } = await judge([has('a'), has('b')], blank);
    expect([issues, suggestions, failures].map((list) => list.length)).toEqual([1, 1, 1]);
    expect(issues).not.toContain('a');
  }
});

describe('a rule passes or fails', () => {
  const one = length({ min: 1, max: 1 });
  const method = { properties: { method: { enum: ['GET', 'POST'] } }, required: ['method'] };

  test.each([
    [has('', 'nothing'), 'uses JWT', true],
    [has('JWT'), 'uses JWT', true],
    [has('jwt'), 'uses JWT', false],
    [one, '😀', true],
    [one, '😀a', false],
    [length({ min: 2 }), '😀', false],
    [length({ max: 0 }), 'a', false],
    [length({}), 'a', true],
    [schemaRule(method), '{"method":"GET"}', true],
    [schemaRule(method), '{"method":"PUT"}', false],
    [schemaRule(method), '\uFEFF{"method":"GET"}', true],
    [regex('(?i)jwt'), 'a JWT', true],
    [regex('jwt'), 'a JWT', false],
    [regex('jwt', 'i'), 'a JWT', true],
    [regex('(?i)jwt', 'i'), 'a JWT', true],
    [regex('(?im)^b$'), 'a\nB', true],
    [regex('(?i)(?m)^b$'), 'a\nB', true],
    [regex('(?s)a.b'), 'a\nb', true],
    [regex('a.b'), 'a\nb', false],
    [regex('a(?!b)'), 'ab', false],
    [regex('(?<=a)b'), 'ab', true],
    [regex('(?<x>a)\\k<x>'), 'baa', true],
    [regex('^.$', 'u'), '😀', true],
    [regex('^.$'), '😀', false],
  ])('%j on %j: %s', async (rule, text, passes) => {
    verifies(idFor(rule));
    expect(await issuesOf(rule, text)).toEqual(passes ? [] : [rule.message]);
  });

  test('global and sticky regexes keep no state', async () => {
    const criteria = await compile([regex('a', 'g'), regex('a', 'y'), regex('a', 'gy')]);
    for (let time = 0; time < 4; time += 1) {
      expect(validateAtOnce(criteria, 'aa', {})).toMatchObject({ valid: true });
    }
  });

  test('text that is not JSON fails every schema, and is reported once', async () => {
    verifies('GUIDE-32');
    const criteria = [schemaRule({}, 'first'), has('x'), schemaRule({}, 'second')];
    const [first, notJson, ...others] = await issuesOf(criteria, 'no json');
    expect([first, others]).toEqual(['first', ['x', 'second']]);
    expect(await issuesOf({ not: schemaRule({}) }, 'no json')).toEqual([]);
    expect(await issuesOf({ or: [schemaRule({}), has('no')] }, 'no json')).toEqual([]);
    const either = { or: [schemaRule({}), has('x')] };
    expect(await issuesOf(either, 'no json')).toEqual(['m', notJson, 'x']);
  });
});

describe('deadline', () => {
  const runaway = '^(a+)+$';
  const text = `${'a'.repeat(50)}!`;

  test('stops a runaway regex and schema, and names the rule', async () => {
    verifies('GUIDE-29');
    const source = [has('a'), { or: [has('a'), { not: regex(runaway) }] }];
    const stopped = { kind: 'interrupted', rule: '/1/or/1/not' };
    expect(validateAtOnce(await compile(source), text, {})).toMatchObject(stopped);
    const schema = await compile(schemaRule({ properties: { a: { pattern: runaway } } }));
    const json = JSON.stringify({ a: text });
    expect(validateAtOnce(schema, json, {})).toMatchObject({ kind: 'interrupted', rule: '' });
    // The rules that follow work as before.
    const criteria = await compile(regex(runaway));
    expect(validateAtOnce(criteria, text, {}).kind).toBe('interrupted');
    expect(validateAtOnce(criteria, 'aaa', {})).toMatchObject({ valid: true });
  });

  test('is shared by many slow rules', async () => {
    const criteria = await compile(Array.from({ length: 2000 }, () => has('a')));
    // Each look at the clock takes ten milliseconds, and so does each rule.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 10;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    const stopped = { kind: 'interrupted', rule: '/200' };
    expect(validateAtOnce(criteria, 'a', {})).toMatchObject(stopped);
  });
});

describe('compositions', () => {
  const parts = [has('a'), has('b'), has('c')];
  const skipped = { ...has('s'), condition: ON };
  const inNot = (...messages: string[]) => [expect.stringContaining(messages.join('; '))];

  test.each([
    ['a failed and', { and: parts }, 'b', ['a', 'c']],
    ['a passed or', { or: parts }, 'b', []],
    ['a failed or', { or: parts }, 'x', ['a', 'b', 'c']],
    ['an or in an and', [{ and: [has('a'), { or: parts.slice(1) }] }], 'a', ['b', 'c']],
    ['equal messages', [has('a', 'm'), has('b', 'm')], 'x', ['m', 'm']],
    ['a passed not', { not: has('a') }, 'b', []],
    ['a failed not', { not: has('a') }, 'a', inNot('a')],
    ['a not with a message', { not: has('a'), message: 'no a' }, 'a', ['no a']],
    ['a not of an or', { not: { or: parts } }, 'a', inNot('a', 'b', 'c')],
    ['a not of a not', { not: { not: has('a') } }, 'b', inNot('a')],
    // Skipped members do not count.
    ['a skipped rule', skipped, 'x', []],
    ['an or beside it', { or: [skipped, has('a')] }, 'x', ['a']],
    ['a not of it', { not: skipped }, 's', []],
    ['an and of it', { and: [skipped] }, 'x', []],
    ['an or of it', { or: [skipped] }, 'x', []],
    ['an or with a not of it', { or: [{ not: skipped }, has('a')] }, 'x', ['a']],
    ['an or with an and of it', { or: [{ and: [skipped] }, has('a')] }, 'x', ['a']],
    ['a not of an or of it', { not: { or: [skipped] } }, 's', []],
    ['a not of an and with it', { not: { and: [skipped, has('a')] } }, 'a', inNot('a')],
  ])('%s', async (_what, source, text, issues) => {
    verifies(JSON.stringify(source).includes('condition') ? 'GUIDE-34' : 'GUIDE-33');
    expect(await issuesOf(source, text)).toEqual(issues);
  });

  test('suggestions are the general one, then those of the reported rules, once each', async () => {
    verifies('GUIDE-36');
    const hint = (value: string, suggestion: string) => ({ ...has(value), suggestion });
    const not = { not: hint('x', 'of the inner one'), suggestion: 'of the not' };
    const or = { or: [hint('x', 'unused'), hint('e', 'unused')] };
    const source = [
      hint('a', 'second'),
      hint('b', 'first'),
      has('c'),
      hint('d', 'second'),
      not,
      or,
    ];
    const { suggestions, failures } = await judge(source, 'x');
    expect(suggestions.slice(1)).toEqual(['second', 'first', 'of the not']);
    expect(failures.map(({ suggestion }) => suggestion)).toEqual([
      ...['second', 'first', null, 'second', 'of the not'],
    ]);
    expect(await judge(hint('a', 's'), 'a')).toMatchObject({ suggestions: [], failures: [] });
  });

  test('the context decides which rules apply, and which messages are given in advance', async () => {
    verifies('GUIDE-37');
    const source = [
      { ...has('bcrypt'), condition: { var: 'security', equals: 'high' } },
      { or: [{ ...has('b'), condition: { var: 'env.name', equals: 'live' } }, has('c')] },
      { not: has('e'), message: 'no e' },
    ];
    const criteria = await compile(source);
    expect(criteria.source).toBe(source);
    const asked = conditionsOf(criteria).flatMap(({ variables }) => variables);
    expect(asked.map(({ name }) => name)).toEqual(['security', 'env.name']);
    expect(await issuesOf(source, 'x')).toEqual(['c']);
    expect(await issuesOf(source, 'c', { security: 'high' })).toEqual(['bcrypt']);
    expect(applicableMessages(criteria, {})).toEqual(['c', 'no e']);
    const live = { env: { name: 'live' } };
    expect(applicableMessages(criteria, live)).toEqual(['b', 'c', 'no e']);
  });
});

describe('what is wrong with a rule', () => {
  const deepRegex = { properties: { a: { pattern: '(' } } };

  test.each<[source: unknown, ...problems: string[]]>([
    ['text', 'wrong_type /'],
    [[7], 'wrong_type /0'],
    [[[has('a')]], 'wrong_type /0'],
    [{ not: null }, 'wrong_type /not'],
    [{ not: [has('a')] }, 'wrong_type /not'],
    [{ foo: 1 }, 'missing_key /'],
    [[{}], 'missing_key /0'],
    [{ message: 'm' }, 'missing_key /'],
    [{ type: 'foo', message: 'm' }, 'wrong_value /type'],
    [{ type: 'toString', message: 'm' }, 'wrong_value /type'],
    [{ type: 7, message: 'm' }, 'wrong_value /type'],
    [{ and: [] }, 'wrong_type /and'],
    [{ or: has('a') }, 'wrong_type /or'],
    [{ type: 'contains', value: 'a' }, 'missing_key /'],
    [{ type: 'contains', message: 'm' }, 'missing_key /'],
    [{ type: 'contains', value: 7, message: 'm' }, 'wrong_type /value'],
    [{ ...has('a'), message: '' }, 'wrong_length /message'],
    [{ ...has('a'), message: 1 }, 'wrong_type /message'],
    [{ ...has('a'), suggestion: '😀'.repeat(1025) }, 'wrong_length /suggestion'],
    [{ not: has('a'), message: null }, 'wrong_type /message'],
    [{ ...has('a'), min: 1 }, 'unknown_field /min'],
    [{ ...has('a'), and: [has('b')] }, 'unknown_field /and'],
    [{ and: [has('a')], message: 'm' }, 'unknown_field /message'],
    [{ not: has('a'), condition: {} }, 'unknown_field /condition'],
    [{ and: [has('a')], not: has('b') }, 'wrong_value /'],
    [{ ...has('a'), condition: null }, 'wrong_type /condition'],
    [{ ...has('a'), condition: { gt: 'x', var: 'y' } }, 'wrong_type /condition/gt'],
    [
      JSON.parse('{"and":[{"type":"contains","value":"a","message":"m","__proto__":1}]}'),
      'unknown_field /and/0/__proto__',
    ],
    [regex('('), 'wrong_regex /pattern'],
    [regex('(?x)a'), 'wrong_regex /pattern'],
    [regex('a)|(b'), 'wrong_regex /pattern'],
    [regex(''), 'wrong_regex /pattern'],
    [{ type: 'regex', message: 'm' }, 'missing_key /'],
    [{ ...regex('a'), flags: null }, 'wrong_type /flags'],
    ...['x', 'ii', 'uv', 'I', ' '].map((flags): [unknown, string] => [
      regex('a', flags),
      'wrong_regex /flags',
    ]),
    [length({ min: 2, max: 1 }), 'wrong_value /min'],
    [length({ min: -1 }), 'wrong_type /min'],
    [length({ max: 1.5 }), 'wrong_type /max'],
    [length({ max: '9' }), 'wrong_type /max'],
    [{ type: 'schema', message: 'm' }, 'missing_key /'],
    ...[true, 'x', null, [{}]].map((schema): [unknown, string] => [
      schemaRule(schema),
      'wrong_type /schema',
    ]),
    // All at once; those of schemas come last.
    [
      [schemaRule({ type: 'strin' }), schemaRule(deepRegex), { type: 'contains', message: 'm' }],
      ...[
        'missing_key /2',
        'wrong_schema /0/schema/type',
        'wrong_schema /1/schema/properties/a/pattern',
      ],
    ],
    [
      [
        { type: 'regex', pattern: '(', flags: '', message: 7, condition: { foo: 1 } },
        { and: [{ or: [] }, 3, { not: length({ min: -1, max: 'x' }) }] },
      ],
      ...['wrong_type /0/message', 'unknown_operator /0/condition/foo', 'wrong_regex /0/pattern'],
      ...['wrong_type /1/and/0/or', 'wrong_type /1/and/1'],
      ...['wrong_type /1/and/2/not/min', 'wrong_type /1/and/2/not/max'],
    ],
  ])('%j', async (source, ...problems) => {
    verifies(idFor(source));
    expect(await problemsOf(source)).toEqual(problems);
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
      expect(await problemsOf(nested(depth))).toEqual([`too_deep ${'/not'.repeat(64)}`]);
    }
  });

  test('a cycle or an explosion of shared branches is refused', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.and = [cycle, cycle];
    expect((await parseCriteria(cycle)).criteria).toBeNull();
    let source: unknown = has('a');
    for (let level = 0; level < 40; level += 1) source = { or: [source, source] };
    expect((await problemsOf(source)).at(-1)).toMatch(/^too_many /);
  });

  test('a text nested too deeply for a schema interrupts the rule instead of crashing', async () => {
    const criteria = await compile(schemaRule({ items: { $ref: '#' } }));
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(validateAtOnce(criteria, text, {})).toMatchObject({ kind: 'interrupted' });
  });

  test('a search finds what includes() finds, and ends where V8 takes minutes', () => {
    const piece = fc
      .array(fc.constantFrom('a', 'ab', 'aab', 'b', '😀'), { maxLength: 12 })
      .map((words) => words.join(''));
    // The repetition makes text and wanted long enough for our own search.
    fc.assert(
      fc.property(piece, piece, fc.boolean(), fc.constantFrom(1, 400), (unit, tail, cut, times) => {
        const text = `${unit.repeat(times)}${tail}${unit.repeat(times)}`;
        const wanted = `${unit.repeat(times * 0.97)}${tail}${cut ? 'b' : ''}`;
        expect(containsText(text, wanted)).toBe(text.includes(wanted));
        expect(countCodePoints(`${text}\ud83d`)).toBe([...`${text}\ud83d`].length);
      }),
      { numRuns: 400 },
    );
    const half = 'a'.repeat(125_000);
    const text = 'a'.repeat(5_000_000);
    expect(containsText(text, `${half}b${half}`)).toBe(false);
    expect(containsText(`${text}b${half}`, `${half}b${half}`)).toBe(true);
  });
});

// Random criteria, texts and contexts of so few words that they often interact, compared with a direct
// reading of the contract. DEEPWORK_CASES sets how many.

const numRuns = Number(process.env.DEEPWORK_CASES ?? 1500);
const timeout = 30_000 + 4 * numRuns;

const someMessage = fc.constantFrom(
  'm1',
  'm2',
  'm3',
  'Output is not valid JSON for schema validation',
);
const condition = fc.constantFrom<NonNullable<Member['condition']>[]>(
  {},
  { var: 'on' },
  { var: 'on' },
  { not: { var: 'on' } },
  { var: 'level', gte: 2 },
  { or: [] },
);
const common = fc.record(
  { message: someMessage, condition, suggestion: fc.constantFrom('s1', 's2') },
  { requiredKeys: ['message'] },
);
const contains = fc.record({
  type: fc.constant('contains'),
  value: fc.constantFrom('', 'a', 'B', 'ab', '😀', 'zz'),
});
const lengths = fc
  .record({ min: fc.nat(3), more: fc.nat(3) }, { requiredKeys: [] })
  .map(({ min, more }) => ({
    type: 'length',
    ...(min === undefined ? {} : { min }),
    ...(more === undefined ? {} : { max: (min ?? 0) + more }),
  }));
const regexes = fc.record(
  {
    type: fc.constant('regex'),
    pattern: fc.constantFrom('b', '(?i)b', '^a', 'a$', '^.$', 'a(?=b)', '(a|b)\\1', '[^ab]'),
    flags: fc.constantFrom('', 'i', 'm', 's', 'u', 'g', 'gi'),
  },
  { requiredKeys: ['type', 'pattern'] },
);
const schemas = fc.record({
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
      { weight: 16, arbitrary: lengths },
      { weight: 3, arbitrary: regexes },
      { weight: 1, arbitrary: schemas },
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
          fc.record({ message: someMessage, suggestion: fc.constant('s3') }, { requiredKeys: [] }),
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
