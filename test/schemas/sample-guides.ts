// Small guides that together contain every field of the format, so that changing them anywhere
// reaches all of the format.

import type { Json, JsonObject } from './json.ts';

function guide(steps: JsonObject[], more: JsonObject = {}): JsonObject {
  const texts = { id: 'demo-guide', name: 'Demo', description: 'A demonstration' };
  return { ...texts, version: '1.0.0', steps, ...more };
}

function step(id: string, more: JsonObject): JsonObject {
  return { id, title: 'A step', prompt: 'Do it.', ...more };
}

/** One step, judged by these criteria. */
export function guideWithCriteria(criteria: Json): JsonObject {
  return guide([step('only', { validationCriteria: criteria })]);
}

const STEPS = guide(
  [
    step('first-1', {
      askForFiles: true,
      requireConfirmation: false,
      guidance: ['Look first.', 'Look first.'],
      agentRole: 'A careful person',
      modelHint: 'small',
      preface: 'Now.',
      validationCriteria: null,
    }),
    step('second', { requireConfirmation: { var: 'risky' }, runCondition: {}, guidance: [] }),
  ],
  {
    version: '1.2.3-rc.1+build.7',
    category: 'development',
    summary: 'Shows everything',
    preconditions: ['It is there', 'It works'],
    clarificationPrompts: ['Who asks?'],
    metaGuidance: ['Be brief'],
  },
);

const RULES = guideWithCriteria([
  { type: 'contains', value: '', message: 'Contains nothing', suggestion: 'Add it' },
  { type: 'regex', pattern: '^## x', flags: 'im', message: 'Has a heading' },
  {
    or: [
      { type: 'length', min: 1, max: 99, message: 'Is short' },
      {
        not: { type: 'length', message: 'Has any length' },
        message: 'Has none',
        suggestion: 'Empty it',
      },
    ],
  },
  {
    and: [
      {
        type: 'contains',
        value: 'x',
        message: 'Contains x',
        condition: { var: 'strict', equals: { deep: [1, null] } },
      },
    ],
  },
]);

const CONDITIONS = guide([
  step('only', {
    runCondition: {
      var: 'size',
      gt: 0,
      gte: 1,
      lt: 10,
      lte: 9.5,
      not_equals: null,
      and: [{ var: 'b.c' }, {}],
      or: [{ not: { var: 'd', equals: false } }],
      not: { or: [] },
    },
    requireConfirmation: {
      or: [
        { var: 'size', gte: 5 },
        { var: 'owner', equals: 'me' },
      ],
    },
    validationCriteria: { type: 'contains', value: 'x', message: 'Contains x', condition: {} },
  }),
]);

const SCHEMA_RULE = guideWithCriteria({
  type: 'schema',
  schema: { type: 'object' },
  message: 'Is an object',
  suggestion: 'Make it one',
  condition: { var: 'strict' },
});

export const SAMPLE_GUIDES: readonly JsonObject[] = [STEPS, RULES, CONDITIONS];
/** Separate, because compiling a schema is slow. */
export const SCHEMA_RULE_GUIDES: readonly JsonObject[] = [SCHEMA_RULE];
