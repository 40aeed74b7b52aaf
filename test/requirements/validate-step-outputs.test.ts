// validate_step_outputs: what finished_step would report about outputs, as far as possible without
// running or changing anything.

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const RULES = [
  { type: 'contains', value: 'yes', message: 'Must say yes' },
  { type: 'regex', pattern: '^#', message: 'Must have a title' },
];
const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** Files beside the views; the next temporary file is created when the server is idle. */
function views(project: Project): string[] {
  return readdirSync(project.path('.deepwork/tmp')).filter((name) => !name.endsWith('.tmp'));
}

/** one: rules, checks and reviews; then x and y, concurrent, sharing a name. */
function newDemo(): Project {
  const project = newProject({ 'good.md': '# yes\n', 'bad.md': 'no\n' });
  writeJob(
    project,
    'demo',
    {
      one: {
        outputs: {
          report: { type: 'file', description: 'd', required: true, rules: RULES },
          pages: 'files?',
        },
        reviews: [
          {
            run_each: 'step',
            quality_criteria: { complete: 'All is there', clear: 'It is clear' },
          },
          { run_each: 'pages', quality_criteria: { short: 'It is short' } },
        ],
        checks: [{ name: 'compiles', run: 'touch ran' }],
      },
      plain: { outputs: { report: 'file', pages: 'files?' } },
      x: { outputs: { log: 'file', only_x: 'file?' } },
      y: { outputs: { log: 'file' }, reviews: [REVIEW] },
    },
    { main: ['one'], shape: ['plain'], side: [['x', 'y']] },
  );
  return project;
}

async function start(server: Connection, workflow_name: string): Promise<string> {
  return (await server.ok('start_workflow', { ...START, workflow_name })).begin_step.session_id;
}

describe('validate_step_outputs', () => {
  test.each(ERAS)('checks shape and rules, and runs nothing (%s)', async (era) => {
    verifies('JOBS-X.23');
    const project = newDemo();
    const server = await connect(project.root, { era });
    await start(server, 'main');
    const before = keptState(project);
    const files = readdirSync(project.root);
    const beside = views(project);
    const call = async (outputs: unknown) =>
      expectWhole('validate_step_outputs', await server.call('validate_step_outputs', { outputs }));

    expect(await call({ report: 'good.md' })).toMatchObject({
      valid: true,
      problems: [],
      not_run: ['compiles', 'complete', 'clear'],
      stack: [{ workflow: 'demo/main', step: 'one' }],
    });
    expect((await call({ report: 'good.md', pages: ['bad.md'] })).not_run).toEqual([
      'compiles',
      'complete',
      'clear',
      'short',
    ]);
    expect(await call({ report: 'bad.md' })).toMatchObject({
      valid: false,
      problems: ['Must say yes (bad.md)', 'Must have a title (bad.md)'],
    });
    expect(await call({})).toMatchObject({
      valid: false,
      problems: ['Missing required outputs: report. All required outputs must be provided.'],
      not_run: [],
    });
    expect(keptState(project)).toEqual(before);
    expect(readdirSync(project.root)).toEqual(files);
    expect(views(project)).toEqual(beside);
  });

  test('reports problems of the shape word for word as finished_step does', async () => {
    verifies('JOBS-X.23');
    const project = newDemo();
    const server = await connect(project.root);
    await start(server, 'shape');
    const before = keptState(project);
    const wrong: unknown[] = [
      {},
      { other: 'good.md' },
      { report: ['good.md'], pages: 'good.md' },
      { report: 'gone.md', pages: ['good.md', 'lost.md', '', '..'] },
      { report: '/etc/hostname', pages: [1] },
      ['good.md'],
    ];
    for (const outputs of wrong) {
      const refused = await server.call('finished_step', { outputs });
      expect(refused.isError).toBe(true);
      const answer = await server.ok('validate_step_outputs', { outputs });
      expect(answer.valid).toBe(false);
      expect(answer.problems.join('\n')).toBe(refused.data.error.message);
    }
    const several = await server.ok('validate_step_outputs', {
      outputs: { report: 'gone.md', pages: ['lost.md'] },
    });
    expect(several.problems).toHaveLength(2);
    expect(keptState(project)).toEqual(before);
  });

  test('checks members of a concurrent entry as they would be submitted', async () => {
    verifies('JOBS-X.23', 'JOBS-X.13');
    const server = await connect(newDemo().root);
    await start(server, 'side');
    const call = (outputs: unknown, step_id: string | null = null) =>
      server.ok('validate_step_outputs', { outputs, step_id });
    expect(await call({ 'x.log': 'bad.md' })).toMatchObject({ valid: true, not_run: [] });
    expect(await call({ 'y.log': 'bad.md' })).toMatchObject({ valid: true, not_run: ['good'] });
    expect((await call({ log: 'bad.md' })).problems).toEqual([
      "Output name 'log' is ambiguous. Use one of: x.log, y.log",
    ]);
    expect((await call({ only_x: 'bad.md' }, 'x')).problems).toEqual([
      'Missing required outputs: x.log. All required outputs must be provided.',
    ]);
    expect((await call({}, 'nowhere')).valid).toBe(false);
  });

  test('checks the current step, whatever was accepted before', async () => {
    verifies('JOBS-X.23', 'JOBS-X.10');
    const project = newProject({ 'a.md': 'A' });
    const steps = { first: { outputs: { one: 'file' } }, second: { outputs: { two: 'file' } } };
    writeJob(project, 'demo', steps, { main: ['first', 'second'] });
    const server = await connect(project.root);
    await start(server, 'main');
    const outputs = { one: 'a.md' };
    expect((await server.ok('validate_step_outputs', { outputs })).valid).toBe(true);
    await server.ok('finished_step', { outputs });
    expect((await server.ok('validate_step_outputs', { outputs })).problems).toEqual([
      'Unknown output names: one. Declared outputs: two',
    ]);
  });

  test('needs a session, named or on top', async () => {
    verifies('JOBS-X.23');
    const project = newDemo();
    const server = await connect(project.root);
    expectRefusal(
      await server.call('validate_step_outputs', { outputs: {} }),
      'No active workflow session. Use start_workflow to begin a workflow.',
    );
    const lower = await start(server, 'shape');
    await start(server, 'side');
    const outputs = { report: 'good.md' };
    expect((await server.ok('validate_step_outputs', { outputs })).valid).toBe(false);
    const named = await server.ok('validate_step_outputs', { outputs, session_id: lower });
    expect(named).toMatchObject({ valid: true, stack: { length: 2 } });
  });

  test('takes over no orphans', async () => {
    verifies('JOBS-X.23', 'JOBS-X.19');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = await start(first, 'shape');
    await first.close();
    const before = keptState(project);
    const second = await connect(project.root);
    const outputs = { report: 'good.md' };
    for (const session_id of [null, id]) {
      const answer = await second.ok('validate_step_outputs', { outputs, session_id });
      expect(answer).toMatchObject({ valid: true, stack: [{ session_id: id }] });
    }
    expect(keptState(project)).toEqual(before);
  });
});
