// Workflow files as agents meet them: what loads, how problems are reported, which of several files an id
// means, and that every change on disk is seen at the next call. What a file may contain is in
// src/definitions/guides.

import { renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, step, withCriteria, workflow, writeGuide } from './guide-project.ts';
import { openGuides } from './ways.ts';

interface Listed {
  readonly id: string;
  readonly file: string;
  readonly code: number;
  readonly problems: readonly { readonly path: string }[];
}

const BUNDLED = ['adaptive-development', 'ai-task-implementation', 'auth-implementation'];
const idsOf = (listed: readonly { id: string }[]) => listed.map(({ id }) => id);

describe('a guide', () => {
  test('without a version has 1.0.0, and lint warns', async () => {
    verifies('GUIDE-7');
    const { version: _, ...plain } = workflow({ id: 'plain' });
    const project = guideProject({ plain });
    const { ok } = await openGuides(project);
    const { workflows, errors } = await ok('workflow_list');
    expect(errors).toBeUndefined();
    expect(workflows).toContainEqual(expect.objectContaining({ id: 'plain', version: '1.0.0' }));
    expect(await ok('workflow_get', { id: 'plain' })).toEqual(plain);
    const { code, stdout } = await command(['lint', '--format', 'json'], { cwd: project.root });
    expect([code, JSON.parse(stdout).findings]).toMatchObject([
      0,
      [{ severity: 'warning', line: 1, column: 1 }],
    ]);
  });

  test('of another library loads: what it carries besides is kept, and lint names it', async () => {
    verifies('GUIDE-8', 'GUIDE-7');
    const id = 'wr.diagnose_environment';
    const foreign = {
      $schema: './workflow.schema.json',
      ...workflow({
        id,
        steps: [
          step({ id: 'step-0.probe_all', hasValidation: true, notesOptional: false, type: 'task' }),
          step({ id: 'wr.configure', titel: 'Configure' }),
        ],
      }),
      about: '## What it is for',
      examples: ['Check if delegation works'],
      metaGuidence: ['Be brief'],
    };
    const project = guideProject({ foreign: JSON.stringify(foreign, null, 1) });
    const { ok } = await openGuides(project);
    expect(await ok('workflow_get', { id })).toEqual(foreign);
    const asked = { workflowId: id, completedSteps: ['step-0.probe_all'] };
    const { step: next, warnings } = await ok('workflow_next', asked);
    expect([next.id, warnings]).toEqual(['wr.configure', undefined]);
    const { code, stdout } = await command(['lint', '--format', 'json'], { cwd: project.root });
    const lines = JSON.stringify(foreign, null, 1).split('\n');
    const found = JSON.parse(stdout).findings.map(({ line }: { line: number }) =>
      /"(\w+)"/.exec(lines[line - 1] ?? '')?.at(1),
    );
    const named = ['notesOptional', 'type', 'titel', 'about', 'examples', 'metaGuidence'];
    expect([code, found]).toEqual([0, named]);
    expect(stdout).toContain("did you mean 'title'?");
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
    { "id": "same", "title": "One", "prompt": "Do.", "type": "loop" },
    { "id": "same", "title": "Two", "prompt": "Do.",
      "validationCriteria": { "type": "contains", "value": "a", "pattern": "b", "message": "m" } }
  ]
}`;

  test('are reported all at once, each with line, column and path, wherever the file is needed', async () => {
    verifies('GUIDE-8', 'GUIDE-9');
    const { ok, fails } = await openGuides(guideProject({ spoilt: TEXT }));
    const { errors } = await ok('workflow_list');
    const message = expect.any(String);
    const problems = [
      { line: 3, column: 21, path: '/name', message },
      { line: 6, column: 15, path: '/category', message },
      { line: 8, column: 54, path: '/steps/0/type', message: 'Not supported: loop' },
      { line: 9, column: 13, path: '/steps/1/id', message },
      { line: 10, column: 65, path: '/steps/1/validationCriteria/pattern', message },
    ];
    const file = expect.stringMatching(/spoilt\.json$/);
    expect(errors).toEqual([{ id: 'spoilt', file, code: -32002, problems }]);
    const next = await fails('workflow_next', { workflowId: 'spoilt', completedSteps: [] });
    expect(next).toMatchObject({ code: -32002, data: { problems } });
  });

  test('are at most a hundred; a duplicate id counts also where they are shown already', async () => {
    verifies('GUIDE-8');
    const metaGuidance = Array.from({ length: 300 }, (_, at) => at);
    const project = guideProject({
      'a-first': workflow({ id: 'twice' }),
      'b-second': workflow({ id: 'twice', metaGuidance }),
      many: workflow({ id: 'many', metaGuidance }),
    });
    const { fails } = await openGuides(project);
    expect((await fails('workflow_get', { id: 'many' })).data.problems).toHaveLength(100);
    const counted = async (name: string) => {
      const { stdout } = await command(['lint', `${FOLDER}/${name}.json`], { cwd: project.root });
      return Number(/(\d+) problems/.exec(stdout)?.[1]);
    };
    const { stdout } = await command(['lint', FOLDER], { cwd: project.root });
    const both = (await counted('b-second')) + (await counted('many'));
    expect(stdout).toContain(`${both + 1} problems`);
  });

  test('are those of the whole file: schemas of all steps together, and no id is not a duplicate', async () => {
    verifies('GUIDE-7', 'GUIDE-8');
    const schema = { type: 'schema', schema: { type: 'object' }, message: 'm' };
    const validationCriteria = Array.from({ length: 101 }, () => schema);
    const unnamed = { title: 'T', prompt: 'Do.' };
    const { ok } = await openGuides(
      guideProject({
        many: workflow({
          id: 'many',
          steps: ['first', 'second'].map((id) => step({ id, validationCriteria })),
        }),
        unnamed: workflow({ id: 'unnamed', steps: [unnamed, unnamed] }),
      }),
    );
    const { errors } = await ok('workflow_list');
    const paths = errors.map(({ problems }: Listed) => problems.map((each) => each.path));
    expect(paths).toEqual([['/steps/1/validationCriteria'], ['/steps/0', '/steps/1']]);
  });

  test('of size, depth and encoding are refused at the limit', async () => {
    verifies('GUIDE-7', 'GUIDE-5');
    const sized = (id: string, bytes: number) => JSON.stringify(workflow({ id })).padEnd(bytes);
    const { ok, fails } = await openGuides(
      guideProject({
        'sized-1': sized('sized-1', 1024 * 1024),
        'sized-2': sized('sized-2', 1024 * 1024 + 1),
        deep: withCriteria('deep', JSON.parse('['.repeat(62) + ']'.repeat(62))),
        latin: Buffer.from([0x7b, 0xe9, 0x7d]),
      }),
    );
    expect(await ok('workflow_get', { id: 'sized-1' })).toMatchObject({ id: 'sized-1' });
    for (const id of ['sized-2', 'deep', 'latin']) {
      expect(await fails('workflow_get', { id })).toMatchObject({ code: -32002 });
    }
  });
});

describe('which file an id means', () => {
  test('depends on the folder: project, project, home, environment, bundled', async () => {
    verifies('GUIDE-10');
    const project = newProject();
    const folders = [FOLDER, 'workflows', 'home/.deepwork/workflows', 'extra-one', 'extra-two'];
    const shared = BUNDLED[1] as string;
    const put = (folder: string, id: string) =>
      project.write(`${folder}/${id}.json`, JSON.stringify(workflow({ id, name: folder })));
    for (const folder of folders) put(folder, 'demo');
    const extra = ['extra-one', 'missing', 'extra-two'].map((name) => project.path(name));
    const { ok } = await openGuides(project, {
      HOME: project.path('home'),
      DEEPWORK_WORKFLOW_FOLDERS: extra.join(path.delimiter),
    });
    const nameOf = async (id: string) => (await ok('workflow_get', { id })).name;
    for (const folder of folders) {
      expect(await nameOf('demo')).toBe(folder);
      rmSync(project.path(`${folder}/demo.json`));
    }
    expect((await ok('workflow_list')).errors).toBeUndefined();
    expect(await nameOf(shared)).toBe('AI Task Prompt Workflow');
    put('extra-two', shared);
    expect(await nameOf(shared)).toBe('extra-two');
  });

  test('does not change because the file is broken; a broken one is known by its id or its file', async () => {
    verifies('GUIDE-10');
    const [shared = '', known, tooLong] = [BUNDLED[0], 'a'.repeat(256), 'b'.repeat(257)];
    const project = guideProject({
      any: workflow({ id: shared, version: 'x' }),
      'auth-implementation': '{ "id": "auth-impl',
      'a-first': workflow({ id: 'twice', name: 'First' }),
      'b-second': workflow({ id: 'twice', name: 'Second' }),
      'c-known': workflow({ id: known }),
      'd-long': workflow({ id: tooLong }),
    });
    const { ok, fails } = await openGuides(project);
    expect(await fails('workflow_get', { id: shared })).toMatchObject({
      code: -32002,
      data: { workflowId: shared, file: project.path(`${FOLDER}/any.json`) },
    });
    expect(await ok('workflow_get', { id: 'twice' })).toMatchObject({ name: 'First' });
    const { workflows, errors } = await ok('workflow_list');
    expect(idsOf(workflows)).toEqual(['ai-task-implementation', 'twice']);
    const told = errors.map(({ id, file }: Listed) => [id, path.basename(file, '.json')]);
    expect(told.sort()).toEqual([
      [known, 'c-known'],
      [shared, 'any'],
      ['auth-implementation', 'auth-implementation'],
      ['d-long', 'd-long'],
      ['twice', 'b-second'],
    ]);
    const loser = errors.find(({ id }: Listed) => id === 'twice');
    expect(loser.problems).toEqual([
      { line: 2, column: 9, path: '/id', message: 'Duplicate workflow id: twice' },
    ]);
  });

  test('follows links inside the folder, and none that leave it', async () => {
    verifies('GUIDE-11');
    const project = newProject({ 'kept/real.json': JSON.stringify(workflow({ id: 'real' })) });
    const outside = project.write('elsewhere/stolen.json', JSON.stringify(workflow({ id: 'out' })));
    project.write('.deepwork/config.yml', '');
    symlinkSync(project.path('kept'), project.path(FOLDER));
    const link = (to: string, name: string) => symlinkSync(to, project.path(`kept/${name}`));
    project.write('kept/parts/inner.json', JSON.stringify(workflow({ id: 'inner' })));
    link('parts/inner.json', 'linked.json');
    link(outside, 'leaving.json');
    link('../elsewhere', 'by-way');
    link('by-way/stolen.json', 'twisted.json');
    const { ok, fails } = await openGuides(project);
    expect(await ok('workflow_get', { id: 'inner' })).toMatchObject({ id: 'inner' });
    const told: unknown[] = [];
    for (const id of ['leaving', 'twisted']) {
      const file = project.path(`${FOLDER}/${id}.json`);
      const error = { code: -32007, data: { workflowId: id, file } };
      expect(await fails('workflow_get', { id })).toMatchObject(error);
      told.push([id, -32007]);
    }
    expect(await fails('workflow_get', { id: 'out' })).toMatchObject({ code: -32001 });
    const { workflows, errors } = await ok('workflow_list');
    expect(idsOf(workflows)).toEqual([...BUNDLED, 'inner', 'real'].sort());
    expect(errors.map(({ id, code }: Listed) => [id, code])).toEqual(told);
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
  writeGuide(project, 'x', '{');
  expect(await fails('workflow_get', { id: 'x' })).toMatchObject({ code: -32002 });
  writeGuide(project, 'x', workflow({ id: 'zebra', name: 'Fixed' }));
  expect(await ok('workflow_get', { id: 'zebra' })).toMatchObject({ name: 'Fixed' });
  rmSync(project.path(`${FOLDER}/x.json`));
  expect(await listed()).toEqual(['aaa', ...BUNDLED]);
  renameSync(project.path(FOLDER), project.path('moved'));
  expect(await listed()).toEqual(BUNDLED);
  renameSync(project.path('moved'), project.path('workflows'));
  expect(await listed()).toEqual(['aaa', ...BUNDLED]);
});
