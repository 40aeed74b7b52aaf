// finished_step in normal use: one step after the other until the workflow is complete, in either
// era, and its answer when there is nothing to finish.

import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Get it done', job_name: 'demo', workflow_name: 'main' };
const NO_SESSION = 'No active workflow session. Use start_workflow to begin a workflow.';

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
    { main: ['draft', 'polish', 'publish'] },
  );
  return project;
}

describe('finished_step', () => {
  test.each(ERAS)('runs a workflow to its end (%s)', async (era) => {
    verifies(
      'JOBS-REQ-001.4.6',
      'JOBS-REQ-001.4.7',
      'JOBS-REQ-001.4.15',
      'JOBS-REQ-001.4.16',
      'JOBS-REQ-001.4.17',
      'JOBS-REQ-001.4.19',
    );
    const project = newDemo();
    const server = await connect(project.root, { era });
    const started = await server.ok('start_workflow', START);
    const id = started.begin_step.session_id;

    const first = expectWhole(
      'finished_step',
      await server.call('finished_step', {
        outputs: { report: 'a.md', sources: ['b.md', 'c.md'] },
        notes: 'A first draft',
      }),
    );
    expect(first).toMatchObject({
      status: 'next_step',
      feedback: null,
      failed_reviews: null,
      failed_criteria: null,
      summary: null,
      all_outputs: null,
      warnings: [],
      stack: [{ workflow: 'demo/main', step: 'polish' }],
    });
    expect(first.begin_step).toMatchObject({
      session_id: id,
      step_id: 'polish',
      job_dir: project.path('.deepwork/jobs/demo'),
      step_instructions: 'Do polish now.\n',
      common_job_info: 'About demo',
      step_reviews: [],
      step_quality_criteria: [],
      concurrent_steps: [],
      step_expected_outputs: [
        {
          name: 'report',
          type: 'file',
          description: 'An output',
          required: true,
          syntax_for_finished_step_tool: 'filepath',
        },
        {
          name: 'pictures',
          type: 'files',
          description: 'An output',
          required: true,
          syntax_for_finished_step_tool: 'array of filepaths for all individual files',
        },
      ],
    });

    const { draft } = readView(project, id).step_progress;
    expect(draft).toMatchObject({
      outputs: { report: 'a.md', sources: ['b.md', 'c.md'] },
      notes: 'A first draft',
      quality_attempts: 0,
    });
    expect(Date.parse(draft.completed_at)).toBeGreaterThanOrEqual(Date.parse(draft.started_at));

    const second = expectWhole(
      'finished_step',
      await server.call('finished_step', { outputs: { report: 'd.md', pictures: ['b.md'] } }),
    );
    expect(second.begin_step.step_id).toBe('publish');

    const last = expectWhole('finished_step', await server.call('finished_step', { outputs: {} }));
    expect(last).toEqual({
      status: 'workflow_complete',
      reason: null,
      feedback: null,
      failed_reviews: null,
      failed_criteria: null,
      begin_step: null,
      summary: "Workflow 'main' completed successfully!",
      // The later step's report wins.
      all_outputs: { report: 'd.md', sources: ['b.md', 'c.md'], pictures: ['b.md'] },
      warnings: [],
      stack: [],
    });
    expect(readView(project, id)).toMatchObject({ status: 'completed' });
  });

  test('is listed with its parameters, outputs alone required', async () => {
    verifies('JOBS-REQ-001.4.1', 'JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
    const server = await connect(newProject().root);
    const { tools } = await server.client.listTools();
    const tool = tools.find(({ name }) => name === 'finished_step');
    expect(tool?.inputSchema.required).toEqual(['outputs']);
    expect(Object.keys(tool?.inputSchema.properties ?? {}).sort()).toEqual([
      'context',
      'notes',
      'outputs',
      'quality_review_override_reason',
      'session_id',
      'step_id',
    ]);
    expect(tool?.outputSchema?.anyOf).toMatchObject([
      { required: expect.arrayContaining(['stack']) },
      {},
    ]);
  });

  test('takes null for every optional parameter', async () => {
    verifies('JOBS-REQ-001.4.3');
    const server = await connect(newDemo().root);
    await server.ok('start_workflow', { ...START, instance_id: null, context: null });
    const answer = await server.ok('finished_step', {
      outputs: { report: 'a.md' },
      notes: null,
      quality_review_override_reason: null,
      session_id: null,
      step_id: null,
      context: null,
    });
    expect(answer.status).toBe('next_step');
  });

  test('is refused if nothing is active, before a start and after the end', async () => {
    verifies('JOBS-REQ-001.4.4');
    const project = newDemo();
    const server = await connect(project.root);
    const refused = await server.call('finished_step', { outputs: { report: 'a.md' } });
    expect(expectRefusal(refused, NO_SESSION)).toContain('start_workflow');

    await server.ok('start_workflow', START);
    await server.ok('finished_step', { outputs: { report: 'a.md' } });
    await server.ok('finished_step', { outputs: { report: 'a.md', pictures: ['b.md'] } });
    await server.ok('finished_step', { outputs: {} });
    const before = keptState(project);
    const late = await server.call('finished_step', { outputs: { report: 'c.md' } });
    expectRefusal(late, NO_SESSION);
    expect(keptState(project)).toEqual(before);
  });

  test('finishes the named session, and does not affect the others', async () => {
    verifies('JOBS-REQ-001.4.5', 'JOBS-REQ-001.4.19');
    const project = newDemo();
    const server = await connect(project.root);
    const lower = (await server.ok('start_workflow', START)).begin_step.session_id;
    const upper = (await server.ok('start_workflow', START)).begin_step.session_id;
    const untouched = keptState(project)[`tmp/session_${upper}.json`];

    const answer = await server.ok('finished_step', {
      outputs: { report: 'a.md' },
      session_id: lower,
    });
    expect(answer.begin_step.session_id).toBe(lower);
    expect(answer.stack).toMatchObject([
      { workflow: 'demo/main', step: 'polish' },
      { workflow: 'demo/main', step: 'draft' },
    ]);
    expect(keptState(project)[`tmp/session_${upper}.json`]).toBe(untouched);

    // Without an id the top is meant, whatever was addressed before.
    const top = await server.ok('finished_step', { outputs: { report: 'b.md' } });
    expect(top.begin_step.session_id).toBe(upper);
  });

  test('refuses a call that names another step than the current one', async () => {
    verifies('JOBS-REQ-001.4.6', 'JOBS-REQ-001.4.17');
    const project = newDemo();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    await server.ok('finished_step', { outputs: { report: 'a.md' }, step_id: 'draft' });
    const before = keptState(project);
    const call = (step_id: string) =>
      server.call('finished_step', { outputs: { report: 'b.md', pictures: ['c.md'] }, step_id });

    expectRefusal(
      await call('draft'),
      `Step 'draft' is no longer the current step of session '${id}'`,
    );
    expectRefusal(await call('publish'), /^Step 'publish' is not /);
    expectRefusal(
      await call('nowhere'),
      "Step 'nowhere' not found in workflow 'main'. Available steps: draft, polish, publish",
    );
    expect(keptState(project)).toEqual(before);
    expect((await call('polish')).data.begin_step.step_id).toBe('publish');
  });
});
