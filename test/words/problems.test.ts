// Definitions with mistakes. What each is refused for is asserted by code; where and in which words it is
// reported is recorded in problems-<format>.txt.

import { expect, test } from 'vitest';
import type { Issue, IssueCode } from '../../src/core/issue.ts';
import { limitedHints } from '../../src/core/nearest.ts';
import { openGuideText } from '../../src/definitions/guides/parse-guide.ts';
import { parseJobFile } from '../../src/definitions/jobs/job-yml.ts';
import { oddPlaceholders } from '../../src/definitions/placeholders.ts';
import { pointerTo } from '../../src/definitions/source/node.ts';
import { agentsOfFlow, parseGoal } from '../../src/definitions/team/goal.ts';
import { parseConfig } from '../../src/environment/settings/config.ts';
import { bytesOf, step, workflow } from '../support/guides.ts';
import { jobYml, writeJob } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { expectWords } from './page.ts';

type Issues = readonly Pick<Issue, 'code' | 'path' | 'at' | 'message'>[];

/** The part of a snapshot for one input. */
function section(name: string, issues: Issues): string {
  const lines = issues.map(({ path, at, message }) =>
    [`${at.line}:${at.column}`, pointerTo(path), message].filter(Boolean).join(' '),
  );
  return `${[oneLine(name), ...lines].join('\n  ')}\n`;
}

function oneLine(text: string): string {
  const line = text.replaceAll('\n', '\\n').trimEnd() || '(nothing)';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

const codesOf = (issues: Issues) => issues.map(({ code }) => code);

type Row<Mistake> = readonly [code: IssueCode, mistake: Mistake];
/** What is replaced by what; the mistake is reported under this code. */
type Edit = readonly [code: IssueCode, from: string | RegExp, to: string];

const inStep = (code: IssueCode, key: string): Edit => [
  code,
  'reviews: []',
  `reviews: []\n    ${key}`,
];
const inB = (code: IssueCode, keys: string, flow = '[a, b]'): Edit => [
  code,
  / {4}reviews: \[\]\nworkflows:\n.*/,
  `    ${keys.replaceAll('; ', '\n    ')}\nworkflows: [{name: main, summary: x, steps: ${flow}}]`,
];
const steps = (code: IssueCode, value: string): Edit => [
  code,
  /steps:\n[\s\S]*workflows/,
  `steps: ${value}\nworkflows`,
];

const SHAPE: readonly Edit[] = [
  ['wrong_type', /^[\s\S]*$/, '- a'],
  ['missing_key', 'summary: A demonstration\n', ''],
  ['unknown_key', 'instructions_file', 'instruction_file'],
  ['unknown_key', 'name: demo', 'name: demo\nextra: 1'],
  ['unknown_key', 'name: demo', 'name: demo\n<<: {}'],
  ['unknown_key', 'name: demo', 'name: demo\nconstructor: 1'],
  ['wrong_value', 'name: demo', "name: demo\ndescription: ''"],
  ['wrong_value', 'name: demo', 'name: My-Job'],
  ['wrong_value', 'name: demo', 'name: "demo\\n"'],
  ['wrong_type', '"1.0.0"', '1.0'],
  ['wrong_value', '"1.0.0"', '"1.0"'],
  ['wrong_length', 'A demonstration', 'é'.repeat(201)],
  ['wrong_length', 'A demonstration', '""'],
  ['wrong_value', 'Shared by all.', "''"],
  steps('wrong_length', '[]'),
  steps('wrong_type', 'a'),
  steps('wrong_type', '[a]'),
  ['wrong_type', 'outputs: {}', 'outputs:'],
  ['wrong_value', 'type: file', 'type: folder'],
  ['wrong_type', 'required: true', 'required: "yes"'],
  inB('missing_key', 'dependencies: []'),
  ['wrong_length', 'reviews: []', 'reviews: [{run_each: step, quality_criteria: {}}]'],
  ['wrong_length', 'steps: [a, b]', 'steps: [a, []]'],
  inStep('missing_key', 'inputs: [{name: x, file: y}]'),
  inStep('missing_key', 'inputs: [{}]'),
  inStep('wrong_type', 'stop_hooks: [{prompt: x, script: y}]'),
  inStep('unknown_key', 'hooks: {before_agent: []}'),
  inStep('missing_key', 'checks: [{name: x}]'),
  inStep('duplicate_value', 'checks: [{name: x, run: y}, {name: x, run: z}]'),
  inStep('wrong_type', 'checks: [{name: x, run: y, timeout_seconds: 0}]'),
  inStep('wrong_type', 'checks: [{name: x, run: y, timeout_seconds: .inf}]'),
  inStep('unknown_operator', 'when: {var: x, equal: 1}'),
  inStep('wrong_value', 'reports: {f: {type: file, description: A file}}'),
  [
    'wrong_regex',
    'required: true',
    'required: true, rules: [{type: regex, pattern: "(", message: m}]',
  ],
  ['duplicate_key', 'name: demo', 'name: demo\nname: demo'],
  ['not_yaml', 'name: demo', 'name: [demo'],
  ['not_yaml', 'name: demo', 'name:demo'],
  ['not_yaml', 'summary: A demonstration', 'summary A demonstration'],
  ['empty_file', /^[\s\S]*$/, '# nothing\n'],
];

const REFERENCES: readonly Edit[] = [
  inStep('unknown_step', 'dependencies: [x]'),
  inStep('circular_dependency', 'dependencies: [a]'),
  inB('unknown_step', 'reviews: []; inputs: [{file: f, from_step: x}]'),
  inB('missing_dependency', 'reviews: []; inputs: [{file: notes.md, from_step: a}]'),
  inB('unknown_output', 'reviews: []; dependencies: [a]; inputs: [{file: o.md, from_step: a}]'),
  ['unknown_output', 'reviews: []', 'reviews: [{run_each: draft, quality_criteria: {c: d}}]'],
  inB('unknown_output', 'reviews: [{run_each: draft, quality_criteria: {c: d}}]'),
  ['duplicate_id', '  - {name: main', '  - {name: main, summary: x, steps: [b]}\n  - {name: main'],
  ['unknown_step', '[a, b]', '[a, b, [x]]'],
  ['duplicate_id', '[a, b]', '[a, b, [a]]'],
  ['duplicate_id', 'id: b', 'id: a'],
  inB('wrong_order', 'reviews: []; dependencies: [a]', '[b, a]'),
  inB('wrong_order', 'reviews: []; dependencies: [a]', '[[b, a]]'),
  inB('missing_dependency', 'reviews: []; dependencies: [a]', '[b]'),
  ['instructions_not_found', 'a.md', 'steps/none.md'],
  ['instructions_unusable', 'a.md', '../a.md'],
  ['reserved_name', 'notes.md:', 'step:'],
];

const STEP_IDS = ['plan', 'make', 'test', 'each'];
/** Steps that each have a file `out` and files `parts`; `$` is the workflow. */
const OF_ENTRIES = jobYml({ workflows: '  - {name: flow, summary: x, steps: $}' }).replace(
  /steps:\n[\s\S]*workflows/,
  `steps:\n${STEP_IDS.map((id) => `  - {id: ${id}, name: n, description: d, instructions_file: a.md, outputs: {out: {type: file, description: A file, required: true}, parts: {type: files, description: Files, required: false}}, reviews: []}`).join('\n')}\nworkflows`,
);
const UNTIL = 'max: 5, until: {when: {var: green}}';
const PLAN_OUT = '{for_each: {name: x, items: plan.out, step: each}}';
const nested = (depth: number): string =>
  depth === 0 ? 'make' : `{loop: {name: l${depth}, ${UNTIL}, steps: [${nested(depth - 1)}]}}`;

const ENTRIES: readonly Row<string>[] = [
  ['unknown_key', '[{lop: {name: x}}]'],
  ['wrong_type', '[{loop: {}, run: {}}]'],
  ['wrong_type', '[{}]'],
  ['unknown_key', `[{loop: {name: x, ${UNTIL}, steps: [make], times: 2}}]`],
  ['missing_key', '[{approve: {name: x}}]'],
  ['missing_key', '[plan, {approve: {question: q, show: [plan.out]}}]'],
  ['wrong_value', '[{loop: {name: x, max: 101, until: {when: {var: a}}, steps: [make]}}]'],
  [
    'wrong_type',
    '[{loop: {name: x, max: 1, until: {when: {var: a}, check: {name: c, run: c}}, steps: [make]}}]',
  ],
  [
    'missing_key',
    '[{loop: {name: x, max: 1, until: {rules: [{type: length, message: m}]}, steps: [make]}}]',
  ],
  [
    'wrong_length',
    '[{loop: {name: x, max: 1, until: {rules: [], output: make.out}, steps: [make]}}]',
  ],
  [
    'wrong_value',
    '[{loop: {name: x, max: 1, until: {rules: [{type: lenght, message: m}], output: make.out}, steps: [make]}}]',
  ],
  ['too_deep', `[${nested(4)}]`],
  ['wrong_value', '[{for_each: {name: x, items: plan, step: each}}]'],
  ['duplicate_id', '[plan, {approve: {name: plan, question: q}}]'],
  ['duplicate_id', `[make, {loop: {name: x, ${UNTIL}, steps: [make]}}]`],
  [
    'duplicate_id',
    `[{loop: {name: make, ${UNTIL}, steps: [make]}}, {approve: {name: ok, question: q, show: [make.out]}}]`,
  ],
  ['unknown_step', `[{loop: {name: x, ${UNTIL}, steps: [nope]}}]`],
  ['unknown_step', `[${PLAN_OUT}]`],
  ['wrong_order', `[${PLAN_OUT}, plan]`],
  ['unknown_output', '[plan, {for_each: {name: x, items: plan.modules, step: each}}]'],
  ['wrong_value', `[plan, ${PLAN_OUT}, {for_each: {name: y, items: each.out, step: make}}]`],
  ['wrong_order', '[{approve: {name: x, question: q, show: [make.out]}}, make]'],
  ['wrong_order', '[{approve: {name: x, question: q, on_reject: {go_to: make}}}, make]'],
  ['unknown_step', '[{approve: {name: x, question: q, on_reject: {go_to: nope}}}]'],
  ['unknown_step', '[plan, {for_each: {name: x, items: plann.out, step: each}}]'],
  ['unknown_output', '[plan, {approve: {name: x, question: q, show: [plan.outt]}}]'],
  ['unknown_step', '[plan, {approve: {name: x, question: q, on_reject: {go_to: plann}}}]'],
  [
    'wrong_order',
    '[plan, {loop: {name: x, max: 1, until: {rules: [{type: length, message: m}], output: plan.out}, steps: [make]}}]',
  ],
];

const OF_INPUTS = jobYml({
  workflows: '  - name: main\n    summary: All\n    steps: [a, b]\n    inputs: $',
});
const INPUTS: readonly Row<string>[] = [
  ['missing_key', '{a: {}}'],
  ['unknown_key', '{a: {description: d, requird: true}}'],
  ['wrong_value', '{A-b: {description: d}}'],
  ['reserved_name', '{goal: {description: d}}'],
  ['wrong_value', '{a: {description: d, type: text}}'],
  ['wrong_length', '{a: {description: d, enum: []}}'],
  ['duplicate_value', '{a: {description: d, enum: [x, x]}}'],
  ['wrong_type', '{a: {description: d, enum: [x, 2]}}'],
  ['wrong_type', '{a: {description: d, type: number, enum: [1, "2"]}}'],
  ['wrong_type', '{a: {description: d, type: boolean, default: 1}}'],
  ['wrong_value', '{a: {description: d, enum: [x, y], default: z}}'],
  ['wrong_value', "{a: {description: d, pattern: '^x', default: y}}"],
  ['wrong_regex', "{a: {description: d, pattern: '('}}"],
  ['wrong_value', "{a: {description: d, type: number, pattern: '1'}}"],
  ['wrong_type', '[a]'],
];

const WITH_ARGUMENTS = `name: demo
summary: A demonstration
step_arguments:
  - {name: topic, description: What about, type: string}
  - name: out.md
    description: The report
    type: file_path
    json_schema: {type: object}
    review: {strategy: individual, instructions: It is short}
workflows:
  main:
    summary: All of it
    steps:
      - name: draft
        instructions: Write about it
        inputs: {topic: {required: false}}
        outputs: {out.md: {required: false}}
`;
const ARGUMENTS: readonly Edit[] = [
  ['missing_key', 'summary: A demonstration\n', ''],
  ['unknown_key', 'instructions: Write', 'instruction: Write'],
  ['wrong_value', 'type: string', 'type: text'],
  ['wrong_value', 'individual', 'all_changed_files'],
  ['wrong_schema', '{type: object}', '{type: thing}'],
  ['wrong_value', '  main:', '  Main-1:'],
  ['wrong_type', 'workflows:\n  main:\n    summary', 'workflows:\n  - main:\n    summary'],
  ['wrong_value', '        instructions: Write about it\n', ''],
  ['wrong_value', 'Write about it', 'Write\n        sub_workflow: {workflow_name: main}'],
  ['unknown_output', '{topic: {', '{topik: {'],
  ['unknown_output', '{out.md: {required: false}}', '{ghost: {}}'],
  ['reserved_name', '{out.md: {required: false}}', '{step: {}}'],
  ['unknown_workflow', 'instructions: Write about it', 'sub_workflow: {workflow_name: nowhere}'],
];

const WITH_LISTS = `name: demo
version: 1.0.0
summary: Older
steps:
  - id: a
    name: A
    description: The first
    instructions_file: a.md
    outputs: [report.md, {file: data/}]
    quality_criteria: [Is complete, Names its sources]
workflows:
  - {name: main, summary: All, steps: [a]}
`;
const LISTS: readonly Edit[] = [
  ['duplicate_value', 'report.md, ', 'report.md, report.md, '],
  ['wrong_type', 'report.md, ', 'report.md, 7, '],
  ['unknown_key', '{file: data/}', '{flie: data/}'],
  ['wrong_value', 'Is complete', '""'],
  ['unknown_key', 'summary: Older', 'summary: Older\ncolour: red'],
];

async function problemsOfJob(text: string): Promise<Issues> {
  const bytes = Buffer.from(text);
  const { job, problems } = await parseJobFile(dir, { kind: 'read', bytes });
  expect(job).toBeNull();
  return problems.kept;
}

/** The sentences that are promised word for word. */
const PROMISED = [
  'job.yml is empty',
  "Step 'a' depends on non-existent step 'x'",
  "Circular dependency detected involving step 'a'",
  "Step 'b' references non-existent step 'x' in file input",
  "Step 'b' has file input from 'a' but 'a' is not in dependencies",
  "Step 'a' has review with run_each='draft' but no output with that name. Valid values: 'step', notes.md",
  "Step 'b' has review with run_each='draft' but no output with that name. Valid values: 'step', (no outputs)",
  "Duplicate workflow name: 'main'",
  "Workflow 'main' references non-existent step 'x'",
  "Workflow 'main' contains duplicate step 'a'",
  "Duplicate step id: 'a'",
  "Workflow 'main' runs 'b' before its dependency 'a'",
  "Workflow 'main' lacks 'a', a dependency of 'b'",
  'Instructions file not found: steps/none.md',
  'Instructions file outside job directory: ../a.md',
  "Step 'a' has an output named 'step'",
  "Step 'b' has file input 'o.md' but 'a' has no such output",
];

let dir: string;

test('a job.yml is refused for each mistake, in its words and at its place', async () => {
  verifies('JOBS-X.3', 'LANG-1', 'LANG-3', 'LANG-4', 'LANG-5', 'LANG-7');
  dir = writeJob(tempFolder(), 'demo', '');
  const whole = (rows: readonly Row<string>[]) => rows.map(([code, to]): Edit => [code, '$', to]);
  const parts: string[] = [];
  for (const [base, edits] of [
    [jobYml(), [...SHAPE, ...REFERENCES]],
    [OF_ENTRIES, whole(ENTRIES)],
    [OF_INPUTS, whole(INPUTS)],
    [WITH_ARGUMENTS, ARGUMENTS],
    [WITH_LISTS, LISTS],
  ] as const) {
    for (const [code, from, to] of edits) {
      const text = base.replace(from, () => to);
      expect(text, `${from}`).not.toBe(base);
      const issues = await problemsOfJob(text);
      const name = typeof from === 'string' && from !== '$' ? `${from} → ${to}` : to;
      expect.soft(codesOf(issues), name).toContain(code);
      parts.push(section(name, issues));
    }
  }
  for (const promised of PROMISED) expect(parts.join('')).toContain(` ${promised}\n`);
  await expectWords('problems-job.txt', parts.join('\n'));
});

const rule = { type: 'contains', value: 'x', message: 'm' };
const regex = { type: 'regex', pattern: 'x', message: 'm' };
const schemaRule = (schema: unknown) => ({ type: 'schema', schema, message: 'm' });
const GUIDE_TEXTS: readonly Row<string>[] = [
  ['not_json', ''],
  ['not_json', '{\n  "id": "demo",\n  "name": }'],
  ['not_json', '{"a": [1, 2,\n ]}'],
  ['not_json', '{"a": 1\n "b": 2}'],
  ['not_json', '{"a": 1, // why\n "b": 2}'],
  ['not_json', "{'a': 1}"],
  ['not_json', '{"a" = 1}'],
  ['not_json', '["x\\q"]'],
  ['not_json', '["x\ny"]'],
  ['not_json', '["x\u0001"]'],
  ['not_json', '[1, "open]'],
  ['not_json', '[1, [2'],
  ['not_json', '{} {}'],
  ['over_limit', '['.repeat(65) + ']'.repeat(65)],
  ['over_limit', ' '.repeat(1024 * 1024 + 1)],
  ['wrong_type', '[]'],
  ['missing_key', '{}'],
  ['duplicate_key', '{"id": "demo", "name": "D",\n "name": "again"}'],
];

const OF_GUIDE: readonly Row<object>[] = [
  ['wrong_type', { id: 5 }],
  ['wrong_length', { id: 'ab' }],
  ['wrong_value', { id: 'Abc\n' }],
  ['wrong_length', { name: '' }],
  ['wrong_value', { version: '1.0' }],
  ['wrong_value', { version: 1 }],
  ['wrong_type', { preconditions: 'x' }],
  ['duplicate_value', { metaGuidance: ['a', 'b', 'a'] }],
  ['wrong_type', { steps: [] }],
  ['wrong_type', { steps: {} }],
  ['missing_key', { steps: [{}] }],
  ['wrong_type', { steps: [null] }],
  ['duplicate_id', { steps: [step(), step()] }],
  ['not_supported', { functionDefinitions: 1, assessments: 1, parallelDelegations: 1 }],
];

const OF_STEP: readonly Row<object>[] = [
  ['wrong_type', { askForFiles: 'yes', requireConfirmation: 'no' }],
  ['wrong_length', { agentRole: 'Short' }],
  ['not_supported', { type: 'loop', loop: {}, body: [] }],
  ['not_supported', { type: 'parallel', functionCalls: [], promptBlocks: {}, outputContract: {} }],
  ['not_supported', { modelTier: 'large', templateCall: {} }],
  ['not_supported', { runCondition: { var: 'x', in: [1] } }],
  ['wrong_type', { runCondition: null }],
  ['wrong_type', { runCondition: { and: {} } }],
  ['wrong_type', { runCondition: { or: [1] } }],
  ['wrong_type', { runCondition: { var: 7 } }],
  ['wrong_type', { runCondition: { var: 'n', gt: '3' } }],
  ['missing_key', { runCondition: { equals: 1 } }],
  ['unknown_operator', { runCondition: { or: [{}, { and: [{ var: 'x', equal: 1 }] }] } }],
  ['unknown_operator', { requireConfirmation: { not: { matches: 'x' } } }],
];

const OF_CRITERIA: readonly Row<unknown>[] = [
  ['wrong_type', 'be good'],
  ['wrong_type', [null]],
  ['wrong_value', [{ ...rule, type: 'near' }]],
  ['missing_key', [{ foo: 1 }]],
  ['wrong_type', { and: [] }],
  ['wrong_value', { and: [rule], or: [rule] }],
  ['unknown_field', [{ ...rule, pattern: 'x' }]],
  ['unknown_operator', [{ ...rule, condition: { var: 'a', near: 1 } }]],
  ['missing_key', { type: 'contains', value: 'x' }],
  ['missing_key', { type: 'contains', message: 'm' }],
  ['wrong_type', { ...rule, value: 1 }],
  ['wrong_regex', { ...regex, pattern: '(' }],
  ['wrong_regex', { ...regex, pattern: '' }],
  ['wrong_regex', { ...regex, flags: 'x' }],
  ['wrong_regex', { ...regex, pattern: '(?x)a' }],
  ['wrong_value', { type: 'length', min: 3, max: 2, message: 'm' }],
  ['wrong_type', { type: 'length', min: '3', message: 'm' }],
  ['missing_key', { type: 'schema', message: 'm' }],
  ['wrong_schema', schemaRule({ type: 'objet' })],
  ['wrong_schema', schemaRule({ properties: { a: { pattern: '(' } } })],
  ['wrong_schema', schemaRule({ $schema: 'https://example.org/mine' })],
  ['over_limit', { or: Array.from({ length: 201 }, () => schemaRule({})) }],
];

test('a guide is refused for each mistake, in its words and at its place', async () => {
  verifies('GUIDE-7', 'GUIDE-8', 'GUIDE-9', 'GUIDE-18', 'GUIDE-27', 'GUIDE-28', 'GUIDE-30');
  verifies('GUIDE-32', 'GUIDE-35');
  const inStep = (parts: object) => workflow({ steps: [step({ ...parts })] });
  const guides = [
    ...GUIDE_TEXTS.map(([code, text]) => [code, text, text] as const),
    ...OF_GUIDE.map(
      ([code, parts]) => [code, JSON.stringify(parts), workflow({ ...parts })] as const,
    ),
    ...OF_STEP.map(([code, parts]) => [code, JSON.stringify(parts), inStep(parts)] as const),
    ...OF_CRITERIA.map(
      ([code, rules]) =>
        [code, JSON.stringify(rules), inStep({ validationCriteria: rules })] as const,
    ),
  ];
  const parts: string[] = [];
  for (const [code, name, content] of guides) {
    const parsed = await openGuideText(bytesOf(content), '/x.json').check();
    const issues = parsed.kind === 'invalid' ? parsed.problems : [];
    expect.soft(codesOf(issues), oneLine(name)).toContain(code);
    parts.push(section(name, issues));
  }
  for (const promised of ['Unknown field: pattern', 'Duplicate step id: first']) {
    expect(parts.join('')).toContain(` ${promised}\n`);
  }
  await expectWords('problems-guide.txt', parts.join('\n'));
});

const gate = (value: string) => `quality_gate: ${value}`;
const team = (value: string) => `team: ${value}`;
const CONFIGS: readonly Row<string>[] = [
  ['unknown_key', 'qualty_gate: {max_parallel: 9}'],
  ['not_yaml', 'quality_gate:\n\toverrides: agent'],
  ['duplicate_key', 'team:\n  tokens: true\n  tokens: false'],
  ['not_yaml', 'a: 1\n---\nb: 1'],
  ['over_limit', '['.repeat(100)],
  ['wrong_type', '- quality_gate'],
  ['wrong_type', gate('7')],
  ['wrong_value', gate('{default_timeout: soon}')],
  ['wrong_value', gate('{default_max_attempts: 0}')],
  ['unknown_key', gate('{answer_withn: 5}')],
  ['wrong_value', gate('{overrides: nevr}')],
  ['wrong_value', 'git: {branch: sometimes}'],
  ['wrong_value', 'store: mysql://user:secret@host/work'],
  ['wrong_value', 'store_schema: "Team A"'],
  ['wrong_value', 'store_lease_seconds: 0'],
  ['wrong_type', 'workspace: [a]'],
  ['wrong_type', team('[]')],
  ['unknown_key', team('{agent: []}')],
  ['wrong_type', team('{agents: {}}')],
  ['wrong_type', team('{agents: [x]}')],
  ['missing_key', team('{agents: [{}]}')],
  ['wrong_value', team('{agents: [{name: "a:b"}]}')],
  ['wrong_value', team('{agents: [{name: a}, {name: a}]}')],
  ['unknown_key', team('{agents: [{name: a, model: m}]}')],
  ['wrong_type', team('{agents: [{name: a, models: m}]}')],
  ['wrong_value', team('{agents: [{name: a, models: [""]}]}')],
  ['wrong_value', team('{agents: [{name: a, models: ["a|b"]}]}')],
  ['wrong_type', team('{agents: [{name: a, command: []}]}')],
  ['wrong_type', team('{tokens: "yes"}')],
  ['wrong_type', team('{allowed_hosts: x}')],
  ['wrong_value', team('{allowed_hosts: ["http://x/"]}')],
  ['wrong_value', team('{allowed_hosts: ["*"]}')],
  ['wrong_value', team('{question_wait_seconds: 0}')],
  ['wrong_value', team('{notify: ""}')],
];

test('config.yml is refused for each mistake, in its words and at its place', async () => {
  verifies('JOBS-X.24', 'TEAM-17');
  const parts: string[] = [];
  for (const [code, text] of CONFIGS) {
    const { problems } = await parseConfig(`${text}\n`);
    expect.soft(codesOf(problems), text).toEqual([code]);
    expect(JSON.stringify(problems)).not.toContain('secret');
    parts.push(section(text, problems));
  }
  await expectWords('problems-config.txt', parts.join('\n'));
});

const GOALS: readonly Row<string>[] = [
  ['not_yaml', 'flow: "a'],
  ['not_yaml', '- flow'],
  ['unknown_key', 'flwo: a -> b'],
  ['wrong_type', 'flow: [a]'],
  ['wrong_value', 'flow: "@"'],
  ['wrong_type', 'models: a'],
  ['wrong_type', 'models: {a: [[m]]}'],
  ['wrong_type', 'models: {a: ""}'],
  ['wrong_value', 'models: {"a:b": m}'],
];
const FLOWS = [
  ...['a -> ', 'a\n-> -> b', 'a -- b', 'graph { a -- b }', 'digraph { a', 'digraph { a } b', 'a }'],
  ...['"a', 'a /* b', 'a [x', 'a [x [y]]', 'a = ', '<b> -> c', '<b', 'a > b', 'a + b'],
  ...['subgraph -> node', 'a -> b -> a', '"a|b"', '""', '"a\nb"', '{'.repeat(1000)],
];

test('the front matter of GOAL.md is refused for each mistake, and so is its flow', async () => {
  verifies('TEAM-17');
  const parts: string[] = [];
  for (const [code, text] of GOALS) {
    const { problems } = await parseGoal(`---\n${text}\n---\n# Goal\n`);
    expect.soft(codesOf(problems), text).toContain(code);
    parts.push(section(text, problems));
  }
  for (const text of FLOWS) {
    const read = agentsOfFlow(text);
    if (read.kind !== 'broken') throw new Error(`not refused: ${text}`);
    parts.push(`${oneLine(text)}\n  ${read.reason}\n`);
  }
  await expectWords('problems-goal.txt', parts.join('\n'));
});

const PLAIN = { workflow: 'main', step: 'fix', inputs: ['issue', 'severity'], items: null };
const EACH = { ...PLAIN, items: { forEach: 'each', arePaths: false } };
const PATHS = { ...PLAIN, items: { forEach: 'each', arePaths: true } };
const PLACES = [
  [
    PLAIN,
    ['{{ inputs.isue }}', '{{inputs.colour}}', '{{ inputs }}', '{{ item }}', '{{ item.name }}'],
  ],
  [PLAIN, ['{{ input.issue }}', '{{ inptus.isue }}', '{{ inputs . issue }}']],
  [{ ...PLAIN, inputs: [] }, ['{{ inputs.x }}']],
  [EACH, ['{{ itme }}', '{{ tiem.name }}', '{{ Item }}', '{{ items }}']],
  [PATHS, ['{{ item.name }}']],
] as const;

test('a place in instructions that nothing fills is named, with what was meant', async () => {
  verifies('LANG-2');
  const parts = PLACES.flatMap(([use, texts]) =>
    texts.map((text) => {
      const found = oddPlaceholders(text, [use], limitedHints());
      expect(
        found.map(({ offset }) => offset),
        text,
      ).toEqual([0]);
      return `${text}\n  ${found[0]?.message}\n`;
    }),
  );
  await expectWords('problems-instructions.txt', parts.join('\n'));
});
