// What is said of mistakes in jobs, guides, config.yml, GOAL.md and skills, and how lint says it. Each
// row of a table is one mistake in something sound.

import { mkdirSync, symlinkSync } from 'node:fs';
import { SOUND } from '../support/job-text.ts';
import { type Page, words } from './page.ts';
import { newWork, START } from './project.ts';
import { FAULTS } from './seeded-faults.ts';
import { emptyStage, newStage, type Stage } from './stage.ts';

/** What is written instead of what; an empty `from` replaces everything. */
type Change = readonly [from: string, to: string];

const RULED = 'required: true}';
const rules = (written: string): Change => [RULED, `required: true, rules: ${written}}`];
const when = (condition: string): Change => [
  '    reviews: []',
  `    reviews: []\n    when: ${condition}`,
];
const entries = (written: string): Change => ['steps: [first, second]', `steps: ${written}`];
const inputs = (written: string): Change => [
  '    summary: Both\n',
  `    summary: Both\n    inputs: ${written}\n`,
];
const reports = (written: string): Change => [
  '    reviews: []',
  `    reviews: []\n    reports: ${written}`,
];
const checks = (written: string): Change => [
  '    reviews: []',
  `    reviews: []\n    checks: ${written}`,
];

const LOOP = 'until: {when: {var: x}}, max: 2';
const DATE = '^20\\d\\d';

const BAD_JOBS: readonly (readonly Change[])[] = [
  // YAML
  [['', '']],
  [['', '[]\n']],
  [['', 'a text\n']],
  [['', '---\na: 1\n---\nb: 2\n']],
  [['', `x: ${'['.repeat(70)}${']'.repeat(70)}\n`]],
  [['', `a: &a [1]\nb: [${'*a, '.repeat(101)}]\n`]],
  [
    [
      '',
      'a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e]\n',
    ],
  ],
  [['', '%x\n']],
  [['', 'name: @x\n']],
  [['', '- a: "x\n']],
  [['', 'a: {b: [1}\n']],
  [['', 'a: [1 2\nb: 3\n']],
  [['', 'a:\n  - 1\n b: 2\n']],
  [['version: "1.0.0"', 'version "1.0.0"']],
  [['id: first', 'id:first']],
  [['summary: A sample', 'summary: A sample: with a colon']],
  [['summary: A sample', 'summary: "A sample']],
  [['    name: The first', '\tname: The first']],
  [['    name: The first', '   name: The first']],
  [['name: sample\n', 'name: sample\nname: sample\n']],
  [['dependencies: [first]', 'dependencies: *ghost']],
  [['dependencies: [first]', 'dependencies: [first']],
  [['summary: A sample', 'summary: A sample\n<<: {a: 1}']],
  [['', 'a: !secret x\n']],
  [['', 'a: &a [*a]\n']],
  [['', '? [a, b]\n: c\n']],
  [['', `a: '${'x'.repeat(1024 * 1024)}'\n`]],
  // Keys and types
  [['name: sample\n', '']],
  [['name: sample', 'name: Not-An-Id']],
  [['name: sample', 'name: other']],
  [['version: "1.0.0"', 'version: 1.0']],
  [['version: "1.0.0"', 'version: "1.0"']],
  [['version: "1.0.0"\nsummary: A sample\n', '']],
  [['summary: A sample', 'summary: ""']],
  [['summary: A sample', 'summary:']],
  [['summary: A sample', 'summary: [a]']],
  [['summary: A sample', 'summary: {a: 1}']],
  [['summary: A sample', 'summary: true']],
  [['summary: A sample', `summary: ${'x'.repeat(201)}`]],
  [['summary: A sample', 'summary: A sample\nsurplus: 1']],
  [['summary: A sample', 'summary: A sample\nworkflow: 1']],
  [['    description: Writes notes', '    descripton: Writes notes']],
  [['    description: Writes notes', '    description: ""']],
  [['outputs: {}', 'outputs: none']],
  [['outputs: {}', 'outputs:']],
  [['reviews: []', 'reviews: false']],
  [['reviews: []', 'reviews: [x]']],
  [['reviews: []', 'reviews: [{run_each: step}]']],
  [['reviews: []', 'reviews: [{run_each: draft, quality_criteria: {a: b}}]']],
  [['quality_criteria: {short: It is short}', 'quality_criteria: {}']],
  [['type: file,', 'type: folder,']],
  [['type: file,', 'type: file, size: 3,']],
  [['required: true', 'required: maybe']],
  [['dependencies: [first]', 'dependencies: first']],
  [['dependencies: [first]', 'dependencies: [3]']],
  [['{file: notes.md, from_step: first}', '{file: notes.md}']],
  [['{file: notes.md, from_step: first}', '{name: x}']],
  [['{file: notes.md, from_step: first}', '3']],
  [['- id: first', '- x']],
  // References
  [['dependencies: [first]', 'dependencies: [ghost]']],
  [['dependencies: [first]', 'dependencies: []']],
  [['dependencies: [first]', 'dependencies: [second]']],
  [['from_step: first', 'from_step: ghost']],
  [['file: notes.md', 'file: draft.md']],
  [['- id: second', '- id: first']],
  [['outputs: {}', 'outputs: {step: {type: file, description: d, required: true}}']],
  [['steps: [first, second]', 'steps: [second, first]']],
  [['steps: [first, second]', 'steps: [first, ghost]']],
  [['steps: [first, second]', 'steps: [first]']],
  [['steps: [first, second]', 'steps: [second]']],
  [['steps: [first, second]', 'steps: [first, first, second]']],
  [['steps: [first, second]', 'steps: [[], first, second]']],
  [['steps: [first, second]', 'steps: [[first, second]]']],
  [
    [
      'steps: [first, second]\n',
      'steps: [first, second]\n  - {name: main, summary: Again, steps: [first, second]}\n',
    ],
  ],
  [['workflows:\n  - name: main\n    summary: Both\n    steps: [first, second]\n', '']],
  [
    [
      'workflows:\n  - name: main\n    summary: Both\n    steps: [first, second]\n',
      'workflows: []\n',
    ],
  ],
  // Instructions
  ...['ghost', 'latin1', 'empty', 'large', 'folder', 'link', 'loop'].map((name): Change[] => [
    ['steps/first.md', `steps/${name}.md`],
  ]),
  ...['../secret.md', '/etc/passwd', '', 'steps'].map((name): Change[] => [
    ['steps/first.md', name === '' ? '""' : name],
  ]),
  // Checks
  [checks('[{name: a}]')],
  [checks('[{name: a, run: ""}]')],
  [checks('[{name: a, run: x}, {name: a, run: y}]')],
  [checks('[{name: a, run: x, timeout_seconds: 0}]')],
  [checks('[x]')],
  [
    checks('[{name: a, run: x}]'),
    [
      'outputs: {}',
      'outputs: {a.b: {type: file, description: d, required: true}, A_b: {type: file, description: d, required: true}}',
    ],
  ],
  // Rules
  ...[
    'x',
    '[{}]',
    '[{type: contains}]',
    '[{type: contains, value: x}]',
    '[{type: contains, value: x, message: ""}]',
    '[{type: contains, value: x, message: m, messages: m}]',
    '[{type: contains, value: x, message: m, extra: 1}]',
    '[{type: constains, value: x, message: m}]',
    '[{type: thing, message: m}]',
    "[{type: regex, pattern: '(', message: m}]",
    "[{type: regex, pattern: '', message: m}]",
    '[{type: regex, pattern: x, flags: q, message: m}]',
    '[{type: length, min: -1, message: m}]',
    '[{type: length, min: 3, max: 2, message: m}]',
    '[{type: length, message: m}]',
    '[{type: schema, message: m}]',
    '[{type: schema, schema: [], message: m}]',
    '[{type: schema, schema: {type: thing}, message: m}]',
    '[{and: []}]',
    '[{and: [], or: []}]',
    '[{type: contains, value: x, message: m, condition: {vra: x}}]',
    '[{type: contains, value: x, message: m, suggestion: 3}]',
    "[{type: regex, pattern: '^(x+x+)+y', message: m}]",
  ].map((written): Change[] => [rules(written)]),
  // Conditions
  ...[
    'true',
    '[]',
    '{vra: x}',
    '{equal: 3}',
    '{var: 3}',
    '{gt: 1}',
    '{var: x, gte: null}',
    '{and: {}}',
    '{and: [{vra: x}]}',
    '{var: ghost}',
    `${'{not: '.repeat(33)}{var: x}${'}'.repeat(33)}`,
    '{var: x, in: [a]}',
    '{var: goal, equals: x, not_equals: x}',
  ].map((condition): Change[] => [when(condition)]),
  // Inputs and reports
  ...[
    '[]',
    '{a: {}}',
    '{a: {description: d, requird: true}}',
    '{A-b: {description: d}}',
    '{goal: {description: d}}',
    '{a: {description: d, type: text}}',
    '{a: {description: d, enum: []}}',
    '{a: {description: d, enum: [x, x]}}',
    '{a: {description: d, enum: [x, 2]}}',
    '{a: {description: d, type: number, enum: ["2"]}}',
    '{a: {description: d, type: boolean, default: 1}}',
    '{a: {description: d, enum: [x, y], default: z}}',
    "{a: {description: d, pattern: '^x', default: y}}",
    "{a: {description: d, pattern: '('}}",
    '{a: {description: d, type: number, pattern: x}}',
    `{a: {description: d, pattern: '${DATE}', required: true, default: 2026}}`,
  ].map((written): Change[] => [inputs(written)]),
  [reports('{f: {description: d, type: file}}')],
  [reports('{a: {description: d, type: text}}')],
  [reports('{a: {}}')],
  [inputs('{a: {description: d}}'), reports('{a: {description: d}}')],
  // Entries
  ...[
    '[3]',
    '[{}]',
    '[{loop: {}}]',
    '[{lopp: {}}]',
    `[{loop: {name: l, steps: [first], ${LOOP}}, run: {}}]`,
    `[{loop: {name: l, steps: [], ${LOOP}}}, second]`,
    '[{loop: {name: l, steps: [first], until: {}, max: 2}}, second]',
    '[{loop: {name: l, steps: [first], until: {when: {var: x}, check: {name: a, run: b}}, max: 2}}, second]',
    '[{loop: {name: l, steps: [first], until: {rules: []}, max: 2}}, second]',
    '[{loop: {name: l, steps: [first], until: {rules: [], output: second.x}, max: 2}}, second]',
    '[{loop: {name: l, steps: [first], until: {check: {name: a}}, max: 2}}, second]',
    '[{loop: {name: l, steps: [first], until: {when: {var: x}}, max: 0}}, second]',
    '[{loop: {name: first, steps: [first], until: {when: {var: x}}, max: 2}}, second]',
    '[first, {for_each: {}}]',
    '[first, {for_each: {name: e, items: first, step: second}}]',
    '[first, {for_each: {name: e, items: first.ghost, step: second}}]',
    '[first, {for_each: {name: e, items: ghost.notes, step: second}}]',
    '[{for_each: {name: e, items: second.x, step: first}}, second]',
    '[first, {for_each: {name: e, items: first.notes.md, step: ghost}}]',
    '[first, {for_each: {name: e, items: first.notes.md, step: second, max_items: 0}}]',
    '[first, {for_each: {name: e, items: first.notes.md, step: second, max_parallel: 99}}]',
    '[first, {approve: {}}, second]',
    '[first, {approve: {name: a, question: "", show: [first.notes.md]}}, second]',
    '[first, {approve: {name: a, question: q, show: []}}, second]',
    '[first, {approve: {name: a, question: q, show: [ghost.x]}}, second]',
    '[first, {approve: {name: a, question: q, show: [second.x]}}, second]',
    '[first, {approve: {name: a, question: q, show: [first.notes.md], on_reject: {go_to: second, max: 1}}}, second]',
    '[first, {approve: {name: a, question: q, show: [first.notes.md], on_reject: {go_to: ghost, max: 1}}}, second]',
    '[first, {run: {}}, second]',
    '[first, {run: {name: r, job: ghost, workflow: main}}, second]',
    '[first, {run: {name: r, job: deepwork_jobs, workflow: ghost}}, second]',
    '[first, {run: {name: r, job: deepwork_jobs, workflow: new_jb}}, second]',
    '[first, {run: {name: r, job: deepwork_jobs, workflow: new_job, inputs: {ghost: x}}}, second]',
    '[first, {run: {name: r, job: deepwork_jobs, workflow: new_job, inputs: []}}, second]',
  ].map((written): Change[] => [entries(written)]),
];

/** The list style, with what it no longer does. */
const ARGUMENTS = `name: sample
summary: A demonstration
step_arguments:
  - {name: topic, description: What about, type: string}
  - name: out/report.md
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
        outputs: {out/report.md: {required: false}}
      - name: check
        instructions: Look at it
        inputs: {out/report.md: {}, topic: {}}
        process_requirements: {asked: The user was asked}
`;

const BAD_ARGUMENTS: readonly (readonly Change[])[] = [
  [['summary: A demonstration\n', '']],
  [['instructions: Write', 'instruction: Write']],
  [['type: string', 'type: text']],
  [['individual', 'all_changed_files']],
  [['{type: object}', '{type: thing}']],
  [['  main:', '  Main-1:']],
  [
    [
      'instructions: Look at it',
      'instructions: Look at it\n        sub_workflow: {workflow_name: main}',
    ],
  ],
  [['instructions: Look at it', 'sub_workflow: {workflow_name: nowhere}']],
  [['instructions: Look at it', 'sub_workflow: {workflow_name: main, workflow_job: nothing}']],
  [['{topic: {required: false}}', '{topik: {required: false}}']],
  [['outputs: {out/report.md', 'outputs: {ghost']],
  [
    [
      '  - {name: topic, description: What about, type: string}\n',
      '  - {name: topic, description: What about, type: string}\n  - {name: topic, description: Again, type: string}\n',
    ],
  ],
  [['individual', 'matches_together']],
  [['process_requirements: {asked: The user was asked}', 'process_requirements: [x]']],
  [['    steps:\n      - name: draft', '    agent: me\n    steps:\n      - name: draft']],
];

const LIST_STYLE = `name: sample
version: "1.0.0"
summary: A sample
description: A sample job
steps:
  - id: first
    name: The first
    description: Writes notes
    instructions_file: steps/first.md
    outputs: [notes.md]
    stop_hooks: [{prompt: Is it good?}]
    quality_criteria: [It is short]
  - id: second
    name: The second
    description: Reads notes
    instructions_file: steps/second.md
    dependencies: [first]
    inputs: [{file: notes.md, from_step: first}]
    outputs: [{file: page.md, doc_spec: x.md}]
`;

const BAD_LISTS: readonly (readonly Change[])[] = [
  [['description: A sample job', 'colour: red']],
  [['[notes.md]', '[notes.md, notes.md, 7, {flie: x}]']],
  [['[{prompt: Is it good?}]', '[{prompt: x, script: y}]']],
  [['[{prompt: Is it good?}]', '[3]']],
  [['stop_hooks: [{prompt: Is it good?}]', 'hooks: {before_agent: []}']],
  [
    [
      'stop_hooks: [{prompt: Is it good?}]',
      'hooks: {after_agent: [{script: ../x.sh}, {prompt_file: ghost.md}]}',
    ],
  ],
  [['[It is short]', '[""]']],
];

/** One lint of a project with a job for each row. */
async function badJobs(
  page: Page,
  sound: string,
  rows: readonly (readonly Change[])[],
): Promise<void> {
  const stage = newStage();
  const texts = rows.map((changes) => spoiled(sound, changes));
  for (const [index, text] of texts.entries()) writeBadJob(stage, `j${index}`, text);
  const { stdout } = await page.command(stage, ['lint', '.deepwork/jobs'], { shown: false });
  for (const [index, changes] of rows.entries()) {
    for (const change of changes) page.text(shownChange(change));
    const start = `.deepwork/jobs/j${index}/`;
    const found = stdout.split('\n').filter((line) => line.startsWith(start));
    page.text(
      found.length === 0
        ? '    nothing'
        : found.map((line) => `    ${line.slice(start.length)}`).join('\n'),
    );
    page.text('');
  }
}

function spoiled(sound: string, changes: readonly Change[]): string {
  return changes.reduce((text, [from, to]) => {
    if (from === '') return to;
    if (!text.includes(from)) throw new Error(`There is no ${from}`);
    return text.replace(from, () => to);
  }, sound);
}

function shownChange([from, to]: Change): string {
  const short = (text: string) =>
    (text.length > 300 ? `${text.slice(0, 300)}…` : text).replace(/\n(?=.)/g, '\n      ');
  return from === '' ? `all    ${short(to)}` : `from   ${short(from)}\nto     ${short(to)}`;
}

/** Its folder has the name that it gives itself, unless that is the mistake. */
function writeBadJob(stage: Stage, name: string, text: string): void {
  const folder = `.deepwork/jobs/${name}`;
  stage.write(`${folder}/job.yml`, text.replace('name: sample', `name: ${name}`));
  for (const [, id] of text.matchAll(/steps\/(\w+)\.md/g)) {
    if (!['ghost', 'folder', 'link', 'loop'].includes(id ?? ''))
      stage.write(`${folder}/steps/${id}.md`, 'Do it.\n');
  }
  const special = (file: string) => text.includes(`steps/${file}.md`);
  if (special('latin1')) stage.write(`${folder}/steps/latin1.md`, Buffer.from([0xe9, 0x0a]));
  if (special('empty')) stage.write(`${folder}/steps/empty.md`, ' \n');
  if (special('large')) stage.write(`${folder}/steps/large.md`, 'x'.repeat(2 * 1024 * 1024));
  for (const each of ['folder', 'link', 'loop'])
    if (special(each)) mkdirSync(stage.path(`${folder}/steps`), { recursive: true });
  if (special('folder')) mkdirSync(stage.path(`${folder}/steps/folder.md`));
  if (special('link')) symlinkSync('/etc/passwd', stage.path(`${folder}/steps/link.md`));
  if (special('loop')) symlinkSync('loop.md', stage.path(`${folder}/steps/loop.md`));
}

const GUIDE = `{
  "id": "demo",
  "name": "Demo",
  "description": "A demonstration",
  "version": "1.0.0",
  "steps": [
    {"id": "first", "title": "First", "prompt": "Do it."},
    {"id": "second", "title": "Second", "prompt": "Do it."}
  ]
}
`;

const step = (more: string): Change => ['"prompt": "Do it."}\n', `"prompt": "Do it.", ${more}}\n`];
const rule = (written: string): Change => step(`"validationCriteria": ${written}`);

const BAD_GUIDES: readonly (readonly Change[])[] = [
  [['', '']],
  [['', '[]']],
  [['', '"x"']],
  [['', '{"id": "demo" "name": 3}']],
  [['', '{"id" "demo"}']],
  [['', '{id: "demo"}']],
  [['', '{"id": "demo']],
  [['', '{"id": "de\nmo"}']],
  [['', '{"id": tru}']],
  [['', '{"id": 01}']],
  [['', '{"id": "\\x"}']],
  [['', '{"id": "\\u12"}']],
  [['', '{} {}']],
  [['', '{"a": 1,}']],
  [['', `${'['.repeat(70)}${']'.repeat(70)}`]],
  [['', '{"a": [1,]}']],
  [['', '{// a comment\n}']],
  [['', "{'a': 1}"]],
  [['', '{"a"= 1}']],
  [['', '[nil]']],
  [['', `{"id": "${'x'.repeat(1024 * 1024)}"}`]],
  [['  "version": "1.0.0",\n', '']],
  [['"title": "Second"', '"title": "Second", "type": "loop", "body": []']],
  [['"id": "demo"', '"id": "Odd one"']],
  [['"id": "demo"', '"id": 3']],
  [['  "id": "demo",\n', '']],
  [['"name": "Demo",', '"name": "Demo", "name": "Demo",']],
  [['"name": "Demo"', '"name": ""']],
  [['"name": "Demo"', `"name": "${'x'.repeat(129)}"`]],
  [['"name": "Demo"', '"nmae": "Demo"']],
  [['"version": "1.0.0"', '"version": "1"']],
  [['"version": "1.0.0"', '"version": "1.0.0", "extra": 1']],
  [['"version": "1.0.0"', '"version": "1.0.0", "preconditions": "x"']],
  [['"version": "1.0.0"', '"version": "1.0.0", "metaGuidance": ["a", "a"]']],
  [['"version": "1.0.0"', '"version": "1.0.0", "metaGuidance": [""]']],
  [['"version": "1.0.0"', '"version": "1.0.0", "clarificationPrompts": [[]]']],
  [['{"id": "second"', '3, {"id": "second"']],
  [['{"id": "second"', '{"id": "first"']],
  [['"title": "Second"', '"title": 3']],
  [['"steps": [', '"steps": "x", "other": [']],
  ...[
    '"askForFiles": "x"',
    '"requireConfirmation": 3',
    '"requireConfirmation": "x"',
    '"runCondition": {"var": "x", "in": []}',
    '"requireConfirmation": {"vra": 1}',
    '"agentRole": "short"',
    '"guidance": [3]',
    '"runCondition": []',
    '"runCondition": {"var": "x", "gt": "y"}',
    '"runCondition": {"equals": 1}',
    '"runCondition": {"var": "deep", "equals": 1, "not_equals": 1}',
  ].map((more): Change[] => [step(more)]),
  ...[
    '3',
    '[3]',
    '[{}]',
    '[{"type": "contains", "message": "m"}]',
    '[{"type": "regex", "pattern": "(", "message": "m"}]',
    '[{"type": "regex", "pattern": "x)", "message": "m"}]',
    '[{"type": "regex", "pattern": "[", "message": "m"}]',
    '[{"type": "regex", "pattern": "(?x)a", "message": "m"}]',
    '[{"type": "regex", "pattern": "a", "flags": "gg", "message": "m"}]',
    '[{"type": "length", "min": -1, "message": "m"}]',
    '[{"type": "schema", "schema": {"$ref": "https://example.org/elsewhere.json"}, "message": "m"}]',
    '[{"type": "schema", "schema": {"minLength": "x"}, "message": "m"}]',
    '{"and": [{"type": "contains", "value": "a", "message": "m"}], "or": []}',
  ].map((written): Change[] => [rule(written)]),
];

async function badGuides(page: Page): Promise<void> {
  const stage = newStage();
  for (const [index, changes] of BAD_GUIDES.entries()) {
    const text = spoiled(GUIDE, changes).replace('"id": "demo"', `"id": "g${index}"`);
    stage.write(`.deepwork/workflows/g${index}.json`, text);
  }
  const { stdout } = await page.command(stage, ['lint', '.deepwork/workflows'], { shown: false });
  for (const [index, changes] of BAD_GUIDES.entries()) {
    for (const change of changes) page.text(shownChange(change));
    const start = `.deepwork/workflows/g${index}.json:`;
    const found = stdout.split('\n').filter((line) => line.startsWith(start));
    page.text(
      found.length === 0
        ? '    nothing'
        : found.map((line) => `    ${line.slice(start.length)}`).join('\n'),
    );
    page.text('');
  }
}

const BAD_CONFIGS: readonly string[] = [
  '[]',
  'gitt: {branch: off}',
  'x: 1',
  'git: {branch: sometimes}',
  'git: [',
  'git: {branch: off}\n---\n{}',
  '\tgit: x',
  'summary: a: b',
  'quality_gate: {overrides: nevr}',
  'quality_gate: {answer_withn: 1}',
  'quality_gate: {answer_within: 0}',
  'quality_gate: {max_parallel: 1.5}',
  'quality_gate: {agent_review_command: "a | b"}',
  'quality_gate: {agent_review_command: ""}',
  'quality_gate: {default_timeout: 999999}',
  'team: []',
  'team: {agent: x}',
  'team: {agents: {}}',
  'team: {agents: [x]}',
  'team: {agents: [{}]}',
  'team: {agents: [{name: ""}]}',
  "team: {agents: [{name: 'a:b'}]}",
  'team: {agents: [{name: a}, {name: a}]}',
  'team: {agents: [{name: a, model: x}]}',
  'team: {agents: [{name: a, models: m}]}',
  "team: {agents: [{name: a, models: ['a|b']}]}",
  'team: {agents: [{name: a, command: [x]}]}',
  "team: {agents: [{name: a, command: 'x; y'}]}",
  'team: {tokens: yes}',
  'team: {tokens: true, tokens: true}',
  "team: {allowed_hosts: ['*']}",
  'team: {allowed_hosts: x}',
  'team: {question_wait_seconds: 0}',
  'team: {notify: ""}',
  'clients: {max_nudges: 0}',
  'clients: {protect_definitions: 1}',
  'board: {stalled_after_minutes: -1}',
  'run: {on_limit: cry}',
  'run: {context: old}',
  'run: {max_usd: x}',
  'run: {agent: 3}',
  'worktree: {setup: 3}',
  'store: mysql://x',
  'store: 3',
  'store_schema: A-b',
  'store_lease_seconds: 0',
  'workspace: []',
  'version: 2',
];

const BAD_GOALS: readonly string[] = [
  '---\nflow: "a\n---\n',
  '---\nflow: a -> b\n',
  '---\n- a\n---\n',
  '---\nx: 1\n---\n',
  '---\nflows: a -> b\n---\n',
  '---\nflow: [a]\n---\n',
  '---\nflow: "@"\n---\n',
  '---\nflow: "@nowhere.dot"\n---\n',
  '---\nflow: "@../out.dot"\n---\n',
  '---\nmodels: x\n---\n',
  '---\nmodels: {a: ""}\n---\n',
  '---\nmodels: {a: {b: c}}\n---\n',
  "---\nmodels: {'a:b': x}\n---\n",
  '---\ncompletionGateScript: 3\n---\n',
  '---\nflow: a -> a\n---\n',
  '---\nflow: a -> b -> c -> b\n---\n',
  ...[
    'a -> ',
    'a -- b',
    'graph { a -- b }',
    'digraph { a',
    'digraph { a } b',
    'a }',
    'a [x',
    'a [x [y]]',
    'a = ',
    '<b> -> c',
    'a > b',
    'a + b',
    'subgraph -> node',
    'a /* b',
  ].map((flow) => `---\nflow: '${flow}'\n---\n`),
  `---\nflow: '${'{'.repeat(200)}'\n---\n`,
  '---\nflow: writer -> wrіter\n---\n',
  '---\nflow: "write\u200br -> b"\n---\n',
];

async function eachFile(page: Page, file: string, texts: readonly string[]): Promise<void> {
  const stage = emptyStage();
  mkdirSync(stage.path('.deepwork'));
  for (const text of texts) {
    stage.write(file, text);
    const { stdout } = await page.command(stage, ['lint'], { shown: false });
    page.text(shownChange(['', text.replace(/^---\n|\n---\n?$/g, '')]));
    const found = stdout.split('\n').filter((line) => line.startsWith(`${file}:`));
    page.text(found.length === 0 ? '    nothing' : found.map((line) => `    ${line}`).join('\n'));
    page.text('');
  }
}

words('problems-jobs', async (page) => {
  page.part('jobs');
  page.text(SOUND);
  await badJobs(page, SOUND, BAD_JOBS);
  page.part('step_arguments');
  page.text(ARGUMENTS);
  await badJobs(page, ARGUMENTS, [[], ...BAD_ARGUMENTS]);
  page.part('the list style');
  page.text(LIST_STYLE);
  await badJobs(page, LIST_STYLE, [[], ...BAD_LISTS]);
  page.part('what no run can get through');
  const stage = newStage();
  for (const [index, { yaml }] of FAULTS.entries()) writeBadJob(stage, `f${index}`, yaml);
  const { stdout } = await page.command(stage, ['lint', '.deepwork/jobs'], { shown: false });
  for (const [index, { title }] of FAULTS.entries()) {
    const found = stdout.split('\n').filter((line) => line.startsWith(`.deepwork/jobs/f${index}/`));
    page.text(`${title}\n${found.map((line) => `    ${line}`).join('\n')}\n`);
    page.text('');
  }
});

words('problems', async (page) => {
  page.part('guides');
  page.text(GUIDE);
  await badGuides(page);
  page.part('config.yml');
  await eachFile(page, '.deepwork/config.yml', BAD_CONFIGS);
  page.part('GOAL.md');
  await eachFile(page, 'GOAL.md', BAD_GOALS);
});

const JOB = (name: string, inputs: string, entries: string, reports = '') => `name: ${name}
version: "1.0.0"
summary: A sample
common_job_info_provided_to_all_steps_at_runtime: Nothing
workflows:
  - name: write
    summary: All of it
    inputs: ${inputs}
    steps:
      - first
${entries}
steps:
  - id: first
    name: First
    description: Begins
    instructions_file: steps/first.md
    outputs: {}
    reviews: []
    reports: {${reports}}
`;

const NEWS =
  '{version: {description: The version, pattern: "^v?[0-9.]+$"}, tone: {description: How it sounds, enum: [short, long], default: short}, count: {description: How many, type: number, required: false}, draft: {description: Is it a draft?, type: boolean, required: false}, log: {description: A log, type: file, required: false}}';

words('lint', async (page) => {
  page.part('nothing to complain about');
  await page.command(newWork(), ['lint']);
  await page.command(newStage(), ['lint']);
  await page.command(emptyStage(), ['lint']);
  await page.command(newWork(), [
    'lint',
    '.deepwork/jobs/work',
    '.deepwork/jobs/work/job.yml',
    'README.md',
  ]);

  page.part('formats');
  const stage = newWork();
  stage.write(
    '.deepwork/jobs/work/job.yml',
    SOUND.replace('name: sample', 'name: work')
      .replace('"1.0.0"', '1.0')
      .replace('reviews: []', 'reviewz: []'),
  );
  stage.write(
    '.deepwork/jobs/work/steps/first.md',
    'See {{ inputs.isue }}, {{ item }} and {{ itme }}.\n',
  );
  stage.write('.deepwork/jobs/work/steps/second.md', '\n');
  stage.write('.deepwork/workflows/odd.json', GUIDE.replace('"1.0.0"', '"1"'));
  stage.write('.deepwork/workflows/copy.json', GUIDE);
  stage.write('.deepwork/workflows/demo.json', GUIDE);
  stage.write('.deepwork/workflows/notes.jsn', GUIDE);
  stage.write('.deepwork/jobs/nameless/job.yaml', SOUND);
  stage.write('.deepwork/jobs/empty/readme.md', 'x');
  for (const format of ['text', 'json', 'github', 'sarif'])
    await page.command(stage, ['lint', '--format', format]);
  await page.command(stage, ['lint'], { terminal: 60 });

  page.part('what is no definition');
  const odd = newStage();
  odd.write('README.md', 'x');
  odd.write('.deepwork/jobs/latin/job.yml', Buffer.from([0x6e, 0xe9, 0x0a]));
  mkdirSync(odd.path('.deepwork/jobs/folder/job.yml'), { recursive: true });
  mkdirSync(odd.path('.deepwork/jobs/circle'));
  symlinkSync('job.yml', odd.path('.deepwork/jobs/circle/job.yml'));
  mkdirSync(odd.path('.deepwork/jobs/outside'));
  symlinkSync('/etc/passwd', odd.path('.deepwork/jobs/outside/job.yml'));
  odd.write('.deepwork/jobs/a/job.yml', SOUND);
  odd.write('.deepwork/jobs/b/job.yml', SOUND);
  odd.write('.deepwork/workflows/latin.json', Buffer.from([0x7b, 0xe9]));
  await page.command(odd, ['lint']);
  await page.command(odd, ['lint', 'README.md', '.deepwork', 'nothing', '.deepwork/jobs/latin']);
  odd.write('.deepwork/config.yml', Buffer.from([0xe9]));
  odd.write('GOAL.md', Buffer.from([0xe9]));
  await page.command(odd, ['lint']);
  const worker = await odd.agent();
  await page.call(worker, 'get_workflows');
  const file = newStage();
  file.write('.deepwork/jobs', 'no folder');
  await page.command(file, ['lint']);
  await page.call(await file.agent(), 'get_workflows');

  page.part('placeholders');
  const places = newWork({
    entries: ['plan', { for_each: { name: 'each', items: 'plan.list', step: 'work' } }],
    steps: { plan: { outputs: { list: 'file' } }, work: {} },
    inputs: { issue: { description: 'The issue' } },
  });
  places.write(
    '.deepwork/jobs/work/steps/plan.md',
    'Plan {{ inputs.issue }}, {{ inputs.isue }}, {{ item }}, {{ name }}, {{ inputs }}, {{ inputs.other }}.\n',
  );
  places.write(
    '.deepwork/jobs/work/steps/work.md',
    '# {{ item.name }}\n\nDo {{ itme }} for {{ inputs.issue }}, {{ items }}.\n',
  );
  await page.command(places, ['lint', '.deepwork/jobs']);

  page.part('the inputs of a run');
  const runs = newStage();
  const given = [
    '',
    'version: traget',
    'vrsion: target',
    'version: target, xyz: {value: 1}',
    'version: {value: 3}',
    'version: {value: x}',
    'version: target, tone: {value: loud}',
    'version: target, count: {value: many}',
    'version: target, draft: {value: 1}',
    'version: target, count: target',
    'version: target, log: {value: nowhere.md}',
    'version: target, tone: target',
    'version: late',
  ];
  runs.write('.deepwork/jobs/news/job.yml', JOB('news', NEWS, ''));
  runs.write('.deepwork/jobs/news/steps/first.md', 'Do it.\n');
  for (const [index, inputs] of given.entries()) {
    const run = `      - run: {name: announce, job: news, workflow: write, inputs: {${inputs}}}`;
    runs.write(
      `.deepwork/jobs/r${index}/job.yml`,
      JOB(
        `r${index}`,
        '{target: {description: The version}}',
        run,
        'late: {description: Later, required: false}',
      ),
    );
    runs.write(`.deepwork/jobs/r${index}/steps/first.md`, 'Do it.\n');
  }
  const circle = (name: string, other: string) => {
    runs.write(
      `.deepwork/jobs/${name}/job.yml`,
      JOB(name, '{}', `      - run: {name: on, job: ${other}, workflow: write}`),
    );
    runs.write(`.deepwork/jobs/${name}/steps/first.md`, 'Do it.\n');
  };
  circle('round', 'about');
  circle('about', 'round');
  circle('lost', 'nowhere');
  await page.command(runs, ['lint', '.deepwork/jobs']);

  page.part('fixed while it watches');
  const agent = await newWork({
    entries: ['draft', { run: { name: 'sub', job: 'ghost', workflow: 'main' } }],
    steps: { draft: { when: { var: 'deep' } } },
  }).agent();
  await page.call(agent, 'start_workflow', START);
});
