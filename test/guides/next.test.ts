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
const rule = (message: string, condition?: object) => ({
  type: 'contains',
  value: 'x',
  message,
  ...(condition && { condition }),
});

async function branching() {
  const { ok, fails } = await openGuides(guideProject({ branching: BRANCHING }));
  const params = { workflowId: 'branching' };
  return {
    fails: (more: object) => fails('workflow_next', { ...params, ...more }),
    next: (completedSteps: readonly string[], more: object = {}) =>
      ok('workflow_next', { ...params, completedSteps, ...more }),
  };
}

describe('the next step', () => {
  test('is the first in file order that is open and applies, or none', async () => {
    verifies('GUIDE-21', 'GUIDE-22');
    const { next } = await branching();
    const everything = { scope: 'large', team: { size: 2 }, extra: 1 };
    for (const [completed, context, id] of [
      [[], everything, 'one'],
      [['one'], everything, 'two'],
      [['one'], {}, 'four'],
      [['two', 'four'], everything, 'one'],
      [['five', 'three', 'one'], everything, 'two'],
      [['one', 'two', 'three', 'four'], everything, 'five'],
      [['one', 'one', 'two'], everything, 'three'],
    ] as const) {
      expect((await next(completed, { context })).step.id).toBe(id);
    }
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
    const facts = { scope: 'large', team: { size: 2 }, extra: true };
    // Of conditions that are not for running only those of the given step matter, here none.
    const plain = await next([], { context: facts });
    expect(Object.keys(plain)).toEqual(['step', 'guidance', 'isComplete']);
    const odd = await next(['one', 'ghost', 'spook', 'ghost'], { context: { risky: true } });
    expect(odd).toMatchObject({
      step: { id: 'four' },
      warnings: ['ghost', 'spook', 'ghost'].map((id) => `Unknown step id in completedSteps: ${id}`),
      skippedSteps: [{ id: 'two' }, { id: 'three' }],
      missingContext: ['extra', 'scope', 'team.size'],
    });
    expect((await next(['one', 'two', 'three'])).missingContext).toEqual(['extra', 'risky']);
  });

  test('does not depend on currentStep, which must still exist, and needs the completed steps', async () => {
    verifies('GUIDE-23');
    const { next, fails } = await branching();
    const plain = await next(['one']);
    for (const currentStep of ['one', 'five', null]) {
      expect(await next(['one'], { currentStep })).toEqual(plain);
    }
    expect(await fails({ completedSteps: [], currentStep: 'ghost' })).toEqual({
      code: -32003,
      message: 'Step not found',
      data: { workflowId: 'branching', stepId: 'ghost' },
    });
    for (const completedSteps of [undefined, null, 'one', 7, {}, ['one', null]]) {
      const { code, data } = await fails({ completedSteps });
      expect([code, data.field]).toEqual([
        -32602,
        expect.stringMatching(/^completedSteps(\[1\])?$/),
      ]);
    }
    // Params are validated before the workflow is looked up.
    expect(await fails({ workflowId: 'ghost' })).toMatchObject({ code: -32602 });
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
    const shown = { askForFiles: false, requireConfirmation: { var: 'x' }, runCondition: {} };
    const hidden = { modelHint: 'model-x', guidance: [], validationCriteria: [] };
    const { ok } = await openGuides(
      guideProject({ full: oneStep('full', { ...shown, ...hidden }) }),
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
  });

  test('depends on the context: confirmation and criteria', async () => {
    verifies('GUIDE-25');
    const high = { var: 'level', gte: 2 };
    const low = { var: 'level', lt: 2 };
    const validationCriteria = [
      rule('Always'),
      rule('If high', high),
      {
        and: [
          { or: [rule('One of'), rule('Or high', high)] },
          { not: rule('Inner'), message: 'Not that' },
          { not: { or: [rule('This'), rule('That')] } },
          { not: rule('Only if low', low), message: 'Not when low' },
        ],
      },
    ];
    const { ok } = await openGuides(
      guideProject({
        demo: oneStep('demo', { requireConfirmation: high, validationCriteria }),
        plain: oneStep('plain', { requireConfirmation: true }),
      }),
    );
    const next = (workflowId: string, context: object | null) =>
      ok('workflow_next', { workflowId, completedSteps: [], context });
    const generated = 'Output must not satisfy: This; That';
    for (const [context, requiresConfirmation, ...criteria] of [
      [{ level: 2 }, true, 'Always', 'If high', 'One of', 'Or high', 'Not that', generated],
      [{ level: 1 }, false, 'Always', 'One of', 'Not that', generated, 'Not when low'],
      [null, false, 'Always', 'One of', 'Not that', generated],
    ] as const) {
      const { guidance, missingContext } = await next('demo', context);
      expect(guidance).toMatchObject({ requiresConfirmation, validationCriteria: criteria });
      // Also what only a rule asks for is missing.
      expect(missingContext).toEqual(context === null ? ['level'] : undefined);
    }
    expect((await next('plain', {})).guidance).toMatchObject({ requiresConfirmation: true });
  });
});
