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

/** Each finding, with the text that it points to. */
async function found({ inputs, own = TARGET, reports = '', target = 'news' }: Spec) {
  const folder = tempFolder();
  const run = `      - run: {name: announce, job: ${target}, workflow: write${inputs}}`;
  const port = jobText('port', `{${own}}`, run, reports);
  writeFiles(path.join(folder, 'port'), { 'job.yml': port, 'first.md': 'Do it.\n' });
  writeFiles(path.join(folder, 'news'), {
    'job.yml': jobText('news', NEWS, ''),
    'first.md': 'Do it.\n',
  });
  const { files } = await lintFolders({ jobs: [folder], guides: [] });
  const at = (line: number, column: number) =>
    (/^\w+/.exec((port.split('\n')[line - 1] ?? '').slice(column - 1)) ?? [''])[0];
  return files.flatMap(({ problems, warnings }) => [
    ...problems.kept.map((issue) => [
      issue.code,
      at(issue.at.line, issue.at.column),
      issue.message,
    ]),
    ...warnings.kept.map((issue) => [
      `warning ${issue.code}`,
      at(issue.at.line, issue.at.column),
      issue.message,
    ]),
  ]);
}

const WHO = "'announce' of workflow 'write'";

test('inputs that fit are no finding', async () => {
  verifies('LANG-8');
  const sound = [
    ', inputs: {version: target}',
    ', inputs: {version: goal, tone: {value: long}, count: {value: 3}, draft: {value: false}}',
    ', inputs: {version: {value: v1.2}, tone: {value: null}}',
  ];
  for (const inputs of sound) expect(await found({ inputs }), inputs).toEqual([]);
});

test('a variable that nothing declares', async () => {
  verifies('LANG-8');
  const inputs = ', inputs: {version: traget}';
  const message = "The run 'announce' reads 'traget', which nothing declares";
  expect(await found({ inputs })).toEqual([
    ['undeclared_variable', 'traget', `${message}; did you mean 'target'?`],
  ]);
  expect(await found({ inputs, own: '' })).toEqual([
    ['warning undeclared_variable', 'traget', message],
  ]);
});

test('an input that the other workflow does not declare, which is not also left out', async () => {
  verifies('LANG-8');
  expect(await found({ inputs: ', inputs: {vrsion: target}' })).toEqual([
    [
      ...['unknown_input', 'vrsion'],
      `${WHO} gives 'vrsion' to news/write, which has no such input; did you mean 'version'?`,
    ],
  ]);
  expect(await found({ inputs: ', inputs: {version: target, xyz: {value: 1}}' })).toEqual([
    [
      ...['unknown_input', 'xyz'],
      `${WHO} gives 'xyz' to news/write, which has no such input; its inputs: count, draft, tone, version`,
    ],
  ]);
});

test('an input for a guide, which has none', async () => {
  verifies('LANG-8');
  const folder = tempFolder('jobs');
  const run = '      - run: {name: ask, job: tour, workflow: main, inputs: {a: {value: 1}}}';
  writeFiles(path.join(folder, 'jobs/port'), {
    'job.yml': jobText('port', '{}', run),
    'first.md': 'Do it.\n',
  });
  write(path.join(folder, 'guides'), 'tour.json', workflow({ id: 'tour' }));
  const { files } = await lintFolders({
    jobs: [path.join(folder, 'jobs')],
    guides: [path.join(folder, 'guides')],
  });
  expect(files[0]?.problems.kept.map(({ message }) => message)).toEqual([
    "'ask' of workflow 'write' gives 'a' to tour/main, which has no inputs",
  ]);
});

test('a required input that is left out', async () => {
  verifies('LANG-8');
  const message = `${WHO} leaves out 'version', a required input of news/write`;
  for (const inputs of ['', ', inputs: {tone: {value: long}}', ', inputs: {version: {value: }}']) {
    expect(await found({ inputs }), inputs).toEqual([['missing_input', 'write', message]]);
  }
});

test('a fixed value that the other workflow refuses', async () => {
  verifies('LANG-8');
  const inputs =
    ', inputs: {version: {value: next}, tone: {value: loud}, count: {value: many}, draft: {value: 1}}';
  const refused = (name: string, why: string) =>
    `${WHO} gives news/write a wrong '${name}': ${why}`;
  expect(await found({ inputs })).toEqual([
    ['wrong_input', 'next', refused('version', 'must match ^v?[0-9.]+$, got next')],
    ['wrong_input', 'loud', refused('tone', 'must be one of short, long, got loud')],
    ['wrong_input', 'many', refused('count', 'must be a number, got many')],
    ['wrong_input', '1', refused('draft', 'must be a boolean, got 1')],
  ]);
});

test('a variable whose declared values can never fit', async () => {
  verifies('LANG-8');
  const own =
    'target: { description: d, type: number }, mood: { description: d, enum: [glad, sad] }';
  const inputs = ', inputs: {version: target, tone: mood, count: target}';
  expect(await found({ own, inputs })).toEqual([
    [
      ...['wrong_input', 'target'],
      `${WHO} gives news/write a wrong 'version': 'target' is a number, and 'version' must be a string`,
    ],
    [
      ...['wrong_input', 'mood'],
      `${WHO} gives news/write a wrong 'tone': 'mood' is one of glad, sad, and 'tone' must be one of short, long`,
    ],
  ]);
  const severity = 'severity: { description: d, enum: [low, high] }';
  expect(await found({ own: severity, inputs: ', inputs: {version: severity}' })).toEqual([
    [
      ...['wrong_input', 'severity'],
      `${WHO} gives news/write a wrong 'version': 'severity' is one of low, high, and 'version' must match ^v?[0-9.]+$`,
    ],
  ]);
  // What fails first is named: the type comes before the pattern.
  const level = 'level: { description: d, type: number, enum: [1, 2] }';
  expect(await found({ own: level, inputs: ', inputs: {version: level}' })).toEqual([
    [
      ...['wrong_input', 'level'],
      `${WHO} gives news/write a wrong 'version': 'level' is one of 1, 2, and 'version' must be a string`,
    ],
  ]);
  // A report of the same name may fit.
  const reports = 'mood: { description: d, required: false }';
  expect(await found({ own, reports, inputs: ', inputs: {version: mood, tone: mood}' })).toEqual(
    [],
  );
});

const FROM = `${WHO} gives 'version', a required input of news/write, the value of 'target'`;

test('an optional variable that a required input is taken from', async () => {
  verifies('LANG-8');
  const inputs = ', inputs: {version: target}';
  const maybe = 'target: { description: d, required: false }';
  expect(await found({ inputs, own: maybe })).toEqual([
    [
      ...['warning unset_variable', 'target'],
      `${FROM}, which is not set on every path to it; give the input 'target' a default, or make it required`,
    ],
  ]);
  expect(await found({ inputs, own: '', reports: maybe })).toEqual([
    [
      ...['warning unset_variable', 'target'],
      `${FROM}, which is not set on every path to it; give the report 'target' a default, or make it required`,
    ],
  ]);
  // A default, a required report, or an optional input that gets it: always right.
  const withDefault = 'target: { description: d, default: "1" }';
  expect(await found({ inputs, own: withDefault })).toEqual([]);
  expect(await found({ inputs, own: maybe, reports: TARGET })).toEqual([]);
  const toOptional = ', inputs: {version: {value: "1"}, tone: tone}';
  const tone = 'tone: { description: d, enum: [short], required: false }';
  expect(await found({ inputs: toOptional, own: tone })).toEqual([]);
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
      message: `${FROM}, which is set on no path to it; report 'target' in a step that every path does before, or declare it as an input of 'write'`,
      proof: {
        says: "'target' is not set on any path",
        path: [
          { what: 'started', name: 'write' },
          { what: 'done', name: 'first' },
        ],
      },
    },
  ]);
});

test('nothing is said about the inputs of a workflow that is not there or does not load', async () => {
  verifies('LANG-8');
  const [only, ...others] = await found({ inputs: ', inputs: {vrsion: target}', target: 'nws' });
  expect([only?.[0], others]).toEqual(['unknown_workflow', []]);
});
