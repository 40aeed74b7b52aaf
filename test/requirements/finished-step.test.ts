// finished_step: one step after the other until the workflow is complete; a call that comes twice
// counts once.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { readView, viewFile } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Get it done', job_name: 'demo', workflow_name: 'main' };

/** draft → polish → publish; `report` comes from two of them. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' });
  writeJob(
    project,
    'demo',
    {
      draft: { outputs: { report: 'file', sources: 'files?' } },
      polish: { outputs: { report: 'file', pictures: 'files' } },
      publish: {},
    },
    { main: ['draft', 'polish', 'publish'], short: ['draft'] },
  );
  return project;
}

const DRAFT = { outputs: { report: 'a.md', sources: ['b.md', 'c.md'] }, notes: 'A first draft' };
const POLISH = { outputs: { report: 'd.md', pictures: ['b.md'] } };

async function running(workflow_name = 'main') {
  const project = newDemo();
  const server = await connect(project.root);
  const { begin_step } = await server.ok('start_workflow', { ...START, workflow_name });
  const id: string = begin_step.session_id;
  const finish = (args: object) => server.ok('finished_step', { ...args });
  /** The code of its refusal; nothing may change. */
  const refuses = async (args: object) =>
    (await refusedUnchanged(project, server, 'finished_step', { ...args })).code;
  return { project, server, id, finish, refuses };
}

describe('finished_step', () => {
  test('runs a workflow to its end', async () => {
    verifies(
      'JOBS-REQ-001.4.6',
      'JOBS-REQ-001.4.7',
      'JOBS-REQ-001.4.15',
      'JOBS-REQ-001.4.16',
      'JOBS-REQ-001.4.17',
      'JOBS-REQ-001.4.19',
    );
    const { project, id, finish, server } = await running();
    const first = await finish(DRAFT);
    const nothing = { reason: null, feedback: null, failed_reviews: null, failed_criteria: null };
    expect(first).toEqual({
      ...nothing,
      status: 'next_step',
      begin_step: expect.objectContaining({
        session_id: id,
        step_id: 'polish',
        job_dir: project.path('.deepwork/jobs/demo'),
        step_instructions: 'Do polish now.\n',
        common_job_info: 'About demo',
        step_expected_outputs: [
          expect.objectContaining({ name: 'report', type: 'file' }),
          expect.objectContaining({ name: 'pictures', type: 'files' }),
        ],
      }),
      summary: null,
      all_outputs: null,
      warnings: [],
      stack: [{ workflow: 'demo/main', step: 'polish', session_id: id }],
    });
    expect(await server.ok('get_active_workflow')).toMatchObject({ begin_step: first.begin_step });
    const { draft } = readView(project, id).step_progress;
    expect(draft).toMatchObject({ ...DRAFT, quality_attempts: 0 });
    expect(Date.parse(draft.completed_at)).toBeGreaterThanOrEqual(Date.parse(draft.started_at));

    expect((await finish(POLISH)).begin_step.step_id).toBe('publish');
    expect(await finish({ outputs: {} })).toEqual({
      ...nothing,
      status: 'workflow_complete',
      begin_step: null,
      summary: "Workflow 'main' completed successfully!",
      // The later step's report wins.
      all_outputs: { report: 'd.md', sources: ['b.md', 'c.md'], pictures: ['b.md'] },
      warnings: [],
      stack: [],
    });
    expect(readView(project, id)).toMatchObject({ status: 'completed' });
  });

  test('requires outputs alone, and takes null for all other parameters', async () => {
    verifies('JOBS-REQ-001.4.1', 'JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
    const { server, finish } = await running();
    const { tools } = await server.client.listTools();
    const schema = tools.find(({ name }) => name === 'finished_step')?.inputSchema;
    expect(schema?.required).toEqual(['outputs']);
    const optional = [
      'context',
      'notes',
      'quality_review_override_reason',
      'session_id',
      'step_id',
    ];
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual([...optional, 'outputs'].sort());
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect((await finish({ outputs: { report: 'a.md' }, ...nulls })).status).toBe('next_step');
  });

  test('finishes the named session, and does not affect the others', async () => {
    verifies('JOBS-REQ-001.4.5', 'JOBS-REQ-001.4.19');
    const { project, server, id: lower, finish } = await running();
    const upper = (await server.ok('start_workflow', START)).begin_step.session_id;
    const untouched = keptState(project)[viewFile(upper).slice('.deepwork/'.length)];
    const answer = await finish({ ...DRAFT, session_id: lower });
    expect(answer.begin_step.session_id).toBe(lower);
    expect(answer.stack).toMatchObject([{ step: 'polish' }, { step: 'draft' }]);
    expect(untouched).toBeDefined();
    expect(keptState(project)[viewFile(upper).slice('.deepwork/'.length)]).toBe(untouched);
    // Without an id the top is meant, whatever was addressed before.
    expect((await finish({ outputs: { report: 'b.md' } })).begin_step.session_id).toBe(upper);
  });
});

describe('finished_step: the same call again', () => {
  test('is answered the same and changes nothing, whether it names session and step or not', async () => {
    verifies('JOBS-X.10');
    const { project, id, finish, refuses } = await running();
    const first = await finish(DRAFT);
    const before = keptState(project);
    for (const more of [{}, { session_id: id }, { step_id: 'draft' }]) {
      expect(await finish({ ...DRAFT, ...more })).toEqual(first);
    }
    expect(keptState(project)).toEqual(before);
    // Other notes or other outputs make it another call.
    expect(await refuses({ outputs: DRAFT.outputs })).toBe('outputs_unknown');
    const other = { ...DRAFT, outputs: { report: 'b.md' }, step_id: 'draft' };
    expect(await refuses(other)).toBe('step_not_current');
    // Only the call that was accepted last can be repeated.
    await finish(POLISH);
    expect(await refuses(DRAFT)).toBe('outputs_unknown');
    expect(await refuses({ ...DRAFT, step_id: 'draft' })).toBe('step_not_current');
    expect(await refuses({ ...DRAFT, step_id: 'nowhere' })).toBe('step_not_found');
  });

  test('runs if it fits the next step, too, or if its step was begun again', async () => {
    verifies('JOBS-X.10', 'JOBS-X.21');
    const project = newProject({ 'b.md': 'B' });
    const outputs = { result: 'file' };
    writeJob(
      project,
      'demo',
      { build: { outputs }, ship: { outputs } },
      { main: ['build', 'ship'] },
    );
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const call = { outputs: { result: 'b.md' } };
    const built = await server.ok('finished_step', call);
    expect(await server.ok('finished_step', { ...call, step_id: 'build' })).toEqual(built);
    await server.ok('go_to_step', { step_id: 'build' });
    const { revision } = readView(project, id);
    expect((await server.ok('finished_step', call)).begin_step.step_id).toBe('ship');
    expect(readView(project, id).revision).toBe(revision + 1);
    expect((await server.ok('finished_step', call)).status).toBe('workflow_complete');
  });

  test('is answered by a restarted server, in the middle and after completion', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = (await first.ok('start_workflow', START)).begin_step.session_id;
    const drafted = await first.ok('finished_step', DRAFT);
    await first.close();

    const second = await connectToProcess(project.root, { closeAfterTest: false });
    expect((await second.ok('finished_step', DRAFT)).begin_step).toEqual(drafted.begin_step);
    await second.ok('finished_step', POLISH);
    const last = await second.ok('finished_step', { outputs: {}, notes: 'n' });
    await second.close();

    const before = keptState(project);
    // An ended session no longer needs its definition.
    rmSync(project.path('.deepwork/jobs/demo'), { recursive: true, maxRetries: 5 });
    const third = await connect(project.root);
    for (const more of [{}, { session_id: id }]) {
      const again = { outputs: {}, notes: 'n', ...more };
      expect(await third.ok('finished_step', again)).toEqual(last);
    }
    expect(keptState(project)).toEqual(before);
  });

  test('belongs to the current work, not to what ended before that began', async () => {
    verifies('JOBS-X.10');
    const { server, finish, refuses } = await running('short');
    expect((await finish(DRAFT)).status).toBe('workflow_complete');
    await server.ok('start_workflow', START);
    await finish({ outputs: { report: 'b.md' } });
    expect(await refuses(DRAFT)).toBe('outputs_unknown');
  });
});
