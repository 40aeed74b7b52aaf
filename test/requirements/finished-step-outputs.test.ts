// What finished_step requires of its outputs: their names, their types and that the files exist,
// each reported with the promised text, all before anything changes.

import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

interface Running {
  readonly project: Project;
  readonly server: Connection;
  readonly id: string;
  /** Submits outputs that must be refused, and checks that nothing changed. */
  refuses(outputs: unknown, message: string | RegExp): Promise<string | null>;
}

/** A session at a step that declares these outputs, the last of its workflow. */
async function running(outputs: Record<string, unknown>): Promise<Running> {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B' });
  writeJob(project, 'demo', { only: { outputs } }, { main: ['only'] });
  const server = await connect(project.root);
  const { begin_step } = await server.ok('start_workflow', {
    goal: 'g',
    job_name: 'demo',
    workflow_name: 'main',
  });
  return {
    project,
    server,
    id: begin_step.session_id,
    async refuses(given, message) {
      const before = keptState(project);
      const next = expectRefusal(await server.call('finished_step', { outputs: given }), message);
      expect(keptState(project)).toEqual(before);
      return next;
    },
  };
}

/** A value of each JSON type, and what the contract calls it. */
const TYPES: readonly [string, unknown][] = [
  ['list', ['a.md']],
  ['str', 'a.md'],
  ['int', 7],
  ['float', 1.5],
  ['bool', true],
  ['dict', { path: 'a.md' }],
];

describe('finished_step: names of outputs', () => {
  test('unknown names are listed with the declared ones, and beat missing ones', async () => {
    verifies('JOBS-REQ-001.5.1', 'JOBS-REQ-001.4.6');
    const { refuses } = await running({ report: 'file', appendix: 'files?' });
    const next = await refuses(
      { zebra: 'a.md', apple: 'b.md' },
      'Unknown output names: apple, zebra. Declared outputs: appendix, report',
    );
    for (const part of ['report', 'filepath', 'required', 'appendix', 'optional']) {
      expect(next).toContain(part);
    }
    await refuses(
      { report: 'nowhere.md', Report: 'a.md' },
      'Unknown output names: Report. Declared outputs: appendix, report',
    );
    // Names are own keys: inherited properties are no declared outputs.
    await refuses(
      { report: 'a.md', constructor: 'a.md', toString: 'a.md' },
      'Unknown output names: constructor, toString. Declared outputs: appendix, report',
    );
    // Null means a missing value; the name must still be valid.
    await refuses(
      { report: 'a.md', zebra: null },
      'Unknown output names: zebra. Declared outputs: appendix, report',
    );
  });

  test('a name with a meaning in JavaScript is unknown like any other', async () => {
    verifies('JOBS-REQ-001.5.1');
    const { refuses } = await running({ report: 'file' });
    await refuses(
      JSON.parse('{"report": "a.md", "__proto__": "a.md"}'),
      'Unknown output names: __proto__. Declared outputs: report',
    );
  });

  test('missing required outputs are listed before any value is checked', async () => {
    verifies('JOBS-REQ-001.5.2');
    const { refuses } = await running({ zeta: 'file', alpha: 'files', rest: 'file?' });
    const missing = (names: string) =>
      `Missing required outputs: ${names}. All required outputs must be provided.`;
    const next = await refuses({}, missing('alpha, zeta'));
    expect(next).toContain('zeta');
    await refuses({ zeta: 'a.md' }, missing('alpha'));
    await refuses({ alpha: 'not even a list', rest: 5 }, missing('zeta'));
    await refuses({ alpha: null, zeta: 'a.md' }, missing('alpha'));
    await refuses([], missing('alpha, zeta'));
  });

  test('optional outputs may be left out, or be null', async () => {
    verifies('JOBS-REQ-001.5.3');
    const { server, project, id } = await running({ main: 'file', more: 'file?', all: 'files?' });
    const answer = await server.ok('finished_step', { outputs: { main: 'a.md', more: null } });
    expect(answer.all_outputs).toEqual({ main: 'a.md' });
    expect(readView(project, id).step_progress.only.outputs).toEqual({ main: 'a.md' });
  });

  test('a step that declares none accepts none', async () => {
    verifies('JOBS-REQ-001.5.1');
    const { server, refuses } = await running({});
    await refuses({ report: 'a.md' }, /^Unknown output names: report\. Declared outputs: /);
    const answer = await server.ok('finished_step', { outputs: {} });
    expect(answer).toMatchObject({ status: 'workflow_complete', all_outputs: {} });
  });

  test('names of inherited properties are valid names', async () => {
    verifies('JOBS-REQ-001.5.1', 'JOBS-REQ-001.5.2');
    const { server, refuses } = await running({ constructor: 'file', 'with space.md': 'files' });
    await refuses(
      {},
      'Missing required outputs: constructor, with space.md. All required outputs must be provided.',
    );
    const outputs = { constructor: 'a.md', 'with space.md': ['b.md'] };
    expect((await server.ok('finished_step', { outputs })).all_outputs).toEqual(outputs);
  });
});

describe('finished_step: types of outputs', () => {
  test("a 'file' is one path", async () => {
    verifies('JOBS-REQ-001.5.4');
    const { refuses } = await running({ report: 'file' });
    for (const [type, value] of TYPES.filter(([name]) => name !== 'str')) {
      await refuses(
        { report: value },
        `Output 'report' is declared as type 'file' and must be a single string path, got ${type}`,
      );
    }
  });

  test("'files' is a list of paths", async () => {
    verifies('JOBS-REQ-001.5.6', 'JOBS-REQ-001.5.7', 'JOBS-X.8');
    const { refuses } = await running({ pages: 'files' });
    for (const [type, value] of TYPES.filter(([name]) => name !== 'list')) {
      await refuses(
        { pages: value },
        `Output 'pages' is declared as type 'files' and must be a list of paths, got ${type}`,
      );
    }
    for (const [type, value] of [...TYPES.filter(([name]) => name !== 'str'), ['null', null]]) {
      await refuses(
        { pages: ['a.md', value] },
        `Output 'pages': all paths must be strings, got ${type}`,
      );
    }
    await refuses({ pages: [] }, "Output 'pages' is required and must list at least one file");
  });

  test('an optional list may be empty', async () => {
    verifies('JOBS-REQ-001.5.3', 'JOBS-REQ-001.5.6');
    const { server } = await running({ pages: 'files?' });
    const answer = await server.ok('finished_step', { outputs: { pages: [] } });
    expect(answer.all_outputs).toEqual({ pages: [] });
  });
});

describe('finished_step: files of outputs', () => {
  test('every file must exist, relative to the project', async () => {
    verifies('JOBS-REQ-001.5.5', 'JOBS-REQ-001.5.8');
    const { server, project, refuses } = await running({ report: 'file', pages: 'files' });
    await refuses(
      { report: 'gone.md', pages: ['a.md'] },
      "Output 'report': file not found at 'gone.md'",
    );
    await refuses(
      { report: 'a.md', pages: ['a.md', 'sub/gone.md', 'b.md'] },
      "Output 'pages': file not found at 'sub/gone.md'",
    );
    project.write('sub/gone.md', 'Here now');
    const outputs = { report: 'a.md', pages: ['a.md', 'sub/gone.md'] };
    expect((await server.ok('finished_step', { outputs })).all_outputs).toEqual(outputs);
  });

  test('all problems are reported at once, in the order of declaration', async () => {
    verifies('JOBS-REQ-001.4.6', 'JOBS-REQ-001.5.4', 'JOBS-REQ-001.5.8');
    const { refuses } = await running({ zeta: 'file', mid: 'files', alpha: 'file?' });
    await refuses(
      { alpha: 3, mid: ['gone.md', 'a.md', 'lost.md'], zeta: ['a.md'] },
      [
        "Output 'zeta' is declared as type 'file' and must be a single string path, got list",
        "Output 'mid': file not found at 'gone.md'",
        "Output 'mid': file not found at 'lost.md'",
        "Output 'alpha' is declared as type 'file' and must be a single string path, got int",
      ].join('\n'),
    );
  });
});
