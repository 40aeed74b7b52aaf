// workflow_next: which step comes next, and what is returned with it.

import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { guideProject, oneStep, step, workflow } from './guide-project.ts';
import { openGuides } from './ways.ts';

const LARGE = { var: 'scope', equals: 'large' };
const BRANCHING = workflow({
  id: 'branching',
  steps: [
    step({ id: 'one' }),
    step({ id: 'two', runCondition: LARGE }),
    step({ id: 'three', runCondition: { var: 'team.size', gt: 1 } }),
    step({ id: 'four', requireConfirmation: { var: 'risky' } }),
    step({ id: 'five', runCondition: { var: 'extra' } }),
  ],
});
const COMPLETE = {
  step: null,
  guidance: { prompt: 'Workflow complete.', requiresConfirmation: false, validationCriteria: [] },
  isComplete: true,
};

async function branching() {
  const { ok, fails } = await openGuides(guideProject({ branching: BRANCHING }));
  const params = { workflowId: 'branching' };
  return {
    fails,
    next: (completedSteps: readonly string[], more: object = {}) =>
      ok('workflow_next', { ...params, completedSteps, ...more }),
  };
}

describe('the next step', () => {
  test('is the first in file order that is open and applies', async () => {
    verifies('GUIDE-21');
    const { next } = await branching();
    const follows = async (completed: readonly string[], context: object) =>
      (await next(completed, { context })).step?.id ?? null;
    const everything = { scope: 'large', team: { size: 2 }, extra: 1 };
    expect(await follows([], everything)).toBe('one');
    expect(await follows(['one'], everything)).toBe('two');
    expect(await follows(['one'], {})).toBe('four');
    expect(await follows(['two', 'four'], everything)).toBe('one');
    expect(await follows(['five', 'three', 'one'], everything)).toBe('two');
    expect(await follows(['one', 'two', 'three', 'four'], everything)).toBe('five');
    expect(await follows(['one', 'one', 'two'], everything)).toBe('three');
  });

  test('is none if all is done, or if the rest does not apply', async () => {
    verifies('GUIDE-21', 'GUIDE-22');
    const { next } = await branching();
    expect(await next(['one', 'two', 'three', 'four', 'five'])).toEqual(COMPLETE);
    expect(await next(['one', 'four'], { context: { extra: 0, scope: 's', team: {} } })).toEqual({
      ...COMPLETE,
      skippedSteps: [
        { id: 'two', condition: LARGE },
        { id: 'three', condition: { var: 'team.size', gt: 1 } },
        { id: 'five', condition: { var: 'extra' } },
      ],
      missingContext: ['team.size'],
    });
  });

  test('comes with warnings and other lists, each only if it is not empty', async () => {
    verifies('GUIDE-22');
    const { next } = await branching();
    const facts = { scope: 'large', team: { size: 2 }, extra: true, risky: false };
    expect(Object.keys(await next([], { context: facts }))).toEqual([
      'step',
      'guidance',
      'isComplete',
    ]);
    const odd = await next(['one', 'ghost', 'spook', 'ghost'], { context: { risky: true } });
    expect(odd).toMatchObject({
      step: { id: 'four' },
      warnings: [
        'Unknown step id in completedSteps: ghost',
        'Unknown step id in completedSteps: spook',
        'Unknown step id in completedSteps: ghost',
      ],
      skippedSteps: [{ id: 'two' }, { id: 'three' }],
      missingContext: ['extra', 'scope', 'team.size'],
    });
    // Of the other conditions only those of the given step matter.
    expect((await next([], { context: { ...facts, risky: undefined } })).missingContext).toBe(
      undefined,
    );
    expect((await next(['one', 'two', 'three'])).missingContext).toEqual(['extra', 'risky']);
  });

  test('does not depend on currentStep, which must still exist', async () => {
    verifies('GUIDE-23');
    const { next, fails } = await branching();
    const plain = await next(['one']);
    for (const currentStep of ['one', 'five', null]) {
      expect(await next(['one'], { currentStep })).toEqual(plain);
    }
    const params = { workflowId: 'branching', completedSteps: [] };
    expect(await fails('workflow_next', { ...params, currentStep: 'ghost' })).toEqual({
      code: -32003,
      message: 'Step not found',
      data: { workflowId: 'branching', stepId: 'ghost' },
    });
  });

  test('needs the completed steps', async () => {
    verifies('GUIDE-23');
    const { fails } = await branching();
    for (const completedSteps of [undefined, null, 'one', 7, {}, ['one', null]]) {
      const params = { workflowId: 'branching', completedSteps };
      const { code, data } = await fails('workflow_next', params);
      expect(code).toBe(-32602);
      expect(data.field).toMatch(/^completedSteps(\[1\])?$/);
    }
    // Params are validated before the workflow is looked up.
    expect(await fails('workflow_next', { workflowId: 'ghost' })).toMatchObject({ code: -32602 });
  });
});

describe('the description of a step', () => {
  test('consists of role, guidance, preface and prompt, as far as they exist', async () => {
    verifies('GUIDE-24');
    const parts = {
      agentRole: ['You are careful.', '## Agent Role Instructions\nYou are careful.\n\n'],
      guidance: [['Look first', 'Then leap'], '## Step Guidance\n- Look first\n- Then leap\n\n'],
      preface: ['Now then.', 'Now then. '],
    } as const;
    const names = Object.keys(parts) as (keyof typeof parts)[];
    const mixes = Array.from({ length: 2 ** names.length }, (_, mix) =>
      names.filter((_name, bit) => (mix >> bit) % 2 === 1),
    );
    const files = mixes.map((mix, at) => {
      const id = `mix-${at}`;
      const chosen = Object.fromEntries(mix.map((name) => [name, parts[name][0]]));
      return [id, oneStep(id, { prompt: 'Do\nit.', ...chosen })];
    });
    const { ok } = await openGuides(guideProject(Object.fromEntries(files)));
    for (const [at, mix] of mixes.entries()) {
      const told = await ok('workflow_next', { workflowId: `mix-${at}`, completedSteps: [] });
      const ahead = mix.map((name) => parts[name][1]).join('');
      expect(told.guidance.prompt).toBe(`${ahead}Do\nit.`);
      expect(told.step).toEqual({ id: 'first', title: 'First', prompt: 'Do\nit.' });
    }
  });

  test('contains only the fields of a step', async () => {
    verifies('GUIDE-24');
    const shown = {
      askForFiles: false,
      requireConfirmation: { var: 'x' },
      runCondition: {},
    };
    const hidden = { modelHint: 'model-x', guidance: [], validationCriteria: [] };
    const { ok } = await openGuides(
      guideProject({ full: oneStep('full', { ...shown, ...hidden }), bare: oneStep('bare', {}) }),
    );
    expect(await ok('workflow_next', { workflowId: 'full', completedSteps: [] })).toEqual({
      step: { ...step(), ...shown },
      guidance: {
        prompt: 'Do it.',
        modelHint: 'model-x',
        requiresConfirmation: false,
        validationCriteria: [],
      },
      isComplete: false,
      missingContext: ['x'],
    });
    expect(
      (await ok('workflow_next', { workflowId: 'bare', completedSteps: [] })).guidance,
    ).toEqual({ prompt: 'Do it.', requiresConfirmation: false, validationCriteria: [] });
  });

  test('depends on the context: confirmation and criteria', async () => {
    verifies('GUIDE-25');
    const rule = (message: string, condition?: object) => ({
      type: 'contains',
      value: 'x',
      message,
      ...(condition === undefined ? {} : { condition }),
    });
    const { ok } = await openGuides(
      guideProject({
        demo: oneStep('demo', {
          requireConfirmation: { var: 'level', gte: 2 },
          validationCriteria: [
            rule('Always'),
            rule('If high', { var: 'level', gte: 2 }),
            {
              and: [
                { or: [rule('One of'), rule('Or high', { var: 'level', gte: 2 })] },
                { not: rule('Inner'), message: 'Not that' },
                { not: { or: [rule('This'), rule('That')] } },
                { not: rule('Only if low', { var: 'level', lt: 2 }), message: 'Not when low' },
              ],
            },
          ],
        }),
        plain: oneStep('plain', { requireConfirmation: true }),
      }),
    );
    const guidance = async (workflowId: string, context: object | null) =>
      (await ok('workflow_next', { workflowId, completedSteps: [], context })).guidance;
    const generated = 'Output must not satisfy: This; That';
    expect(await guidance('demo', { level: 2 })).toMatchObject({
      requiresConfirmation: true,
      validationCriteria: ['Always', 'If high', 'One of', 'Or high', 'Not that', generated],
    });
    expect(await guidance('demo', { level: 1 })).toMatchObject({
      requiresConfirmation: false,
      validationCriteria: ['Always', 'One of', 'Not that', generated, 'Not when low'],
    });
    expect(await guidance('demo', null)).toMatchObject({
      requiresConfirmation: false,
      validationCriteria: ['Always', 'One of', 'Not that', generated],
    });
    expect(await guidance('plain', {})).toMatchObject({ requiresConfirmation: true });
  });
});
