// The `inputs` of a `run`, compared with what the workflow that it runs declares.

import path from 'node:path';
import { expect, test } from 'vitest';
import { lintFolders } from '../../src/definitions/lint.ts';
import { workflow, write } from '../support/guides.ts';
import { writeFiles } from '../support/job-files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const TARGET = 'target: { description: The version }';

const NEWS = `
      version: { description: The version, pattern: '^v?[0-9.]+$' }
      tone: { description: How it sounds, enum: [short, long], default: short }
      count: { description: How many, type: number, required: false }
      draft: { description: Is it a draft?, type: boolean, required: false }`;

interface Spec {
  readonly inputs: string;
  /** What the workflow that runs it declares. */
  readonly own?: string;
  readonly reports?: string;
  readonly target?: string;
}

function jobText(name: string, inputs: string, entries: string, reports = ''): string {
  return `name: ${name}
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
    instructions_file: first.md
    outputs: {}
    reviews: []
    reports: {${reports}}
`;
}

/** Each finding: its code, the text that it points to, and what it says. */
async function found({ inputs, own = TARGET, reports = '', target = 'news' }: Spec) {
  const folder = tempFolder();
  const run = `      - run: {name: announce, job: ${target}, workflow: write${inputs}}`;
  const port = jobText('port', `{${own}}`, run, reports);
  const job = { 'first.md': 'Do it.\n' };
  writeFiles(path.join(folder, 'port'), { 'job.yml': port, ...job });
  writeFiles(path.join(folder, 'news'), { 'job.yml': jobText('news', NEWS, ''), ...job });
  const { files } = await lintFolders({ jobs: [folder], guides: [] });
  const at = (line: number, column: number) =>
    (/^\w+/.exec((port.split('\n')[line - 1] ?? '').slice(column - 1)) ?? [''])[0];
  return files.flatMap(({ problems, warnings }) =>
    [
      ...problems.kept,
      ...warnings.kept.map((each) => ({ ...each, code: `warning ${each.code}` })),
    ].map((issue) => [issue.code, at(issue.at.line, issue.at.column), issue.message]),
  );
}

const OPTIONAL = 'target: { description: d, required: false }';
const VERSION = ', inputs: {version: target}';

/** A finding: its code, the text at its place, and the values that it names. */
type Row = [
  what: string,
  spec: Spec,
  ...findings: [code: string, at: string, ...named: string[]][],
];

test.each<Row>([
  ['what fits', { inputs: VERSION }],
  ['the goal', { inputs: ', inputs: {version: goal, tone: {value: long}, count: {value: 3}}' }],
  [
    'a fixed value, and none',
    { inputs: ', inputs: {version: {value: v1.2}, tone: {value: null}}' },
  ],
  [
    'a variable that nothing declares',
    { inputs: ', inputs: {version: traget}' },
    ['undeclared_variable', 'traget', "'announce'", "'target'"],
  ],
  [
    'the same where nothing is declared',
    { inputs: ', inputs: {version: traget}', own: '' },
    ['warning undeclared_variable', 'traget', "'traget'"],
  ],
  [
    'an input that is not declared there, which is not also left out',
    { inputs: ', inputs: {vrsion: target}' },
    ['unknown_input', 'vrsion', 'news/write', "'version'"],
  ],
  [
    'another one, unlike all of them',
    { inputs: ', inputs: {version: target, xyz: {value: 1}}' },
    ['unknown_input', 'xyz', 'count, draft, tone, version'],
  ],
  ['one that is left out', { inputs: '' }, ['missing_input', 'write', "'version'", 'news/write']],
  [
    'one without a value',
    { inputs: ', inputs: {version: {value: }}' },
    ['missing_input', 'write', "'version'"],
  ],
  [
    'fixed values that are refused',
    {
      inputs:
        ', inputs: {version: {value: next}, tone: {value: loud}, count: {value: many}, draft: {value: 1}}',
    },
    ['wrong_input', 'next', "'version'", '^v?[0-9.]+$'],
    ['wrong_input', 'loud', "'tone'", 'short, long'],
    ['wrong_input', 'many', "'count'", 'number'],
    ['wrong_input', '1', "'draft'", 'boolean'],
  ],
  [
    'variables whose values never fit',
    {
      own: 'target: { description: d, type: number }, mood: { description: d, enum: [glad, sad] }',
      inputs: ', inputs: {version: target, tone: mood, count: target}',
    },
    ['wrong_input', 'target', "'version'", 'number', 'string'],
    ['wrong_input', 'mood', 'glad, sad', 'short, long'],
  ],
  [
    'one of whose reports of the same name may fit',
    {
      own: 'target: { description: d, type: number }, mood: { description: d, enum: [glad] }',
      reports: 'mood: { description: d, required: false }',
      inputs: ', inputs: {version: mood, tone: mood}',
    },
  ],
  [
    'an optional input',
    { inputs: VERSION, own: OPTIONAL },
    ['warning unset_variable', 'target', 'input'],
  ],
  [
    'an optional report',
    { inputs: VERSION, own: '', reports: OPTIONAL },
    ['warning unset_variable', 'target', 'report'],
  ],
  ['one with a default', { inputs: VERSION, own: 'target: { description: d, default: "1" }' }],
  ['one that is reported, too', { inputs: VERSION, own: OPTIONAL, reports: TARGET }],
  [
    'an optional one for an optional one',
    {
      inputs: ', inputs: {version: {value: "1"}, tone: tone}',
      own: 'tone: { description: d, enum: [short], required: false }',
    },
  ],
  [
    'the inputs of what is not there',
    { inputs: ', inputs: {vrsion: target}', target: 'nws' },
    ['unknown_workflow', 'write'],
  ],
])('%s', async (_what, spec, ...findings) => {
  verifies('LANG-8');
  const all = await found(spec);
  expect(all.map(([code, at]) => [code, at])).toEqual(findings.map(([code, at]) => [code, at]));
  for (const [index, [, , ...named]] of findings.entries()) {
    for (const value of named) expect(all[index]?.[2]).toContain(value);
  }
});

test('an input for a guide, which has none', async () => {
  verifies('LANG-8');
  const folder = tempFolder('jobs');
  const run = '      - run: {name: ask, job: tour, workflow: main, inputs: {a: {value: 1}}}';
  const job = { 'job.yml': jobText('port', '{}', run), 'first.md': 'Do it.\n' };
  writeFiles(path.join(folder, 'jobs/port'), job);
  write(path.join(folder, 'guides'), 'tour.json', workflow({ id: 'tour' }));
  const jobs = [path.join(folder, 'jobs')];
  const { files } = await lintFolders({ jobs, guides: [path.join(folder, 'guides')] });
  expect(files[0]?.problems.kept.map(({ code }) => code)).toEqual(['unknown_input']);
});

test('a variable that is set on no path to the run is a problem, with a path as proof', async () => {
  verifies('LANG-8');
  const run =
    '      - run: {name: announce, job: news, workflow: write, inputs: {version: target}}\n      - later';
  const later = `  - id: later
    name: Later
    description: Ends
    instructions_file: first.md
    outputs: {}
    reviews: []
    reports: {${TARGET}}
`;
  const folder = tempFolder('jobs');
  writeFiles(path.join(folder, 'port'), {
    'job.yml': `${jobText('port', '{}', run)}${later}`,
    'first.md': 'Do it.\n',
  });
  writeFiles(path.join(folder, 'news'), {
    'job.yml': jobText('news', NEWS, ''),
    'first.md': 'Do it.\n',
  });
  const { files } = await lintFolders({ jobs: [folder], guides: [] });
  const issues = files.flatMap(({ problems }) => problems.kept);
  expect(issues).toMatchObject([
    {
      code: 'unset_variable',
      proof: {
        path: [
          { what: 'started', name: 'write' },
          { what: 'done', name: 'first' },
        ],
      },
    },
  ]);
});
