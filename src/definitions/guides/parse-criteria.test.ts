// Which problems of a file are problems of its rules only: these have a code of their own.

import { describe, expect, it } from 'vitest';
import type { RequirementId } from '../../../test/requirements/requirements.ts';
import {
  invalidGuide,
  problemsOf,
  soundGuide,
  step,
  workflow,
} from '../../../test/support/guides.ts';
import { verifies } from '../../../test/verifies.ts';

const withCriteria = (validationCriteria: unknown, parts = {}) =>
  workflow({ steps: [step(), step({ id: 'second', validationCriteria })], ...parts });

const contains = { type: 'contains', value: 'x', message: 'm' };
const regex = { type: 'regex', pattern: 'x', message: 'm' };

describe('rules alone', () => {
  const wrong: [RequirementId, string, unknown][] = [
    ['GUIDE-27', 'contains without value', [{ type: 'contains', message: 'm' }]],
    ['GUIDE-27', 'contains with a number', [{ ...contains, value: 1 }]],
    ['GUIDE-28', 'a bad pattern', [{ ...regex, pattern: '(' }]],
    ['GUIDE-28', 'no pattern', [{ type: 'regex', message: 'm' }]],
    ['GUIDE-28', 'an empty pattern', [{ ...regex, pattern: '' }]],
    ['GUIDE-28', 'bad flags', [{ ...regex, flags: 'x' }]],
    ['GUIDE-28', 'a foreign inline flag', [{ ...regex, pattern: '(?x)a' }]],
    ['GUIDE-30', 'min over max', [{ type: 'length', min: 3, max: 2, message: 'm' }]],
    ['GUIDE-32', 'no schema', [{ type: 'schema', message: 'm' }]],
    ['GUIDE-35', 'a string', 'be good'],
    ['GUIDE-35', 'a number', 5],
    ['GUIDE-35', 'a string as member', ['be good']],
    ['GUIDE-35', 'null as member', [null]],
    ['GUIDE-35', 'an array as member', [[contains]]],
    ['GUIDE-35', 'an unknown type', [{ ...contains, type: 'near' }]],
    ['GUIDE-35', 'no type', [{ foo: 1 }]],
    ['GUIDE-35', 'an empty and', { and: [] }],
    ['GUIDE-35', 'an empty or', [{ or: [] }]],
    ['GUIDE-35', "another type's field", [{ ...contains, pattern: 'x' }]],
    ['GUIDE-18', 'an unknown operator', [{ ...contains, condition: { var: 'a', near: 1 } }]],
  ];

  it.each(wrong)('%s: %s', async (id, _, criteria) => {
    verifies(id);
    const invalid = await invalidGuide(withCriteria(criteria));
    expect(invalid).toMatchObject({
      code: 'guide_invalid',
      criteriaOnly: true,
      criteriaSteps: ['second'],
    });
    expect(invalid.problems[0]?.path).toMatch(/^\/steps\/1\/validationCriteria/);
    expect(invalid.criteriaFaults).toHaveLength(1);
  });

  it('are known for every step, even if another one has many problems', async () => {
    const many = Array.from({ length: 150 }, () => ({ ...contains, value: 1 }));
    const bad = [{ ...regex, pattern: '(' }];
    const steps = [
      step({ validationCriteria: many }),
      step({ id: 'second', validationCriteria: bad }),
    ];
    const { criteriaSteps } = await invalidGuide(workflow({ steps }));
    expect(criteriaSteps).toHaveLength(2);
  });

  it('are known by step, pointer and reason', async () => {
    const nested = { and: [contains, { or: [contains, { not: { ...regex, pattern: '[' } }] }] };
    const steps = [
      step({ validationCriteria: [contains, { ...regex, flags: 'gg' }, 7] }),
      step({ id: 'second', validationCriteria: [nested] }),
      step({ id: 'third', validationCriteria: [{ and: [] }] }),
    ];
    const { criteriaFaults, criteriaSteps, problems } = await invalidGuide(workflow({ steps }));
    expect(criteriaSteps).toEqual(['first', 'second', 'third']);
    expect(problems).toHaveLength(4);
    expect(criteriaFaults).toEqual([
      { step: 'first', rule: '/validationCriteria/1', reason: expect.stringContaining('flags') },
      {
        step: 'second',
        rule: '/validationCriteria/0/and/1/or/1/not',
        reason: expect.stringContaining('Invalid regular expression'),
      },
      { step: 'third', rule: '/validationCriteria/0', reason: expect.stringContaining('"and"') },
    ]);
  });

  it('are reported at their position', async () => {
    const text = JSON.stringify(withCriteria([{ ...regex, pattern: '(' }]), null, 2);
    const { problems } = await invalidGuide(text);
    const line = text.split('\n').findIndex((one) => one.includes('"pattern"')) + 1;
    expect(problems).toMatchObject([
      { line, column: 11, path: '/steps/1/validationCriteria/0/pattern' },
    ]);
  });
});

describe('other problems', () => {
  it('besides rules make it a problem of the file', async () => {
    const invalid = await invalidGuide(withCriteria(['x'], { category: '' }));
    expect(invalid).toMatchObject({ criteriaOnly: false, criteriaSteps: ['second'] });
    const twice = JSON.stringify(withCriteria([contains])).replace('"type":', '"type":"x","type":');
    expect(await invalidGuide(twice)).toMatchObject({ criteriaOnly: false, criteriaSteps: [] });
  });

  it('count even if they are beyond the limit', async () => {
    const bad = Array.from({ length: 120 }, () => 'x');
    const steps = [step({ validationCriteria: bad }), step({ id: 'second', askForFiles: 1 })];
    const { problems, criteriaOnly } = await invalidGuide(workflow({ steps }));
    expect([problems.length, criteriaOnly]).toEqual([100, false]);
  });

  it('are malformed schemas, including invalid patterns in them', async () => {
    verifies('GUIDE-32');
    for (const schema of [{ type: 'objet' }, { properties: { a: { pattern: '(' } } }]) {
      const invalid = await invalidGuide(withCriteria([{ type: 'schema', schema, message: 'm' }]));
      expect(invalid).toMatchObject({ criteriaOnly: false, criteriaSteps: [] });
      expect(invalid.problems[0]?.path).toMatch(/^\/steps\/1\/validationCriteria\/0\/schema/);
    }
  });

  it('are too many schemas', async () => {
    const schemas = (count: number) =>
      Array.from({ length: count }, () => ({ type: 'schema', schema: {}, message: 'm' }));
    await soundGuide(withCriteria({ and: schemas(20) }));
    const parts = { steps: [step({ validationCriteria: [{ or: schemas(201) }] })] };
    expect(await problemsOf(workflow(parts))).toEqual([
      '/steps/0/validationCriteria: More than 200 schema rules in one workflow',
    ]);
    const spread = Array.from({ length: 20_000 }, () => ({ not: { type: 'schema' } }));
    expect((await invalidGuide(withCriteria(spread))).criteriaOnly).toBe(false);
  });
});
