// Small jobs with one fault each, and what lint has to find there: the code, whether it is a
// problem, and the words at which it points.

export interface Fault {
  readonly title: string;
  readonly yaml: string;
  readonly code: string;
  readonly severity: 'problem' | 'warning';
  /** What stands at the place that lint names. */
  readonly at: string;
  /** Its instruction files are empty. */
  readonly isBlank?: boolean;
}

interface Parts {
  readonly inputs?: string;
  readonly steps: string;
  readonly entries: string;
}

const BOOLEAN = '{ type: boolean, description: d }';
const MAYBE = '{ type: boolean, description: d, required: false }';
const LOW_HIGH = '{ description: d, enum: [low, high] }';
const LOW_HIGH_MAYBE = '{ description: d, enum: [low, high], required: false }';
const NUMBER = '{ type: number, description: d }';

/** `id | key: value | …`, a line for each step. */
function stepsOf(written: string): string {
  return written
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', ...keys] = line.split(' | ').map((part) => part.trim());
      return [
        `  - id: ${id}`,
        `    name: ${id}`,
        `    description: ${id}`,
        `    instructions_file: steps/${id}.md`,
        '    outputs: { out: { type: file, description: out, required: true } }',
        '    reviews: []',
        ...keys.map((key) => `    ${key}`),
      ].join('\n');
    })
    .join('\n');
}

function job({ inputs, steps, entries }: Parts): string {
  return [
    'name: sample',
    "version: '1.0.0'",
    'summary: A sample',
    'common_job_info_provided_to_all_steps_at_runtime: Nothing',
    'workflows:',
    '  - name: main',
    '    summary: All of it',
    ...(inputs === undefined ? [] : [`    inputs: ${inputs}`]),
    `    steps: ${entries}`,
    'steps:',
    stepsOf(steps),
    '',
  ].join('\n');
}

function fault(
  title: string,
  code: string,
  severity: Fault['severity'],
  at: string,
  parts: Parts,
): Fault {
  return { title, yaml: job(parts), code, severity, at };
}

const REPORTS_R = `reports: { r: ${BOOLEAN} }`;

export const FAULTS: readonly Fault[] = [
  // A variable that nothing declares.
  ...[
    '{ var: x }',
    '{ not: { var: x } }',
    '{ and: [{ var: r }, { var: x }] }',
    '{ var: x, gt: 1 }',
  ].map((when) =>
    fault(`undeclared in ${when}`, 'undeclared_variable', 'problem', 'x', {
      steps: `a | ${REPORTS_R}\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  ...['{ var: x }', '{ or: [{ var: x, equals: 1 }, {}] }'].map((when) =>
    fault(`undeclared in ${when}, and nothing is declared`, 'undeclared_variable', 'warning', 'x', {
      steps: `a\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  fault('undeclared in the until of a loop', 'undeclared_variable', 'problem', 'x', {
    steps: `a | ${REPORTS_R}`,
    entries: '[{ loop: { name: l, steps: [a], until: { when: { var: x } }, max: 2 } }]',
  }),
  fault('a misspelt report', 'undeclared_variable', 'problem', 'regresion', {
    steps: `a | reports: { regression: ${BOOLEAN} }\nb | when: { var: regresion }`,
    entries: '[a, b]',
  }),
  // A variable that is not set.
  ...[
    '{ var: r, equals: true }',
    '{ var: r }',
    '{ not: { var: r } }',
    '{ var: r, not_equals: true }',
  ].map((when) =>
    fault(`reported after it is asked for: ${when}`, 'unset_variable', 'problem', 'r', {
      steps: `a | when: ${when}\nb | ${REPORTS_R}`,
      entries: '[a, b]',
    }),
  ),
  ...['{ var: r, equals: true }', '{ var: r }', '{ not: { var: r } }'].map((when) =>
    fault(`reported by a step that may be skipped: ${when}`, 'unset_variable', 'warning', 'r', {
      inputs: `{ fast: ${BOOLEAN} }`,
      steps: `a | when: { var: fast } | ${REPORTS_R}\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  ...[
    '{ var: i, equals: low }',
    '{ not: { var: i, equals: low } }',
    '{ or: [{ var: i, equals: high }, {}] }',
  ].map((when) =>
    fault(`an optional input, compared: ${when}`, 'unset_variable', 'warning', 'i', {
      inputs: `{ i: ${LOW_HIGH_MAYBE} }`,
      steps: `a\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  fault('an optional report, compared', 'unset_variable', 'warning', 'r', {
    steps: `a | reports: { r: ${MAYBE} }\nb | when: { var: r, equals: true }`,
    entries: '[a, b]',
  }),
  fault('reported in a concurrent entry of its own', 'unset_variable', 'problem', 'r', {
    steps: `a | ${REPORTS_R}\nb | when: { var: r, equals: true }`,
    entries: '[[a, b]]',
  }),
  fault('an until that asks for a report after the loop', 'unset_variable', 'problem', 'r', {
    steps: `a\nb | ${REPORTS_R}`,
    entries: '[{ loop: { name: l, steps: [a], until: { when: { var: r } }, max: 2 } }, b]',
  }),
  fault('an until whose report may be skipped', 'unset_variable', 'warning', 'r', {
    inputs: `{ fast: ${BOOLEAN} }`,
    steps: `a\nb | when: { var: fast } | ${REPORTS_R}`,
    entries: '[{ loop: { name: l, steps: [a, b], until: { when: { var: r } }, max: 2 } }]',
  }),
  // A condition that never holds.
  ...[
    '{ var: i, equals: medium }',
    '{ and: [{ var: i, equals: low }, { var: i, equals: high }] }',
    '{ var: i, equals: low, not_equals: low }',
    '{ not: { or: [{ var: i, equals: low }, { var: i, equals: high }] } }',
    '{ var: i, gt: 3 }',
    '{ var: i, equals: true }',
    '{ or: [] }',
    '{ not: {} }',
  ].map((when) =>
    fault(`never holds: ${when}`, 'never_holds', 'problem', 'when', {
      inputs: `{ i: ${LOW_HIGH} }`,
      steps: `a\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  ...[
    '{ var: n, gt: 3, lt: 2 }',
    '{ var: n, gt: 3, lte: 3 }',
    '{ and: [{ var: n, equals: 1 }, { var: n, equals: 2 }] }',
  ].map((when) =>
    fault(`never holds for a number: ${when}`, 'never_holds', 'problem', 'when', {
      inputs: `{ n: ${NUMBER} }`,
      steps: `a\nb | when: ${when}`,
      entries: '[a, b]',
    }),
  ),
  fault('contradicts what led there', 'never_holds', 'problem', 'when', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: `a | when: { var: i, equals: high } | ${REPORTS_R}\nb | when: { and: [{ var: i, equals: low }, { var: r }] }`,
    entries: '[a, b]',
  }),
  fault('never holds in a loop', 'never_holds', 'problem', 'when', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'a\nb | when: { var: i, equals: c }',
    entries:
      '[{ loop: { name: l, steps: [a, b], until: { check: { name: c, run: x } }, max: 2 } }]',
  }),
  fault('an until that never holds', 'never_holds', 'problem', 'when', {
    steps: `a | reports: { r: ${LOW_HIGH} }`,
    entries:
      '[{ loop: { name: l, steps: [a], until: { when: { var: r, equals: done } }, max: 2 } }]',
  }),
  fault('a for_each that never applies', 'never_holds', 'problem', 'when', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'a\nb | when: { var: i, equals: c }',
    entries: '[a, { for_each: { name: e, items: a.out, step: b } }]',
  }),
  fault('the name of another workflow', 'never_holds', 'problem', 'when', {
    steps: 'a\nb | when: { var: workflow_name, equals: other }',
    entries: '[a, b]',
  }),
  // An until that the loop cannot change.
  ...['{ var: i, equals: low }', '{ not: { var: i, equals: low } }'].map((when) =>
    fault(`asks for an input: ${when}`, 'until_cannot_change', 'problem', 'when', {
      inputs: `{ i: ${LOW_HIGH} }`,
      steps: 'a',
      entries: `[{ loop: { name: l, steps: [a], until: { when: ${when} }, max: 2 } }]`,
    }),
  ),
  fault('asks for a report from before the loop', 'until_cannot_change', 'problem', 'when', {
    steps: `a | ${REPORTS_R}\nb`,
    entries: '[a, { loop: { name: l, steps: [b], until: { when: { var: r } }, max: 2 } }]',
  }),
  fault('asks for a report of the outer loop', 'until_cannot_change', 'problem', 'when', {
    steps: `a | ${REPORTS_R}\nb`,
    entries:
      '[{ loop: { name: o, steps: [a, { loop: { name: l, steps: [b], until: { when: { var: r } }, max: 2 } }], until: { check: { name: c, run: x } }, max: 2 } }]',
  }),
  fault('asks for what is always there', 'until_cannot_change', 'problem', 'when', {
    steps: `a | ${REPORTS_R}`,
    entries: '[{ loop: { name: l, steps: [a], until: { when: { var: goal } }, max: 2 } }]',
  }),
  // Taken from a step that some path skips.
  ...['{ var: fast }', '{ not: { var: fast } }', '{ var: fast, equals: true }'].map((when) =>
    fault(`an input from a step that may be skipped: ${when}`, 'skipped_source', 'warning', 'a', {
      inputs: `{ fast: ${BOOLEAN} }`,
      steps: `z\na | when: ${when}\nb | dependencies: [a] | inputs: [{ file: out, from_step: a }]`,
      entries: '[z, a, b]',
    }),
  ),
  fault(
    'an input from a step that is skipped whenever it is needed',
    'skipped_source',
    'problem',
    'a',
    {
      inputs: `{ fast: ${BOOLEAN} }`,
      steps:
        'z\na | when: { var: fast }\nb | dependencies: [a] | inputs: [{ file: out, from_step: a }] | when: { not: { var: fast } }',
      entries: '[z, a, b]',
    },
  ),
  fault('an input by a report of an earlier step', 'skipped_source', 'warning', 'a', {
    steps: `z | ${REPORTS_R}\na | when: { var: r }\nb | dependencies: [a] | inputs: [{ file: out, from_step: a }]`,
    entries: '[z, a, b]',
  }),
  fault('an input skipped in a later pass of a loop', 'skipped_source', 'warning', 'a', {
    steps: `z | ${REPORTS_R}\na | when: { var: r }\nb | dependencies: [a] | inputs: [{ file: out, from_step: a }]`,
    entries:
      '[{ loop: { name: l, steps: [z, a, b], until: { check: { name: c, run: x } }, max: 2 } }]',
  }),
  fault('items from a step that may be skipped', 'skipped_source', 'problem', 'a.out', {
    inputs: `{ fast: ${BOOLEAN} }`,
    steps: 'z\na | when: { var: fast }\nb',
    entries: '[z, a, { for_each: { name: e, items: a.out, step: b } }]',
  }),
  fault('rules of a loop on a step that may be skipped', 'skipped_source', 'problem', 'a.out', {
    inputs: `{ fast: ${BOOLEAN} }`,
    steps: 'z\na | when: { var: fast }',
    entries:
      '[{ loop: { name: l, steps: [z, a], until: { output: a.out, rules: [{ type: contains, value: x, message: m }] }, max: 2 } }]',
  }),
  // An approval of nothing.
  fault('shows what no path has made', 'nothing_to_show', 'problem', 'a.out', {
    inputs: `{ fast: ${BOOLEAN} }`,
    steps: 'z\na | when: { var: fast, equals: never }',
    entries: '[z, a, { approve: { name: ok, question: q, show: [a.out] } }]',
  }),
  fault(
    'shows one output that is made and one that is not',
    'nothing_to_show',
    'problem',
    'a.out',
    {
      inputs: `{ i: ${LOW_HIGH} }`,
      steps: 'z\na | when: { var: i, equals: c }',
      entries: '[z, a, { approve: { name: ok, question: q, show: [z.out, a.out] } }]',
    },
  ),
  fault('shows, in a loop, what is never made', 'nothing_to_show', 'problem', 'a.out', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'z\na | when: { var: i, equals: c }',
    entries:
      '[{ loop: { name: l, steps: [z, a, { approve: { name: ok, question: q, show: [a.out] } }], until: { check: { name: c, run: x } }, max: 2 } }]',
  }),
  // What no path reaches.
  fault('behind items that are never there', 'unreachable', 'problem', 'c', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'z\na | when: { var: i, equals: x }\nb\nc',
    entries: '[z, a, { for_each: { name: e, items: a.out, step: b } }, c]',
  }),
  fault('an approval behind items that are never there', 'unreachable', 'problem', 'ok', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'z\na | when: { var: i, equals: x }\nb',
    entries:
      '[z, a, { for_each: { name: e, items: a.out, step: b } }, { approve: { name: ok, question: q } }]',
  }),
  fault('behind a loop that no one can judge', 'unreachable', 'problem', 'c', {
    inputs: `{ i: ${LOW_HIGH} }`,
    steps: 'z\na | when: { var: i, equals: x }\nc',
    entries:
      '[{ loop: { name: l, steps: [z, a], until: { output: a.out, rules: [{ type: contains, value: x, message: m }] }, max: 2 } }, c]',
  }),
  // What needs no path.
  fault('a misspelt key of a step', 'unknown_key', 'problem', 'dependancies', {
    steps: 'a\nb | dependancies: [a]',
    entries: '[a, b]',
  }),
  fault('a misspelt kind of entry', 'unknown_key', 'problem', 'lopp', {
    steps: 'a',
    entries: '[{ lopp: { name: l, steps: [a], until: { when: {} }, max: 2 } }]',
  }),
  {
    ...fault('an empty instructions file', 'empty_instructions', 'warning', 'steps/a.md', {
      steps: 'a',
      entries: '[a]',
    }),
    isBlank: true,
  },
];
