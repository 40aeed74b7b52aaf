// Workflow files: what they may contain, how each problem is reported, which of several files an
// id means, and that every change on disk is seen at the next call.

import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import {
  FOLDER,
  guideProject,
  oneStep,
  step,
  withCriteria,
  workflow,
  writeGuide,
} from './guide-project.ts';
import { openGuides } from './ways.ts';

type Json = Readonly<Record<string, unknown>>;

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

interface Listed {
  readonly id: string;
  readonly file: string;
  readonly code: number;
  readonly problems: readonly Problem[];
}

test('a workflow without a version has 1.0.0, and lint warns', async () => {
  verifies('GUIDE-7');
  const { version: _, ...without } = workflow({ id: 'plain' });
  const project = guideProject({ plain: without });
  const { ok } = await openGuides(project);
  const { workflows, errors } = await ok('workflow_list');
  expect(errors).toBeUndefined();
  expect(workflows.find(({ id }: { id: string }) => id === 'plain').version).toBe('1.0.0');
  expect(await ok('workflow_get', { id: 'plain' })).toEqual(without);
  const { code, stdout } = await command(['lint'], { cwd: project.root });
  expect(code).toBe(0);
  expect(stdout).toMatch(/plain\.json:1:1: warning: No "version"; it counts as 1\.0\.0\n/);
});

test('a guide of another library loads: what it carries besides is kept, and lint names it', async () => {
  verifies('GUIDE-8', 'GUIDE-7');
  const steps = [
    step({ id: 'step-0.probe_all', hasValidation: true, notesOptional: false, type: 'task' }),
    step({ id: 'wr.configure', titel: 'Configure' }),
  ];
  const id = 'wr.diagnose_environment';
  const foreign = {
    $schema: './workflow.schema.json',
    ...workflow({ id, steps }),
    about: '## What it is for',
    examples: ['Check if delegation works'],
    metricsProfile: 'none',
    recommendedPreferences: { recommendedAutonomy: 'guided' },
    metaGuidence: ['Be brief'],
  };
  const project = guideProject({ foreign: JSON.stringify(foreign, null, 1) });
  const { ok } = await openGuides(project);
  expect(await ok('workflow_get', { id })).toEqual(foreign);
  const asked = { workflowId: id, completedSteps: ['step-0.probe_all'] };
  const { step: next, warnings } = await ok('workflow_next', asked);
  expect([next.id, warnings]).toEqual(['wr.configure', undefined]);

  const { code, stdout } = await command(['lint', '--format', 'json'], { cwd: project.root });
  expect(code).toBe(0);
  const lines = JSON.stringify(foreign, null, 1).split('\n');
  const found = JSON.parse(stdout).findings.map(
    ({ line, severity, message }: { line: number; severity: string; message: string }) => {
      expect([severity, lines[line - 1]]).toEqual(['warning', expect.stringContaining('"')]);
      return [/"(\w+)"/.exec(lines[line - 1] ?? '')?.[1], message];
    },
  );
  expect(found).toEqual([
    ['notesOptional', 'Unknown field: notesOptional'],
    ['type', 'Unknown field: type'],
    ['titel', "Unknown field: titel; did you mean 'title'?"],
    ['about', 'Unknown field: about'],
    ['examples', 'Unknown field: examples'],
    ['metricsProfile', 'Unknown field: metricsProfile'],
    ['recommendedPreferences', 'Unknown field: recommendedPreferences'],
    ['metaGuidence', "Unknown field: metaGuidence; did you mean 'metaGuidance'?"],
  ]);
});

test('lint names a misspelt field of a guide that lacks the one that was meant', async () => {
  verifies('GUIDE-8');
  const { name, ...without } = workflow({ id: 'misspelt' });
  const project = guideProject({ misspelt: { ...without, nmae: name } });
  const { stdout } = await command(['lint'], { cwd: project.root });
  expect(stdout).toContain('problem: Missing field: name');
  expect(stdout).toContain("warning: Unknown field: nmae; did you mean 'name'?");
});

const BUNDLED = ['adaptive-development', 'ai-task-implementation', 'auth-implementation'];

const idsOf = (listed: readonly { id: string }[]) => listed.map(({ id }) => id);

/** This many characters; each is one code point and two code units. */
const long = (count: number) => '😀'.repeat(count);

/** For each field: the minimum and maximum length, and the place of the problem. */
const TEXTS: readonly [
  where: string,
  least: number,
  most: number,
  put: (text: string, id: string) => Json,
][] = [
  ['/name', 1, 128, (name, id) => workflow({ id, name })],
  ['/description', 1, 512, (description, id) => workflow({ id, description })],
  ['/category', 1, 64, (category, id) => workflow({ id, category })],
  ['/summary', 1, 512, (summary, id) => workflow({ id, summary })],
  ['/preconditions/0', 1, 256, (text, id) => workflow({ id, preconditions: [text] })],
  ['/clarificationPrompts/0', 1, 256, (text, id) => workflow({ id, clarificationPrompts: [text] })],
  ['/metaGuidance/0', 1, 256, (text, id) => workflow({ id, metaGuidance: [text] })],
  ['/steps/0/title', 1, 128, (title, id) => oneStep(id, { title })],
  ['/steps/0/prompt', 1, 8192, (prompt, id) => oneStep(id, { prompt })],
  ['/steps/0/guidance/0', 1, 1024, (text, id) => oneStep(id, { guidance: [text] })],
  ['/steps/0/agentRole', 10, 1024, (agentRole, id) => oneStep(id, { agentRole })],
  ['/steps/0/modelHint', 1, 128, (modelHint, id) => oneStep(id, { modelHint })],
  ['/steps/0/preface', 1, 512, (preface, id) => oneStep(id, { preface })],
  [
    '/steps/0/validationCriteria/message',
    1,
    1024,
    (message, id) => withCriteria(id, { type: 'length', message }),
  ],
  [
    '/steps/0/validationCriteria/suggestion',
    1,
    1024,
    (suggestion, id) => withCriteria(id, { type: 'length', message: 'm', suggestion }),
  ],
];

describe('limits', () => {
  test('apply to each text, in code points, at the edge and past it', async () => {
    verifies('GUIDE-7');
    const project = guideProject();
    for (const [index, [, least, most, put]] of TEXTS.entries()) {
      for (const [kind, count] of Object.entries({
        'good-least': least,
        'good-most': most,
        'past-least': least - 1,
        'past-most': most + 1,
      })) {
        const id = `${kind}-${index}`;
        writeGuide(project, id, put(long(count), id));
      }
    }
    const { ok } = await openGuides(project);
    const { workflows, errors } = await ok('workflow_list');
    const good = TEXTS.flatMap((_, index) => [`good-least-${index}`, `good-most-${index}`]);
    expect(idsOf(workflows)).toEqual([...good, ...BUNDLED].sort());
    const told = errors.map(({ id, code, problems }: Listed) => [id, code, problems[0]?.path]);
    const past = TEXTS.flatMap(([where], index) => [
      [`past-least-${index}`, -32002, where],
      [`past-most-${index}`, -32002, where],
    ]);
    expect(told.sort()).toEqual(past.sort());
  });

  test('apply to ids, versions, lists, booleans and numbers', async () => {
    verifies('GUIDE-7');
    const good: Json = {
      'id-3': workflow({ id: 'a-1' }),
      'id-64': workflow({ id: 'a'.repeat(64) }),
      'semver-1': workflow({ id: 'semver-1', version: '1.0.0-alpha.1+build.5' }),
      'lists-1': workflow({ id: 'lists-1', preconditions: [], metaGuidance: ['a', 'b'] }),
      'twice-1': oneStep('twice-1', { guidance: ['a', 'a'] }),
      'bounds-1': withCriteria('bounds-1', { type: 'length', min: 3, max: 3, message: 'm' }),
    };
    const bad: Readonly<Record<string, readonly [Json, string]>> = {
      'id-2': [workflow({ id: 'ab' }), '/id'],
      'id-65': [workflow({ id: 'a'.repeat(65) }), '/id'],
      'id-upper': [workflow({ id: 'Demo' }), '/id'],
      'id-under': [workflow({ id: '_ab' }), '/id'],
      'version-2': [workflow({ id: 'version-2', version: '1.0' }), '/version'],
      'version-v': [workflow({ id: 'version-v', version: 'v1.0.0' }), '/version'],
      'no-steps': [workflow({ id: 'no-steps', steps: [] }), '/steps'],
      'same-twice': [workflow({ id: 'same-twice', metaGuidance: ['a', 'a'] }), '/metaGuidance/1'],
      'step-id': [oneStep('step-id', { id: 'x' }), '/steps/0/id'],
      'ask-1': [oneStep('ask-1', { askForFiles: 'yes' }), '/steps/0/askForFiles'],
      'confirm-1': [
        oneStep('confirm-1', { requireConfirmation: 1 }),
        '/steps/0/requireConfirmation',
      ],
      'min-neg': [
        withCriteria('min-neg', { type: 'length', min: -1, message: 'm' }),
        '/steps/0/validationCriteria/min',
      ],
      'max-half': [
        withCriteria('max-half', { type: 'length', max: 1.5, message: 'm' }),
        '/steps/0/validationCriteria/max',
      ],
    };
    const files = Object.entries(bad).map(([name, [content]]) => [name, content]);
    const { ok } = await openGuides(guideProject({ ...good, ...Object.fromEntries(files) }));
    const { workflows, errors } = await ok('workflow_list');
    expect(workflows).toHaveLength(Object.keys(good).length + BUNDLED.length);
    const told = errors.map(({ file, problems }: Listed) => [
      path.basename(file, '.json'),
      problems.map((problem) => problem.path),
    ]);
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(Object.entries(bad).map(([name, [, where]]) => [name, [where]])),
    );
  });

  test('apply to the size and the depth of a file', async () => {
    verifies('GUIDE-7', 'GUIDE-5');
    const mebibyte = 1024 * 1024;
    const sized = (id: string, bytes: number) => {
      const text = JSON.stringify(workflow({ id }));
      return text + ' '.repeat(bytes - text.length);
    };
    /** The operand is at depth 5: workflow, steps, step, condition, operand. */
    const deep = (id: string, depth: number) => {
      const operand = JSON.parse('['.repeat(depth - 4) + ']'.repeat(depth - 4));
      return oneStep(id, { runCondition: { var: 'x', not_equals: operand } });
    };
    const { ok, fails } = await openGuides(
      guideProject({
        'sized-1': sized('sized-1', mebibyte),
        'sized-2': sized('sized-2', mebibyte + 1),
        'deep-64': deep('deep-64', 64),
        'deep-65': deep('deep-65', 65),
        bom: `\uFEFF${JSON.stringify(workflow({ id: 'with-bom' }))}`,
        latin: Buffer.from([0x7b, 0xe9, 0x7d]),
      }),
    );
    for (const id of ['sized-1', 'deep-64', 'with-bom']) {
      expect(await ok('workflow_get', { id })).toMatchObject({ id });
    }
    for (const id of ['sized-2', 'deep-65', 'latin']) {
      expect(await fails('workflow_get', { id })).toMatchObject({ code: -32002 });
    }
    const next = { workflowId: 'deep-64', completedSteps: [] };
    expect(await ok('workflow_next', next)).toMatchObject({ isComplete: false });
  });
});

describe('problems', () => {
  const TEXT = `{
  "id": "spoilt",
  "name": "Spoilt", "name": "Again",
  "description": "Wrong in many places",
  "version": "1.0.0",
  "category": "",
  "steps": [
    { "id": "same", "title": "One", "prompt": "Do.", "askForFiles": 1 },
    { "id": "same", "title": "Two", "prompt": "Do.",
      "validationCriteria": { "type": "contains", "value": "a", "pattern": "b", "message": "m" } }
  ]
}`;

  test('are reported all at once, each with line, column and path', async () => {
    verifies('GUIDE-8');
    const { ok, fails } = await openGuides(guideProject({ spoilt: TEXT }));
    const problems = [
      { line: 3, column: 21, path: '/name', message: expect.stringMatching(/duplicate/i) },
      { line: 6, column: 15, path: '/category', message: expect.stringContaining('1 to 64') },
      { line: 8, column: 69, path: '/steps/0/askForFiles', message: expect.any(String) },
      { line: 9, column: 13, path: '/steps/1/id', message: 'Duplicate step id: same' },
      {
        line: 10,
        column: 65,
        path: '/steps/1/validationCriteria/pattern',
        message: 'Unknown field: pattern',
      },
    ];
    const { errors } = await ok('workflow_list');
    expect(errors).toEqual([
      { id: 'spoilt', file: expect.stringMatching(/spoilt\.json$/), code: -32002, problems },
    ]);
    const next = await fails('workflow_next', { workflowId: 'spoilt', completedSteps: [] });
    expect(next).toMatchObject({ code: -32002, data: { problems } });
  });

  test('are at most a hundred', async () => {
    verifies('GUIDE-8');
    const metaGuidance = Array.from({ length: 300 }, (_, at) => at);
    const { fails } = await openGuides(
      guideProject({ many: workflow({ id: 'many', metaGuidance }) }),
    );
    expect((await fails('workflow_get', { id: 'many' })).data.problems).toHaveLength(100);
  });

  test('of other engines are reported as not supported', async () => {
    verifies('GUIDE-9');
    const loop = workflow({
      id: 'loop-file',
      functionDefinitions: [],
      assessments: [],
      parallelDelegations: [],
      steps: [
        { ...step(), type: 'loop', loop: { maxIterations: 3 }, body: [step({ id: 'inner' })] },
        { ...step({ id: 'second' }), functionCalls: [], promptBlocks: {}, outputContract: {} },
        { ...step({ id: 'third' }), type: 'parallel' },
        { ...step({ id: 'fourth' }), type: 'task', modelTier: 'large', templateCall: {} },
        step({ id: 'fifth', runCondition: { var: 'x', in: [1] } }),
      ],
    });
    const { fails } = await openGuides(guideProject({ 'loop-file': loop }));
    const { code, data } = await fails('workflow_get', { id: 'loop-file' });
    expect(code).toBe(-32002);
    const messages = Object.fromEntries(
      data.problems.map((problem: Problem) => [problem.path, problem.message]),
    );
    expect(messages).toEqual({
      '/functionDefinitions': 'Not supported: functionDefinitions',
      '/assessments': 'Not supported: assessments',
      '/parallelDelegations': 'Not supported: parallelDelegations',
      '/steps/0/type': 'Not supported: loop',
      '/steps/0/loop': 'Not supported: loop',
      '/steps/0/body': 'Not supported: body',
      '/steps/1/functionCalls': 'Not supported: functionCalls',
      '/steps/1/promptBlocks': 'Not supported: promptBlocks',
      '/steps/1/outputContract': 'Not supported: outputContract',
      '/steps/2/type': 'Not supported: parallel',
      '/steps/3/modelTier': 'Not supported: modelTier',
      '/steps/3/templateCall': 'Not supported: templateCall',
      '/steps/4/runCondition/in': 'Not supported: in',
    });
  });
});

describe('which file an id means', () => {
  test('depends on the folder: project, project, home, environment, bundled', async () => {
    verifies('GUIDE-10');
    const project = newProject();
    const [one, two] = [project.path('extra-one'), project.path('extra-two')];
    const folders = [FOLDER, 'workflows', 'home/.deepwork/workflows', 'extra-one', 'extra-two'];
    const shared = BUNDLED[1] as string;
    const put = (folder: string, id: string) =>
      project.write(`${folder}/${id}.json`, JSON.stringify(workflow({ id, name: folder })));
    // Folder n has the ids from n on, so that each id is first found one folder later.
    for (const [at, folder] of folders.entries()) {
      for (let id = at; id < folders.length; id++) put(folder, `guide-${id}`);
    }
    const { ok } = await openGuides(project, {
      HOME: project.path('home'),
      DEEPWORK_WORKFLOW_FOLDERS: [one, project.path('missing'), two].join(path.delimiter),
    });
    const nameOf = async (id: string) => (await ok('workflow_get', { id })).name;
    expect(await nameOf(shared)).toBe('AI Task Prompt Workflow');
    for (const [at] of folders.entries()) expect(await nameOf(`guide-${at}`)).toBe(folders[0]);
    for (const [at, folder] of folders.entries()) {
      for (let id = at; id < folders.length; id++)
        rmSync(project.path(`${folder}/guide-${id}.json`));
      const next = folders[at + 1];
      if (next !== undefined) expect(await nameOf('guide-4')).toBe(next);
    }
    expect((await ok('workflow_list')).errors).toBeUndefined();
    put('extra-two', shared);
    expect(await nameOf(shared)).toBe('extra-two');
    put('workflows', shared);
    expect(await nameOf(shared)).toBe('workflows');
  });

  test('does not change because the file is broken', async () => {
    verifies('GUIDE-10');
    const shared = BUNDLED[0] as string;
    const project = guideProject({
      any: workflow({ id: shared, version: 'x' }),
      'auth-implementation': '{ "id": "auth-impl',
      'a-first': workflow({ id: 'twice', name: 'First' }),
      'b-second': workflow({ id: 'twice', name: 'Second' }),
    });
    const { ok, fails } = await openGuides(project);
    expect(await fails('workflow_get', { id: shared })).toMatchObject({
      code: -32002,
      data: { workflowId: shared, file: project.path(`${FOLDER}/any.json`) },
    });
    expect(await fails('workflow_get', { id: 'auth-implementation' })).toMatchObject({
      code: -32002,
      data: { problems: [{ line: 1, path: expect.any(String) }] },
    });
    expect(await ok('workflow_get', { id: 'twice' })).toMatchObject({ name: 'First' });
    const { workflows, errors } = await ok('workflow_list');
    expect(idsOf(workflows)).toEqual(['ai-task-implementation', 'twice']);
    expect(
      errors.map(({ id, file, code }: Listed) => [id, path.basename(file), code]).sort(),
    ).toEqual([
      [shared, 'any.json', -32002],
      ['auth-implementation', 'auth-implementation.json', -32002],
      ['twice', 'b-second.json', -32002],
    ]);
    const loser = errors.find(({ id }: Listed) => id === 'twice');
    expect(loser.problems).toEqual([
      { line: 2, column: 9, path: '/id', message: 'Duplicate workflow id: twice' },
    ]);
  });

  test('follows links inside the folder, and none that leave it', async () => {
    verifies('GUIDE-11');
    const project = guideProject({ real: workflow({ id: 'real' }) });
    const outside = project.write('elsewhere/stolen.json', JSON.stringify(workflow({ id: 'out' })));
    const link = (to: string, name: string) => symlinkSync(to, project.path(`${FOLDER}/${name}`));
    project.write(`${FOLDER}/parts/inner.json`, JSON.stringify(workflow({ id: 'inner' })));
    link('parts/inner.json', 'linked.json');
    link(outside, 'leaving.json');
    link('../../elsewhere', 'by-way');
    link('by-way/stolen.json', 'twisted.json');
    const { ok, fails } = await openGuides(project);
    expect(await ok('workflow_get', { id: 'inner' })).toMatchObject({ id: 'inner' });
    for (const id of ['leaving', 'twisted']) {
      expect(await fails('workflow_get', { id })).toMatchObject({
        code: -32007,
        message: 'Security error',
        data: { workflowId: id, file: project.path(`${FOLDER}/${id}.json`) },
      });
    }
    expect(await fails('workflow_get', { id: 'out' })).toMatchObject({ code: -32001 });
    const { workflows, errors } = await ok('workflow_list');
    expect(idsOf(workflows)).toEqual([...BUNDLED, 'inner', 'real'].sort());
    expect(errors.map(({ id, code }: Listed) => [id, code])).toEqual([
      ['leaving', -32007],
      ['twisted', -32007],
    ]);
  });

  test('follows the folder itself through a link', async () => {
    verifies('GUIDE-11');
    const project = newProject();
    project.write('kept/demo.json', JSON.stringify(workflow()));
    mkdirSync(project.path('.deepwork'), { recursive: true });
    symlinkSync(project.path('kept'), project.path(FOLDER));
    const { ok } = await openGuides(project);
    expect(await ok('workflow_get', { id: 'demo' })).toMatchObject({ id: 'demo' });
  });
});

test('every change is seen at the next call, and the list is sorted', async () => {
  verifies('GUIDE-12');
  const project = guideProject();
  const { ok, fails } = await openGuides(project);
  const listed = async () => idsOf((await ok('workflow_list')).workflows);
  expect(await listed()).toEqual(BUNDLED);
  writeGuide(project, 'x', workflow({ id: 'zebra' }));
  expect(await ok('workflow_get', { id: 'zebra' })).toMatchObject({ name: 'Demo' });
  writeGuide(project, 'y', workflow({ id: 'aaa' }));
  expect(await listed()).toEqual(['aaa', ...BUNDLED, 'zebra']);
  for (const name of ['One', 'Two', 'Six']) {
    // Of the same length, so that only time and content differ.
    writeGuide(project, 'x', workflow({ id: 'zebra', name }));
    expect(await ok('workflow_get', { id: 'zebra' })).toMatchObject({ name });
  }
  writeGuide(project, 'x', workflow({ id: 'other' }));
  expect(await fails('workflow_get', { id: 'zebra' })).toMatchObject({ code: -32001 });
  expect(await listed()).toEqual(['aaa', ...BUNDLED, 'other'].sort());
  writeGuide(project, 'x', '{');
  expect(await fails('workflow_get', { id: 'x' })).toMatchObject({ code: -32002 });
  writeGuide(project, 'x', workflow({ id: 'zebra', name: 'Fixed' }));
  expect(await ok('workflow_get', { id: 'zebra' })).toMatchObject({ name: 'Fixed' });
  rmSync(project.path(`${FOLDER}/y.json`));
  expect(await listed()).toEqual([...BUNDLED, 'zebra']);
  renameSync(project.path(FOLDER), project.path('moved'));
  expect(await listed()).toEqual(BUNDLED);
  renameSync(project.path('moved'), project.path('workflows'));
  expect(await listed()).toEqual([...BUNDLED, 'zebra']);
});
