// workflow_validate: how an output is judged, and what is reported when it fails. All cases of rules are in
// src/core/rules.test.ts and beside it.

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
const has = (value: string, message = `has ${value}`, more: object = {}) => ({
  type: 'contains',
  value,
  message,
  ...more,
});
const regex = (pattern: string, flags?: string) => ({
  type: 'regex',
  pattern,
  message: 'm',
  ...(flags !== undefined && { flags }),
});
const length = (bounds: object) => ({ type: 'length', message: 'm', ...bounds });
const schema = (more: unknown, message = 'm') => ({ type: 'schema', schema: more, message });

/** Guides with one step each; `verdict(name, output, context)` validates it. */
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

test('a blank output meets no rule, and fails without criteria, too', async () => {
  verifies('GUIDE-26');
  const none = { null: null, list: [], object: {}, absent: undefined };
  const { verdict } = await openCriteria({ ...none, empty: has(''), not: { not: has('x') } });
  for (const name of Object.keys(none)) expect(await verdict(name, 'anything')).toEqual(PASSED);
  for (const name of [...Object.keys(none), 'empty', 'not']) {
    for (const blank of ['', '   ', '\n\t\u00a0\u2028']) {
      expect(await verdict(name, blank)).toEqual(BLANK);
    }
  }
});

describe('a rule', () => {
  test('contains, regex and length judge the text, each time alike', async () => {
    verifies('GUIDE-27', 'GUIDE-28', 'GUIDE-30');
    const rules: readonly (readonly [rule: object, yes: string, no: string])[] = [
      [has('Token', 'm'), 'A Token.', 'a token.'],
      [regex('(?is)^a.b$'), 'A\nB', 'A\n\nB'],
      [regex('^x$', 'm'), 'a\nx\nb', 'ax'],
      [regex('(?<!un)tested'), 'tested', 'untested'],
      [regex('a', 'gy'), 'ab', 'ba'],
      [regex('^.$', 'u'), '😀', 'ab'],
      [length({ min: 1, max: 1 }), '😀', '😀😀'],
      [{ and: [has(''), length({}), length({ max: 3 })] }, 'abc', 'abcd'],
    ];
    const { verdict } = await openCriteria(Object.fromEntries(rules.map(([one], at) => [at, one])));
    for (const [at, [rule, yes, no]] of rules.entries()) {
      // Twice, since a regex that kept state would differ.
      for (let time = 0; time < 2; time++) {
        expect([rule, await verdict(`${at}`, yes)]).toEqual([rule, PASSED]);
      }
      expect([rule, await verdict(`${at}`, no)]).toEqual([rule, failed('m')]);
    }
  });

  test('that is wrong in itself is a failure of its own, at its place', async () => {
    verifies('GUIDE-27', 'GUIDE-28', 'GUIDE-30', 'GUIDE-32', 'GUIDE-35');
    const inside = { or: [has('a'), { and: [has('a'), { type: 'x', message: 'm' }] }] };
    const wrong = {
      value: [{ type: 'contains', value: 7, message: 'm' }, '', 'value'],
      pattern: [regex('('), '', 'regular expression'],
      turned: [length({ min: 3, max: 2 }), '', 'min'],
      schema: [{ type: 'schema', message: 'm' }, '', 'schema'],
      text: ['text', '', 'string'],
      null: [[has('a'), null], '/1', 'null'],
      and: [{ and: [] }, '', 'and'],
      inside: [inside, '/or/1/and/1', 'type'],
    } as const;
    const rules = Object.entries(wrong).map(([name, [rule]]) => [name, rule]);
    const { refused } = await openCriteria(Object.fromEntries(rules));
    for (const [name, [, place, reason]] of Object.entries(wrong)) {
      const data = await refused(name);
      expect([name, data.stepId, data.rule]).toEqual([
        name,
        'first',
        `/validationCriteria${place}`,
      ]);
      expect(data.reason, name).toContain(reason);
    }
  });

  test('that does not end is stopped, and other calls are answered meanwhile', async () => {
    verifies('GUIDE-29');
    const runaway = '^(a+)+$';
    const project = guideProject({
      regex: withCriteria('regex', [has('a'), regex(runaway)]),
      schema: withCriteria('schema', { and: [schema({ type: 'string', pattern: runaway })] }),
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
    for (const [id, rule] of [
      ['regex', '/validationCriteria/1'],
      ['schema', '/validationCriteria/and/0'],
    ] as const) {
      const error = { code: -32004, data: { workflowId: id, rule } };
      expect(replies.get(id)?.error).toMatchObject(error);
    }
    expect(replies.get('list')?.result.workflows.length).toBeGreaterThan(2);
    // The same rule still works for outputs that it can judge.
    wire.send(validate('again', 'regex', 'aaa'));
    expect((await wire.next(1))[0]?.result).toEqual(PASSED);
  });

  test('of a schema, of either draft, says where the output is wrong', async () => {
    verifies('GUIDE-31');
    const id = 'https://example.org/same';
    const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
    const referred = {
      definitions: { n: { minimum: 1 } },
      properties: { a: { $ref: '#/definitions/n' } },
    };
    const rules = {
      email: [schema({ type: 'string', format: 'email' }), '"a@example.org"', '"nobody"'],
      tuple: [schema({ $schema: draft2020, prefixItems: [{}], items: false }), '["a"]', '[1, 1]'],
      same: [[schema({ $id: id }), schema({ $id: id, minimum: 3 })], '3', '2'],
      ref: [schema(referred), '{"a": 1}', '{"a": 0}'],
    } as const;
    const { verdict } = await openCriteria(
      Object.fromEntries(Object.entries(rules).map(([name, [rule]]) => [name, rule])),
    );
    for (const [name, [, yes, no]] of Object.entries(rules)) {
      expect([name, await verdict(name, yes)]).toEqual([name, PASSED]);
      const place = name === 'ref' ? '/a' : '(root)';
      const suggestions = [REVIEW, expect.stringContaining(`At ${place}: must `)];
      expect(await verdict(name, no)).toEqual({ ...failed('m'), suggestions });
    }
  });

  test('of a schema that is none is a problem of the file, and output that is no JSON fails', async () => {
    verifies('GUIDE-32');
    const malformed = {
      type: schema({ type: 'nothing' }),
      pattern: schema({ type: 'string', pattern: '(' }),
      draft: schema({ $schema: 'https://example.org/mine' }),
      ref: schema({ $ref: 'https://example.org/elsewhere.json' }),
    };
    const good = [schema({}), schema({ required: ['x'] }), has('x')];
    const { judge, verdict } = await openCriteria({ ...malformed, good });
    for (const name of Object.keys(malformed)) {
      for (const output of ['{}', 'no JSON', ' ']) {
        const { error } = await judge(name, output);
        expect([name, error?.code]).toEqual([name, -32002]);
        expect(error?.data.problems[0].path).toMatch(/^\/steps\/0\/validationCriteria\/schema/);
      }
    }
    const notJson = failed('m', NOT_JSON, 'm', 'has x');
    expect(await verdict('good', 'no JSON')).toEqual(notJson);
    // The content of an output that is one fenced json block counts.
    const fenced = '```json\n{"x": 1}\n```';
    for (const output of ['{"x": 1}', fenced, `\n${fenced}\r\n`]) {
      expect(await verdict('good', output)).toEqual(PASSED);
    }
    for (const other of [`Here it is:\n${fenced}`, `${fenced}\n${fenced}`, '```\n{"x": 1}\n```']) {
      expect((await verdict('good', other)).issues).toContain(NOT_JSON);
    }
  });
});

describe('a composition', () => {
  test('reports what failed in it', async () => {
    verifies('GUIDE-33');
    const [a, b, c] = [has('a'), has('b'), has('c')];
    const { verdict } = await openCriteria({
      and: { and: [a, b, c] },
      or: { or: [a, { and: [b, c] }] },
      not: { not: a },
      'not-said': { not: a, message: 'No a', suggestion: 'Drop the a' },
      'not-or': { not: { or: [a, b] } },
      'not-not': { not: { not: a } },
      deep: [has('z'), { or: [{ and: [a, { not: b }] }, c] }],
    });
    const no = 'Output must not satisfy:';
    for (const [name, output, ...issues] of [
      ['and', 'b', 'has a', 'has c'],
      ['or', 'bc'],
      ['or', 'b', 'has a', 'has c'],
      ['not', 'a', `${no} has a`],
      ['not-or', 'b', `${no} has a; has b`],
      ['not-not', 'x', `${no} ${no} has a`],
      ['deep', 'ab', 'has z', `${no} has b`, 'has c'],
    ] as const) {
      const expected = issues.length === 0 ? PASSED : failed(...issues);
      expect([name, await verdict(name, output)]).toEqual([name, expected]);
    }
    const said = { ...failed('No a'), suggestions: [REVIEW, 'Drop the a'] };
    expect(await verdict('not-said', 'a')).toEqual(said);
  });

  test('ignores what is skipped', async () => {
    verifies('GUIDE-34');
    const skipped = has('s', 'skipped', { condition: { var: 'on' } });
    const { verdict } = await openCriteria({
      or: { or: [skipped, has('a')] },
      not: { not: skipped },
      and: { and: [skipped] },
      'or-not': { or: [{ not: skipped }, has('a')] },
      'or-all': { or: [skipped, { and: [skipped] }] },
      'not-and': { not: { and: [skipped] } },
      top: [skipped],
    });
    const on = { on: 1 };
    expect(await verdict('or', 'x')).toEqual(failed('has a'));
    expect(await verdict('or', 'x', on)).toEqual(failed('skipped', 'has a'));
    expect(await verdict('or', 'a')).toEqual(PASSED);
    expect(await verdict('or-not', 'x')).toEqual(failed('has a'));
    expect(await verdict('or-not', 'x', on)).toEqual(PASSED);
    for (const name of ['not', 'and', 'or-all', 'not-and', 'top']) {
      expect([name, await verdict(name, 'x')]).toEqual([name, PASSED]);
    }
    expect((await verdict('not', 's', on)).valid).toBe(false);
  });
});

test('wrong rules matter only where they are, and only if nothing else is wrong', async () => {
  verifies('GUIDE-35', 'GUIDE-28');
  const steps = [step({ validationCriteria: regex('(') }), step({ id: 'second' })];
  const { fails } = await openGuides(
    guideProject({
      partly: workflow({ id: 'partly', steps }),
      both: workflow({ id: 'both', steps, loop: 1 }),
    }),
  );
  for (const [method, workflowId, stepId, code] of [
    ['workflow_validate', 'partly', 'first', -32004],
    ['workflow_validate', 'partly', 'second', -32002],
    ['workflow_validate', 'partly', 'ghost', -32002],
    ['workflow_validate', 'both', 'first', -32002],
    ['workflow_get', 'partly', null, -32002],
    ['workflow_next', 'partly', null, -32002],
  ] as const) {
    const more = {
      workflow_get: {},
      workflow_next: { completedSteps: [] },
      workflow_validate: { stepId, output: 'x' },
    };
    expect(await fails(method, { workflowId, ...more[method] })).toMatchObject({ code });
  }
});

test('suggestions come in order, once each, and only on failure', async () => {
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
  const all = { ...failed('m1', 'm1', 'm2', 'm3', 'm4'), suggestions: [REVIEW, 's2', 's1'] };
  expect(await verdict('many', 'x')).toEqual(all);
  expect(await verdict('many', 'bcde')).toEqual({ ...failed('m1'), suggestions: [REVIEW, 's2'] });
  expect(await verdict('many', 'abcde')).toEqual(PASSED);
});

test('the context counts for validation, the runCondition does not', async () => {
  verifies('GUIDE-37');
  const rule = has('a', 'm', { condition: { var: 'user.level', gte: 2 } });
  const skipped = step({ runCondition: { or: [] }, validationCriteria: rule });
  const { ok } = await openGuides(guideProject({ demo: workflow({ steps: [skipped] }) }));
  const validate = (context: object | null) =>
    ok('workflow_validate', { workflowId: 'demo', stepId: 'first', output: 'x', context });
  expect(await validate({ user: { level: 2 } })).toEqual(failed('m'));
  for (const context of [{ user: { level: 1 } }, {}, null]) {
    expect(await validate(context)).toEqual(PASSED);
  }
  const next = { workflowId: 'demo', completedSteps: [] };
  expect(await ok('workflow_next', next)).toMatchObject({ isComplete: true });
});
