// Conditions as an agent sees them: a step with a condition is given out, or skipped. All cases are in
// src/core/conditions.test.ts.

import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { guideProject, oneStep, withCriteria } from './guide-project.ts';
import { openGuides, type Params } from './ways.ts';

const n = (more: Params) => ({ var: 'n', ...more });
const at = { var: 'a.b', equals: 1 };
const own = JSON.parse('{"__proto__": 1}');

const CASES: readonly (readonly [condition: unknown, context: Params | null, holds: boolean])[] = [
  [n({ equals: null }), {}, false],
  [n({ not_equals: null }), {}, true],
  [n({ lt: 0 }), null, false],
  [{ not: n({}) }, {}, true],
  [n({}), { n: '' }, false],
  [n({}), { n: [] }, true],
  [n({ equals: 5 }), { n: '5' }, false],
  [n({ equals: 'large' }), { n: 'Large' }, false],
  [n({ gt: 3 }), { n: '5' }, false],
  [n({ gte: 1, lte: 3 }), { n: 3 }, true],
  [n({ gte: 1, lte: 3 }), { n: 5 }, false],
  [n({ equals: { a: 1, b: [2] } }), { n: { b: [2], a: 1 } }, true],
  [n({ equals: [1, 2] }), { n: [2, 1] }, false],
  [n({ or: [{ var: 'm' }] }), { m: 1 }, false],
  [{ var: 'constructor' }, {}, false],
  [{ var: 'o.__proto__' }, { o: {} }, false],
  [{ var: '__proto__', equals: 1 }, own, true],
  [{ var: 'l.length' }, { l: [1] }, false],
  [{}, {}, true],
  [{ and: [] }, {}, true],
  [{ or: [] }, {}, false],
  [at, { a: { b: 1 } }, true],
  [at, { 'a.b': 2, a: { b: 1 } }, false],
  [at, { 'a.b': 1, a: { b: 2 } }, true],
];

test('a condition decides whether a step is given out', async () => {
  verifies('GUIDE-13', 'GUIDE-14', 'GUIDE-15', 'GUIDE-16', 'GUIDE-17', 'GUIDE-19');
  const files = CASES.map(([runCondition], index) => {
    const id = `case-${index}`;
    return [id, oneStep(id, { runCondition })];
  });
  const { ok } = await openGuides(guideProject(Object.fromEntries(files)));
  for (const [index, [condition, context, holds]] of CASES.entries()) {
    const params = { workflowId: `case-${index}`, completedSteps: [], context };
    const { step } = await ok('workflow_next', params);
    expect([condition, context, step !== null]).toEqual([condition, context, holds]);
  }
});

test('a condition with anything unknown, or nested more than 32 deep, is an error of the file', async () => {
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
