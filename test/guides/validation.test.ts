// workflow_validate: how an output is judged, and what is reported when it fails.

import { describe, expect, test } from 'vitest';
import { openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { guideProject, step, withCriteria, workflow } from './guide-project.ts';
import { type Outcome, openGuides } from './ways.ts';

const PASSED = { valid: true, issues: [], suggestions: [] };
const REVIEW = 'Review validation criteria and adjust output accordingly.';
const NOT_JSON = 'Output is not valid JSON for schema validation';
const BLANK = {
  valid: false,
  issues: ['Output is empty or invalid.'],
  suggestions: ['Provide valid output content.'],
};

const failed = (...issues: string[]) => ({ valid: false, issues, suggestions: [REVIEW] });
/** The same for a schema, which says where the output is wrong. */
const wrongAt = (issue: string, ...places: string[]) => ({
  ...failed(issue),
  suggestions: [REVIEW, ...places],
});
const has = (value: string, message = `has ${value}`, more: object = {}) => ({
  type: 'contains',
  value,
  message,
  ...more,
});
const OFF = { var: 'on' };

/** Guides with one step each; `judge(name, output, context)` validates it. */
async function openCriteria(criteria: Readonly<Record<string, unknown>>) {
  const files = Object.entries(criteria).map(([name, each]) => [
    name,
    withCriteria(`rule-${name}`, each),
  ]);
  const { ask } = await openGuides(guideProject(Object.fromEntries(files)));
  const judge = (name: string, output: string, context: object | null = null): Promise<Outcome> =>
    ask('workflow_validate', { workflowId: `rule-${name}`, stepId: 'first', output, context });
  return {
    judge,
    verdict: async (name: string, output: string, context: object | null = null) => {
      const { result, error } = await judge(name, output, context);
      expect(error, name).toBeUndefined();
      return result;
    },
    /** Expects -32004 whatever the output; returns its data. */
    refused: async (name: string, output = 'text') => {
      const { error } = await judge(name, output);
      expect([name, error?.code, error?.message]).toEqual([name, -32004, 'Validation error']);
      return error?.data;
    },
  };
}

describe('without criteria', () => {
  test('only a blank output fails', async () => {
    verifies('GUIDE-26');
    const none = { null: null, list: [], object: {} };
    const { verdict } = await openCriteria({ ...none, absent: undefined });
    for (const name of [...Object.keys(none), 'absent']) {
      expect(await verdict(name, 'anything')).toEqual(PASSED);
      for (const blank of ['', '   ', '\n\t\u00a0\u2028']) {
        expect(await verdict(name, blank)).toEqual(BLANK);
      }
    }
  });

  test('with criteria, a blank output meets no rule', async () => {
    verifies('GUIDE-26');
    const { verdict } = await openCriteria({ a: has(''), b: { not: has('x') } });
    expect(await verdict('a', ' ')).toEqual(BLANK);
    expect(await verdict('b', ' ')).toEqual(BLANK);
  });
});

describe('a rule', () => {
  test('contains is checked case-sensitively', async () => {
    verifies('GUIDE-27');
    const { verdict, refused } = await openCriteria({
      text: has('Token'),
      empty: has(''),
      missing: { type: 'contains', message: 'm' },
      number: { type: 'contains', value: 7, message: 'm' },
      null: { type: 'contains', value: null, message: 'm' },
    });
    expect(await verdict('text', 'A Token.')).toEqual(PASSED);
    expect(await verdict('text', 'a token.')).toEqual(failed('has Token'));
    expect(await verdict('empty', 'x')).toEqual(PASSED);
    for (const name of ['missing', 'number', 'null']) {
      expect(await refused(name)).toMatchObject({
        stepId: 'first',
        rule: '/validationCriteria',
        reason: expect.stringContaining('value'),
      });
    }
  });

  test('regex', async () => {
    verifies('GUIDE-28');
    const regex = (pattern: string, flags?: unknown) => ({
      type: 'regex',
      pattern,
      message: 'm',
      ...(flags === undefined ? {} : { flags }),
    });
    const good = {
      plain: [regex('b+'), 'abbc', 'ac'],
      inline: [regex('(?i)TOKEN'), 'a token', 'a tok'],
      inlines: [regex('(?is)^a.b$'), 'A\nB', 'A\n\nB'],
      flags: [regex('^x$', 'm'), 'a\nx\nb', 'ax'],
      ahead: [regex('foo(?=bar)'), 'foobar', 'foobaz'],
      behind: [regex('(?<!un)tested'), 'tested', 'untested'],
      global: [regex('a', 'g'), 'xa', 'x'],
      sticky: [regex('a', 'gy'), 'ab', 'ba'],
      unicode: [regex('^.$', 'u'), '😀', 'ab'],
    } as const;
    const bad = {
      open: regex('('),
      flag: regex('a', 'z'),
      twice: regex('a', 'ii'),
      'inline-x': regex('(?x)a'),
      'inline-ix': regex('(?ix)a'),
      empty: regex(''),
      none: { type: 'regex', message: 'm' },
      'flag-type': regex('a', 1),
    };
    const sound = Object.entries(good).map(([name, [rule]]) => [name, rule]);
    const { verdict, refused } = await openCriteria({ ...Object.fromEntries(sound), ...bad });
    for (const [name, [, yes, no]] of Object.entries(good)) {
      // Three times, since a regex that kept state would differ.
      for (let time = 0; time < 3; time++)
        expect([name, await verdict(name, yes)]).toEqual([name, PASSED]);
      expect([name, await verdict(name, no)]).toEqual([name, failed('m')]);
    }
    for (const name of Object.keys(bad)) {
      expect(await refused(name)).toMatchObject({ rule: '/validationCriteria' });
    }
  });

  test('that does not end is stopped, and other calls are answered meanwhile', async () => {
    verifies('GUIDE-29');
    const runaway = '^(a+)+$';
    const project = guideProject({
      regex: withCriteria('regex', [has('a'), { type: 'regex', pattern: runaway, message: 'm' }]),
      schema: withCriteria('schema', {
        and: [{ type: 'schema', schema: { type: 'string', pattern: runaway }, message: 'm' }],
      }),
    });
    const wire = openWire(project.root);
    const output = `${'a'.repeat(50)}!`;
    const validate = (id: string, workflowId: string, text: string) =>
      request(id, 'workflow_validate', { workflowId, stepId: 'first', output: text });
    wire.send(
      validate('regex', 'regex', output),
      validate('schema', 'schema', JSON.stringify(output)),
      request('list', 'workflow_list', null),
    );
    const replies = new Map((await wire.next(3)).map((reply) => [reply.id, reply]));
    expect(replies.get('regex')?.error).toMatchObject({
      code: -32004,
      data: { workflowId: 'regex', rule: '/validationCriteria/1' },
    });
    expect(replies.get('schema')?.error).toMatchObject({
      code: -32004,
      data: { workflowId: 'schema', rule: '/validationCriteria/and/0' },
    });
    expect(replies.get('list')?.result.workflows.length).toBeGreaterThan(2);
    // The same rule still works for outputs that it can judge.
    wire.send(validate('again', 'regex', 'aaa'));
    expect((await wire.next(1))[0]?.result).toEqual(PASSED);
    const { ask } = await openGuides(project);
    const params = { workflowId: 'regex', stepId: 'first', output };
    expect((await ask('workflow_validate', params)).error?.code).toBe(-32004);
  });

  test('length', async () => {
    verifies('GUIDE-30');
    const length = (bounds: object) => ({ type: 'length', message: 'm', ...bounds });
    const { verdict, refused } = await openCriteria({
      one: length({ min: 1, max: 1 }),
      none: length({}),
      zero: length({ min: 0, max: 0 }),
      two: length({ min: 2 }),
      turned: length({ min: 3, max: 2 }),
      text: length({ min: '3' }),
    });
    expect(await verdict('one', '😀')).toEqual(PASSED);
    expect(await verdict('one', '😀😀')).toEqual(failed('m'));
    expect(await verdict('two', '😀')).toEqual(failed('m'));
    expect(await verdict('none', 'anything')).toEqual(PASSED);
    expect(await verdict('zero', 'x')).toEqual(failed('m'));
    expect(await refused('turned')).toMatchObject({ reason: expect.stringContaining('min') });
    await refused('text');
  });

  test('schema, of either draft', async () => {
    verifies('GUIDE-31');
    const schema = (more: object, message = 'm') => ({ type: 'schema', schema: more, message });
    const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
    const { verdict } = await openCriteria({
      email: schema({ type: 'string', format: 'email' }),
      unknown: schema({ type: 'object', 'x-mine': 1, colour: 'red' }),
      tuple: schema({ $schema: draft2020, prefixItems: [{ type: 'string' }], items: false }),
      items7: schema({ items: [{ type: 'string' }], additionalItems: false }),
      'same-a': schema({ $id: 'https://example.org/same', type: 'string' }),
      'same-b': [
        schema({ $id: 'https://example.org/same', type: 'number' }, 'number'),
        schema({ $id: 'https://example.org/same', minimum: 3 }, 'three'),
      ],
      ref: schema({
        definitions: { n: { minimum: 1 } },
        properties: { a: { $ref: '#/definitions/n' } },
      }),
    });
    expect(await verdict('email', '"a@example.org"')).toEqual(PASSED);
    expect(await verdict('email', '"nobody"')).toEqual(
      wrongAt('m', 'At (root): must match format "email"'),
    );
    expect(await verdict('unknown', '{}')).toEqual(PASSED);
    expect(await verdict('tuple', '["a"]')).toEqual(PASSED);
    expect(await verdict('tuple', '["a", 1]')).toEqual(
      wrongAt('m', 'At (root): must NOT have more than 1 items'),
    );
    expect(await verdict('items7', '["a"]')).toEqual(PASSED);
    expect(await verdict('items7', '["a", 1]')).toEqual(
      wrongAt('m', 'At (root): must NOT have more than 1 items'),
    );
    expect(await verdict('same-a', '"x"')).toEqual(PASSED);
    expect(await verdict('same-b', '2')).toEqual(wrongAt('three', 'At (root): must be >= 3'));
    expect(await verdict('ref', '{"a": 0}')).toEqual(wrongAt('m', 'At /a: must be >= 1'));
  });

  test('schema that is none, and output that is no JSON', async () => {
    verifies('GUIDE-32');
    const schema = (more: unknown) => ({ type: 'schema', schema: more, message: 'm' });
    const malformed = {
      type: schema({ type: 'nothing' }),
      pattern: schema({ type: 'string', pattern: '(' }),
      minimum: schema({ minimum: 'x' }),
      draft: schema({ $schema: 'https://example.org/mine' }),
      ref: schema({ $ref: 'https://example.org/elsewhere.json' }),
    };
    const { judge, verdict, refused } = await openCriteria({
      ...malformed,
      none: { type: 'schema', message: 'm' },
      text: schema('x'),
      good: [schema({}), schema({ type: 'object' }), has('x')],
    });
    for (const name of Object.keys(malformed)) {
      for (const output of ['{}', 'no JSON', ' ']) {
        const { error } = await judge(name, output);
        expect([name, error?.code, error?.message]).toEqual([name, -32002, 'Invalid workflow']);
        expect(error?.data.problems[0].path).toMatch(/^\/steps\/0\/validationCriteria\/schema/);
      }
    }
    expect(await refused('none')).toMatchObject({ reason: 'Missing field: schema' });
    await refused('text');
    expect(await verdict('good', 'no JSON')).toEqual(failed('m', NOT_JSON, 'm', 'has x'));
    expect(await verdict('good', '{"x": 1}')).toEqual(PASSED);
  });

  test('reads the content of an output that is one fenced json block', async () => {
    const rule = { type: 'schema', schema: { required: ['x'] }, message: 'm' };
    const { verdict } = await openCriteria({ s: rule });
    const fenced = '```json\n{"x": 1}\n```';
    expect(await verdict('s', fenced)).toEqual(PASSED);
    expect(await verdict('s', `\n${fenced}\r\n`)).toEqual(PASSED);
    const others = [
      `Here it is:\n${fenced}`,
      `${fenced}\n${fenced}`,
      '```json\n{"x": 1}',
      '```\n{}\n```',
    ];
    for (const other of others) expect(await verdict('s', other)).toEqual(failed('m', NOT_JSON));
  });
});

describe('a composition', () => {
  test('reports what failed in it', async () => {
    verifies('GUIDE-33');
    const { verdict } = await openCriteria({
      and: { and: [has('a'), has('b'), has('c')] },
      or: { or: [has('a'), { and: [has('b'), has('c')] }] },
      not: { not: has('a') },
      'not-said': { not: has('a'), message: 'No a', suggestion: 'Drop the a' },
      'not-or': { not: { or: [has('a'), has('b')] } },
      'not-not': { not: { not: has('a') } },
      deep: [has('z'), { or: [{ and: [has('a'), { not: has('b') }] }, has('c')] }],
    });
    expect(await verdict('and', 'b')).toEqual(failed('has a', 'has c'));
    expect(await verdict('or', 'a')).toEqual(PASSED);
    expect(await verdict('or', 'bc')).toEqual(PASSED);
    expect(await verdict('or', 'b')).toEqual(failed('has a', 'has c'));
    expect(await verdict('not', 'x')).toEqual(PASSED);
    expect(await verdict('not', 'a')).toEqual(failed('Output must not satisfy: has a'));
    expect(await verdict('not-said', 'a')).toEqual({
      valid: false,
      issues: ['No a'],
      suggestions: [REVIEW, 'Drop the a'],
    });
    expect(await verdict('not-or', 'b')).toEqual(failed('Output must not satisfy: has a; has b'));
    expect(await verdict('not-not', 'a')).toEqual(PASSED);
    expect(await verdict('not-not', 'x')).toEqual(
      failed('Output must not satisfy: Output must not satisfy: has a'),
    );
    expect(await verdict('deep', 'ab')).toEqual(
      failed('has z', 'Output must not satisfy: has b', 'has c'),
    );
  });

  test('ignores what is skipped', async () => {
    verifies('GUIDE-34');
    const skipped = has('s', 'skipped', { condition: OFF });
    const { verdict } = await openCriteria({
      or: { or: [skipped, has('a')] },
      not: { not: skipped },
      and: { and: [skipped] },
      'or-not': { or: [{ not: skipped }, has('a')] },
      'or-all': { or: [skipped, { and: [skipped] }] },
      'not-and': { not: { and: [skipped] } },
      top: [skipped],
    });
    expect(await verdict('or', 'x')).toEqual(failed('has a'));
    expect(await verdict('or', 'x', { on: 1 })).toEqual(failed('skipped', 'has a'));
    expect(await verdict('or', 'a')).toEqual(PASSED);
    expect(await verdict('or-not', 'x')).toEqual(failed('has a'));
    expect(await verdict('or-not', 'x', { on: 1 })).toEqual(PASSED);
    for (const name of ['not', 'and', 'or-all', 'not-and', 'top']) {
      expect([name, await verdict(name, 'x')]).toEqual([name, PASSED]);
    }
    expect(await verdict('not', 's', { on: 1 })).toEqual(
      failed('Output must not satisfy: skipped'),
    );
  });

  test('or rule of the wrong shape is reported as such', async () => {
    verifies('GUIDE-35');
    const odd = {
      string: 'text',
      number: 7,
      'in-string': ['text'],
      'in-number': [7],
      'in-null': [null],
      'in-list': [[]],
      'no-type': { message: 'm' },
      foo: { foo: 1 },
      'type-odd': { type: 'sounds-like', message: 'm' },
      'type-null': { type: null, message: 'm' },
      'and-empty': { and: [] },
      'or-empty': { or: [] },
      'and-object': { and: {} },
      'not-list': { not: [has('a')] },
      'and-or': { and: [has('a')], or: [has('a')] },
      'and-message': { and: [has('a')], message: 'm' },
      'no-message': { type: 'contains', value: 'a' },
      'other-field': { ...has('a'), flags: 'i' },
      inside: { or: [has('a'), { and: [has('a'), { type: 'x', message: 'm' }] }] },
    };
    const { verdict, refused } = await openCriteria({
      bare: has('a'),
      list: [has('a'), { or: [has('b'), has('c')] }],
      ...odd,
    });
    expect(await verdict('bare', 'a')).toEqual(PASSED);
    expect(await verdict('bare', 'x')).toEqual(failed('has a'));
    expect(await verdict('list', 'x')).toEqual(failed('has a', 'has b', 'has c'));
    const places: Record<string, string> = {};
    for (const name of Object.keys(odd)) places[name] = (await refused(name)).rule;
    expect(places).toMatchObject({
      string: '/validationCriteria',
      'in-null': '/validationCriteria/0',
      'and-empty': '/validationCriteria',
      inside: '/validationCriteria/or/1/and/1',
    });
  });

  test('with bad criteria: -32004 only where they are, and if nothing else is wrong', async () => {
    verifies('GUIDE-35', 'GUIDE-28');
    const bad = { type: 'regex', pattern: '(', message: 'm' };
    const steps = [step({ validationCriteria: bad }), step({ id: 'second' })];
    const { fails } = await openGuides(
      guideProject({
        partly: workflow({ id: 'partly', steps }),
        both: workflow({ id: 'both', steps, loop: 1 }),
      }),
    );
    const validate = (workflowId: string, stepId: string) =>
      fails('workflow_validate', { workflowId, stepId, output: 'x' });
    expect(await validate('partly', 'first')).toMatchObject({ code: -32004 });
    expect(await validate('partly', 'second')).toMatchObject({ code: -32002 });
    expect(await validate('partly', 'ghost')).toMatchObject({ code: -32002 });
    expect(await validate('both', 'first')).toMatchObject({ code: -32002 });
    expect(await fails('workflow_get', { id: 'partly' })).toMatchObject({ code: -32002 });
    expect(
      await fails('workflow_next', { workflowId: 'partly', completedSteps: [] }),
    ).toMatchObject({ code: -32002 });
  });
});

describe('suggestions', () => {
  test('come in order, once each, and only on failure', async () => {
    verifies('GUIDE-36');
    const { verdict } = await openCriteria({
      many: [
        has('a', 'm1', { suggestion: 's2' }),
        has('b', 'm1', { suggestion: 's1' }),
        has('c', 'm2', { suggestion: 's2' }),
        has('d', 'm3'),
        has('e', 'm4', { suggestion: REVIEW }),
      ],
    });
    expect(await verdict('many', 'x')).toEqual({
      valid: false,
      issues: ['m1', 'm1', 'm2', 'm3', 'm4'],
      suggestions: [REVIEW, 's2', 's1'],
    });
    expect(await verdict('many', 'bcde')).toEqual({
      valid: false,
      issues: ['m1'],
      suggestions: [REVIEW, 's2'],
    });
    expect(await verdict('many', 'abcde')).toEqual(PASSED);
  });
});

test('the context counts for validation, the runCondition does not', async () => {
  verifies('GUIDE-37');
  const rule = has('a', 'm', { condition: { var: 'user.level', gte: 2 } });
  const { ok } = await openGuides(
    guideProject({
      demo: workflow({ steps: [step({ runCondition: { or: [] }, validationCriteria: rule })] }),
    }),
  );
  const validate = (context: object | null) =>
    ok('workflow_validate', { workflowId: 'demo', stepId: 'first', output: 'x', context });
  expect(await validate({ user: { level: 2 } })).toEqual(failed('m'));
  expect(await validate({ user: { level: 1 } })).toEqual(PASSED);
  expect(await validate({})).toEqual(PASSED);
  expect(await validate(null)).toEqual(PASSED);
  const next = { workflowId: 'demo', completedSteps: [] };
  expect(await ok('workflow_next', next)).toMatchObject({ isComplete: true });
});
