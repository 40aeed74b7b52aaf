// A call that looks like one whose answer was lost, and is another one; and one that is equal to
// several before it.

import { describe, expect, test } from 'vitest';
import { serveOverHttp } from '../support/http.ts';
import { writeJob } from '../support/project.ts';
import { START } from './demo.ts';
import {
  type Args,
  callAndLeave,
  caller,
  events,
  isKept,
  newTeamDemo,
  sessions,
} from './lost-answers.ts';

const DONE = { outputs: { result: 'a.md' } };

describe('a call that differs from the one whose answer was lost', () => {
  async function lost(
    tool: string,
    args: Args,
    event: string,
    before: readonly (readonly [tool: string, args: Args])[] = [],
  ) {
    const project = newTeamDemo();
    const server = await serveOverHttp(project.root);
    const call = await caller(server);
    for (const each of before) await call(...each);
    await callAndLeave(server, tool, args);
    await isKept(project, event, 0);
    return { project, call };
  }

  test('a start with another context starts a second session', async () => {
    const started = { ...START, context: { size: 'small' } };
    const { project, call } = await lost('start_workflow', started, 'started');
    await call('start_workflow', { ...START, context: { size: 'large' } });
    expect(sessions(project)).toHaveLength(2);
  });

  test('an abort for another reason gives up the workflow below', async () => {
    const { project, call } = await lost('abort_workflow', { explanation: 'One' }, 'aborted', [
      ['start_workflow', START],
      ['start_workflow', { ...START, workflow_name: 'short' }],
    ]);
    const { data } = await call('abort_workflow', { explanation: 'Two' });
    expect(data).toMatchObject({ aborted_workflow: 'demo/main', explanation: 'Two' });
    expect(events(project, 'aborted')).toBe(2);
  });
});

describe('a call that is equal to several before', () => {
  const OTHER = { outputs: { result: 'b.md' } };

  async function newRow() {
    const project = newTeamDemo();
    project.write('b.md', 'B');
    const outputs = { result: 'file' } as const;
    const steps = { w: { outputs }, x: { outputs }, y: { outputs }, z: { outputs } };
    writeJob(project, 'row', steps, { main: ['w', 'x', 'y', 'z'] });
    const server = await serveOverHttp(project.root);
    const call = await caller(server);
    await call('start_workflow', { goal: 'g', job_name: 'row', workflow_name: 'main' });
    const finishAndLeave = async () => {
      const before = events(project, 'judged');
      await callAndLeave(server, 'finished_step', DONE);
      await isKept(project, 'judged', before);
    };
    return { project, call, finishAndLeave };
  }

  test('is taken for the newest of them, whose answer was lost', async () => {
    const { project, call, finishAndLeave } = await newRow();
    await call('finished_step', DONE);
    await finishAndLeave();
    await call('finished_step', OTHER);
    const { data } = await call('finished_step', DONE);
    expect(data).toMatchObject({ status: 'next_step', begin_step: { step_id: 'z' } });
    expect(events(project, 'judged')).toBe(3);
  });

  test('is taken for none of them after the work went back to before them', async () => {
    const { call, finishAndLeave } = await newRow();
    await finishAndLeave();
    await call('finished_step', OTHER);
    await call('go_to_step', { step_id: 'w' });
    const { data } = await call('finished_step', DONE);
    expect(data).toMatchObject({ status: 'next_step', begin_step: { step_id: 'x' } });
  });
});

describe('a call about a run that was aborted', () => {
  const SHORT = { ...START, workflow_name: 'short' };

  async function abortedAfterTheSame() {
    const project = newTeamDemo();
    const server = await serveOverHttp(project.root);
    const call = await caller(server);
    await call('start_workflow', SHORT);
    return { project, server, call };
  }

  test('is not answered by an earlier run that accepted the same', async () => {
    const { call } = await abortedAfterTheSame();
    expect((await call('finished_step', DONE)).data.status).toBe('workflow_complete');
    await call('start_workflow', SHORT);
    await call('abort_workflow', { explanation: 'Not needed' });
    const { isError, text } = await call('finished_step', DONE);
    expect([isError, text]).toEqual([true, expect.stringContaining('No active workflow session')]);
  });

  test('is answered by an earlier run whose answer was lost', async () => {
    const { project, server, call } = await abortedAfterTheSame();
    await callAndLeave(server, 'finished_step', DONE);
    await isKept(project, 'judged', 0);
    await call('start_workflow', SHORT);
    await call('abort_workflow', { explanation: 'Not needed' });
    expect((await call('finished_step', DONE)).data.status).toBe('workflow_complete');
  });
});
