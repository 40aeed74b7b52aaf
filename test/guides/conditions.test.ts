// Conditions as an agent sees them: a step with a condition is given out, or skipped.

import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { guideProject, oneStep, withCriteria } from './guide-project.ts';
import { openGuides, type Params } from './ways.ts';

type Case = readonly [condition: unknown, context: Params | null, holds: boolean];

/** Each condition guards the only step of its own guide. */
async function expectHolds(cases: readonly Case[]): Promise<void> {
  const files = cases.map(([runCondition], at) => [
    `case-${at}`,
    oneStep(`case-${at}`, { runCondition }),
  ]);
  const { ok } = await openGuides(guideProject(Object.fromEntries(files)));
  for (const [at, [condition, context, holds]] of cases.entries()) {
    const params = { workflowId: `case-${at}`, completedSteps: [], context };
    const { step } = await ok('workflow_next', params);
    expect([condition, context, step !== null]).toEqual([condition, context, holds]);
  }
}

const n = (more: Params) => ({ var: 'n', ...more });

describe('a condition', () => {
  test('on a missing variable is false, except for not_equals', async () => {
    verifies('GUIDE-13');
    await expectHolds([
      [n({ equals: 1 }), {}, false],
      [n({ equals: null }), {}, false],
      [n({ equals: null }), { n: null }, true],
      [n({ not_equals: 1 }), {}, true],
      [n({ not_equals: null }), {}, true],
      [n({ gt: 0 }), {}, false],
      [n({ gte: 0 }), {}, false],
      [n({ lt: 0 }), {}, false],
      [n({ lte: 0 }), {}, false],
      [n({}), {}, false],
      [n({}), null, false],
      [{ not: n({}) }, {}, true],
      [n({}), { n: 0 }, false],
      [n({}), { n: '' }, false],
      [n({}), { n: [] }, true],
    ]);
  });

  test('compares strictly', async () => {
    verifies('GUIDE-14');
    await expectHolds([
      [n({ equals: 5 }), { n: '5' }, false],
      [n({ equals: 'large' }), { n: 'Large' }, false],
      [n({ equals: 'true' }), { n: true }, false],
      [n({ equals: 0 }), { n: '' }, false],
      [n({ gt: 3 }), { n: '5' }, false],
      [n({ gt: 3 }), { n: true }, false],
      [n({ lt: 3 }), { n: null }, false],
      [n({ not_equals: 5 }), { n: '5' }, true],
      [n({ gt: 3 }), { n: 5 }, true],
    ]);
  });

  test('holds if all its parts hold, and compares objects and arrays by structure', async () => {
    verifies('GUIDE-15');
    const range = n({ gte: 1, lte: 3 });
    await expectHolds([
      [range, { n: 5 }, false],
      [range, { n: 0 }, false],
      [range, { n: 1 }, true],
      [range, { n: 3 }, true],
      [n({ equals: { a: [1, { b: null }] } }), { n: { a: [1, { b: null }] } }, true],
      [n({ equals: { a: 1, b: 2 } }), { n: { b: 2, a: 1 } }, true],
      [n({ equals: { a: 1 } }), { n: { a: 1, b: 2 } }, false],
      [n({ equals: [1, 2] }), { n: [2, 1] }, false],
      [n({ equals: [] }), { n: {} }, false],
      [n({ not_equals: [1] }), { n: [1] }, false],
      [{ var: 'n', and: [{ var: 'm' }] }, { n: 1 }, false],
      [{ var: 'n', and: [{ var: 'm' }] }, { n: 1, m: 1 }, true],
      [{ var: 'n', or: [{ var: 'm' }] }, { m: 1 }, false],
      [{ var: 'n', gt: 1, not: { var: 'm' } }, { n: 2, m: 1 }, false],
    ]);
  });

  test('sees own properties only', async () => {
    verifies('GUIDE-16');
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '__proto__.toString'];
    const own = JSON.parse('{"__proto__": 1, "constructor": {"name": "x"}}');
    await expectHolds([
      ...names.flatMap((name): Case[] => [
        [{ var: name }, {}, false],
        [{ var: `o.${name}` }, { o: {} }, false],
        [{ var: name, not_equals: 1 }, {}, true],
      ]),
      [{ var: '__proto__', equals: 1 }, own, true],
      [{ var: 'constructor.name', equals: 'x' }, own, true],
      [{ var: 'l.length' }, { l: [1] }, false],
      [{ var: 'l.0' }, { l: [1] }, false],
      [{ var: 't.length' }, { t: 'text' }, false],
    ]);
  });

  test('that is empty holds', async () => {
    verifies('GUIDE-17');
    await expectHolds([
      [{}, {}, true],
      [{ and: [{}] }, {}, true],
      [{ or: [{}] }, {}, true],
      [{ not: {} }, {}, false],
      [{ and: [] }, {}, true],
      [{ or: [] }, {}, false],
      [{ not: { or: [] } }, {}, true],
      [{ and: [{ and: [] }, { or: [{ or: [] }, {}] }] }, {}, true],
    ]);
  });

  test('reads nested variables by dots; a literal key wins', async () => {
    verifies('GUIDE-19');
    const at = { var: 'a.b', equals: 1 };
    await expectHolds([
      [at, { a: { b: 1 } }, true],
      [at, { 'a.b': 1 }, true],
      [at, { 'a.b': 2, a: { b: 1 } }, false],
      [at, { 'a.b': 1, a: { b: 2 } }, true],
      [at, { a: [{ b: 1 }] }, false],
      [at, { a: 'b' }, false],
      [{ var: 'a.b.c', equals: 1 }, { a: { b: { c: 1 } } }, true],
      [{ var: 'a.b.c', equals: 1 }, { a: { 'b.c': 1 } }, false],
    ]);
  });

  test('with anything unknown, or nested more than 32 deep, is an error of the file', async () => {
    verifies('GUIDE-18', 'GUIDE-20');
    const unknown = { or: [{}, { and: [{ not: n({ matches: 1 }) }] }] };
    const rule = { type: 'contains', value: 'x', message: 'm', condition: unknown };
    const nested = (depth: number) => `${'{"not":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
    const deep = (id: string, depth: number) =>
      JSON.stringify(oneStep(id, { runCondition: 0 })).replace('0}', `${nested(depth)}}`);
    const { ok, fails } = await openGuides(
      guideProject({
        run: oneStep('run', { runCondition: unknown }),
        confirm: oneStep('confirm', { requireConfirmation: unknown }),
        'in-rule': withCriteria('in-rule', rule),
        'deep-31': deep('deep-31', 31),
        'deep-32': deep('deep-32', 32),
        'deep-33': deep('deep-33', 33),
        'deep-20000': deep('deep-20000', 20_000),
      }),
    );
    const next = (workflowId: string) => ({ workflowId, completedSteps: [] });
    // An even number of negations changes nothing.
    expect((await ok('workflow_next', next('deep-31'))).isComplete).toBe(false);
    expect((await ok('workflow_next', next('deep-32'))).isComplete).toBe(true);
    for (const id of ['run', 'confirm', 'in-rule', 'deep-33', 'deep-20000']) {
      const error = { code: -32002, data: { workflowId: id } };
      expect(await fails('workflow_next', next(id))).toMatchObject(error);
    }
    const { data } = await fails('workflow_next', next('run'));
    expect(data.problems).toMatchObject([{ path: '/steps/0/runCondition/or/1/and/0/not/matches' }]);
    const validate = { workflowId: 'in-rule', stepId: 'first', output: 'x' };
    const error = { code: -32004, data: { rule: '/validationCriteria' } };
    expect(await fails('workflow_validate', validate)).toMatchObject(error);
  });
});
