// Small jobs that together contain every field of the format, so that changing them anywhere
// reaches all of the format. Several small ones, because parsing takes most of the time of a
// comparison.

import type { Json, JsonObject } from './json.ts';

function job(steps: JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    name: 'demo',
    version: '1.0.0',
    summary: 'A demonstration',
    common_job_info_provided_to_all_steps_at_runtime: 'Shared by all.',
    steps,
    ...more,
  };
}

function step(id: string, more: JsonObject): JsonObject {
  const texts = { name: 'A step', description: 'One of them', instructions_file: 'a.md' };
  return { id, ...texts, outputs: {}, reviews: [], ...more };
}

/** One step with one output, judged by these rules. */
export function jobWithRules(rules: Json): JsonObject {
  const output = { type: 'file', description: 'The output', required: true, rules };
  return job([step('a', { outputs: { x: output } })]);
}

const STEPS = job(
  [
    step('a', {
      inputs: [{ name: 'wish', description: 'What is wanted' }],
      outputs: {
        'notes.md': { type: 'file', description: 'The notes', required: true },
        parts: { type: 'files', description: 'The parts', required: false, rules: null },
      },
      checks: [
        { name: 'tests', run: 'make test', timeout_seconds: 0.5 },
        { name: 'types', run: 'make types' },
      ],
      reviews: [
        {
          run_each: 'step',
          quality_criteria: { complete: 'Nothing is missing', short: 'It is short' },
          additional_review_guidance: '',
        },
        { run_each: 'parts', quality_criteria: { sound: 'Each part is sound' } },
      ],
    }),
    step('b', { dependencies: ['a'], inputs: [{ file: 'notes.md', from_step: 'a' }] }),
    step('c_2', { instructions_file: 'b.md' }),
  ],
  {
    workflows: [
      { name: 'main', summary: 'All of it', steps: ['a', ['b', 'c_2']], agent: 'someone' },
      { name: 'short', summary: 'The start', steps: ['a'] },
    ],
  },
);

const file = { type: 'file', description: 'A file', required: true };

const ENTRIES = job(
  ['plan', 'do_it', 'test_it', 'each', 'last'].map((id) => step(id, { outputs: { x: file } })),
  {
    workflows: [
      {
        name: 'main',
        summary: 'All of it',
        steps: [
          'plan',
          {
            approve: {
              name: 'ok',
              question: 'Good?',
              show: ['plan.x'],
              on_reject: { go_to: 'plan', max: 2 },
            },
          },
          {
            loop: {
              name: 'outer',
              max: 100,
              until: { check: { name: 'tests', run: 'make test', timeout_seconds: 1 } },
              steps: [
                {
                  loop: {
                    name: 'inner',
                    max: 1,
                    until: {
                      rules: [{ type: 'contains', value: 'x', message: 'm' }],
                      output: 'do_it.x',
                    },
                    steps: ['do_it', { approve: { name: 'seen', question: 'Seen?' } }],
                  },
                },
                ['test_it'],
              ],
            },
          },
          {
            for_each: {
              name: 'all',
              items: 'plan.x',
              step: 'each',
              max_parallel: 32,
              max_items: 1000,
            },
          },
          {
            run: {
              name: 'sub',
              job: 'other',
              workflow: 'w',
              inputs: { a: 'goal', b: { value: [1] } },
            },
          },
          { loop: { name: 'end', max: 5, until: { when: { var: 'done' } }, steps: ['last'] } },
        ],
      },
    ],
  },
);

const RULES = jobWithRules([
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

const CONDITIONS_AND_LEFTOVERS = job([
  step('a', {
    when: {
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
    exposed: false,
    hidden: true,
    agent: 'someone',
    hooks: {
      after_agent: [{ prompt: 'Look again' }, { script: 'check.sh' }],
      before_tool: [],
      before_prompt: [{ prompt_file: 'p.md' }],
    },
    stop_hooks: [{ prompt: 'Stop' }],
  }),
]);

const VARIABLES = job(
  [
    step('a', {
      reports: {
        broken: { type: 'boolean', description: 'Is it broken', enum: [true, false] },
        size: { type: 'number', description: 'How large', default: 2, enum: [1, 2.5, 2] },
        cause: { description: 'Why', pattern: '^x', required: false },
      },
    }),
  ],
  {
    workflows: [
      {
        name: 'main',
        summary: 'All of it',
        steps: ['a'],
        inputs: {
          level: { type: 'string', description: 'How bad', enum: ['low', 'high'], default: 'low' },
          log: { type: 'file', description: 'A log', default: 'a.log', enum: ['a.log', 'b.log'] },
          strict: { type: 'boolean', description: 'Is it strict', default: true, required: true },
        },
      },
    ],
  },
);

const SCHEMA_RULE = jobWithRules({
  type: 'schema',
  schema: { type: 'object' },
  message: 'Is an object',
  suggestion: 'Make it one',
  condition: { var: 'strict' },
});

export const SAMPLE_JOBS: readonly JsonObject[] = [
  STEPS,
  ENTRIES,
  RULES,
  CONDITIONS_AND_LEFTOVERS,
  VARIABLES,
];
/** Separate, because compiling a schema is slow. */
export const SCHEMA_RULE_JOBS: readonly JsonObject[] = [SCHEMA_RULE];
/** Has three steps: `b` depends on `a`, and `c_2` on nothing. */
export const JOB_OF_STEPS: JsonObject = STEPS;
