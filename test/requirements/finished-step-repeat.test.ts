// A repeated finished_step call: a client that lost the answer gets it again, and nothing is done
// twice; but a call that fits the next step counts for the next step.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** plan → build → ship; only build and ship take outputs of the same name. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' });
  writeJob(
    project,
    'demo',
    {
      plan: { outputs: { plan: 'file' } },
      build: { outputs: { result: 'file' } },
      ship: { outputs: { result: 'file' } },
    },
    { main: ['plan', 'build', 'ship'], short: ['plan'] },
  );
  return project;
}

describe('finished_step: the same call again', () => {
  test('is answered the same, and changes nothing', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const call = { outputs: { plan: 'a.md' }, notes: 'Thought about it' };
    const first = expectWhole('finished_step', await server.call('finished_step', call));
    const before = keptState(project);

    for (const again of [call, { ...call, session_id: id }, { ...call, step_id: 'plan' }]) {
      expect(expectWhole('finished_step', await server.call('finished_step', again))).toEqual(
        first,
      );
    }
    expect(keptState(project)).toEqual(before);

    // Other notes or other outputs make it another call.
    expectRefusal(
      await server.call('finished_step', { outputs: { plan: 'a.md' } }),
      'Unknown output names: plan. Declared outputs: result',
    );
    expectRefusal(
      await server.call('finished_step', { ...call, outputs: { plan: 'b.md' }, step_id: 'plan' }),
      `Step 'plan' is no longer the current step of session '${id}'`,
    );
    expect(keptState(project)).toEqual(before);
  });

  test('runs if it fits the next step, too, unless it names its step', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    await server.ok('finished_step', { outputs: { plan: 'a.md' } });
    const call = { outputs: { result: 'b.md' } };
    const built = await server.ok('finished_step', call);
    expect(built.begin_step.step_id).toBe('ship');
    expect(await server.ok('finished_step', { ...call, step_id: 'build' })).toEqual(built);
    expect((await server.ok('finished_step', call)).status).toBe('workflow_complete');
  });

  test('only the call that was accepted last can be repeated', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    await server.ok('finished_step', { outputs: { plan: 'a.md' } });
    await server.ok('finished_step', { outputs: { result: 'b.md' } });
    const before = keptState(project);
    expectRefusal(
      await server.call('finished_step', { outputs: { plan: 'a.md' } }),
      'Unknown output names: plan. Declared outputs: result',
    );
    expectRefusal(
      await server.call('finished_step', { outputs: { plan: 'a.md' }, step_id: 'plan' }),
      `Step 'plan' is no longer the current step of session '${id}'`,
    );
    expect(keptState(project)).toEqual(before);
  });

  test('after a return to the step it runs again', async () => {
    verifies('JOBS-X.10', 'JOBS-X.21');
    const project = newDemo();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const call = { outputs: { plan: 'a.md' } };
    const first = await server.ok('finished_step', call);
    await server.ok('go_to_step', { step_id: 'plan' });
    const { revision } = readView(project, id);
    expect(await server.ok('finished_step', call)).toEqual(first);
    expect(readView(project, id).revision).toBe(revision + 1);
  });

  test('is answered after completion, with and without the id', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const server = await connect(project.root);
    const outer = (await server.ok('start_workflow', START)).begin_step.session_id;
    await server.ok('finished_step', { outputs: { plan: 'b.md' } });
    const inner = await server.ok('start_workflow', { ...START, workflow_name: 'short' });
    const session_id = inner.begin_step.session_id;
    const call = { outputs: { plan: 'a.md' }, notes: 'Last one' };
    const last = expectWhole('finished_step', await server.call('finished_step', call));
    expect(last).toMatchObject({
      status: 'workflow_complete',
      stack: [{ workflow: 'demo/main', step: 'build' }],
    });
    const before = keptState(project);
    for (const again of [call, { ...call, session_id }, { ...call, step_id: 'plan' }]) {
      expect(expectWhole('finished_step', await server.call('finished_step', again))).toEqual(last);
    }
    expect(keptState(project)).toEqual(before);
    const other = { ...call, notes: 'Another one' };
    expectRefusal(
      await server.call('finished_step', { ...other, session_id }),
      `Session '${session_id}' not found in active stack`,
    );
    expectRefusal(
      await server.call('finished_step', { ...call, session_id: outer, step_id: 'plan' }),
      `Step 'plan' is no longer the current step of session '${outer}'`,
    );
  });

  test('is answered by a restarted server, in the middle and after completion', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = (await first.ok('start_workflow', START)).begin_step.session_id;
    const planned = await first.ok('finished_step', { outputs: { plan: 'a.md' } });
    await first.close();

    const second = await connectToProcess(project.root, { closeAfterTest: false });
    const { begin_step } = await second.ok('finished_step', { outputs: { plan: 'a.md' } });
    expect(begin_step).toEqual(planned.begin_step);
    await second.ok('finished_step', { outputs: { result: 'b.md' } });
    const call = { outputs: { result: 'c.md' }, notes: 'n' };
    const last = await second.ok('finished_step', call);
    await second.close();

    const { step_progress } = readView(project, id);
    expect(Object.keys(step_progress)).toEqual(['plan', 'build', 'ship']);
    const before = keptState(project);
    // An ended session no longer needs its definition.
    rmSync(project.path('.deepwork/jobs/demo'), { recursive: true, maxRetries: 5 });
    const third = await connect(project.root);
    expect(await third.ok('finished_step', call)).toEqual(last);
    expect(await third.ok('finished_step', { ...call, session_id: id })).toEqual(last);
    expect(keptState(project)).toEqual(before);
  });

  test('sent many times at once advances one step', async () => {
    verifies('JOBS-X.10');
    const project = newDemo();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const calls = Array.from({ length: 8 }, () =>
      server.ok('finished_step', { outputs: { plan: 'a.md' } }),
    );
    for (const answer of await Promise.all(calls)) expect(answer.begin_step.step_id).toBe('build');
    expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'build' });
  });

  test('is answered with the warnings of the first time', async () => {
    verifies('JOBS-X.10', 'JOBS-X.12');
    const project = newDemo();
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    writeJob(
      project,
      'demo',
      { plan: { outputs: { plan: 'file' } }, build: { outputs: { result: 'file' } } },
      { main: ['plan', 'build'] },
    );
    const call = { outputs: { plan: 'a.md' } };
    const first = await server.ok('finished_step', call);
    expect(first.warnings).toEqual([
      expect.stringContaining('was edited during this run'),
      expect.stringContaining('the step was removed'),
    ]);
    expect(await server.ok('finished_step', call)).toEqual(first);
  });

  test('belongs to the current work, not to what ended before that began', async () => {
    const project = newDemo();
    const server = await connect(project.root);
    await server.ok('start_workflow', { ...START, workflow_name: 'short' });
    const call = { outputs: { plan: 'a.md' } };
    expect((await server.ok('finished_step', call)).status).toBe('workflow_complete');
    await server.ok('start_workflow', START);
    await server.ok('finished_step', { outputs: { plan: 'b.md' } });
    expect(await server.refused('finished_step', call)).toContain('Unknown output names: plan');
  });
});
