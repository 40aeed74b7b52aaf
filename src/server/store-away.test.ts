// A call repeated while the store comes and goes: at whatever moment it goes away, the call is answered
// or refused because the store is away, and never because its session does not exist.

import { expect, onTestFinished, test } from 'vitest';
import { newProject, writeJob } from '../../test/support/project.ts';
import { verifies } from '../../test/verifies.ts';
import type { CallContext } from '../engine/call-context.ts';
import { openWorkspace } from '../engine/workspace.ts';
import { outcomeUnknown, storeUnavailable } from '../journal/postgres/unavailable.ts';
import type { Operation } from '../operations/operation.ts';
import { findOperation } from '../operations/table.ts';
import { stdioCaller } from './caller-identity.ts';
import { callTool } from './tools.ts';

function openServer() {
  const project = newProject({ 'o.md': 'Done\n' });
  writeJob(project, 'demo', { a: { outputs: { o: 'file' } } }, { main: ['a'] });
  const opened = openWorkspace({ projectRoot: project.root });
  onTestFinished(() => opened.stop());
  let left = Number.POSITIVE_INFINITY;
  let loads = 0;
  const load = async (id: string) => {
    loads += 1;
    left -= 1;
    if (left >= 0) return opened.store.load(id);
    throw storeUnavailable('db.example:5432/work', {
      kind: 'away',
      code: 'ECONNREFUSED',
      why: 'connection refused',
    });
  };
  const origin = {
    workspace: { ...opened, store: { ...opened.store, load } },
    ...stdioCaller({}),
  };
  const { signal } = new AbortController();
  // No answer arrives, so the caller makes the call again.
  const afterAnswer: CallContext['afterAnswer'] = (work) => void work(false);
  const context = { ...origin, signal, progress: () => {}, afterAnswer };
  const log = { call() {}, fault: () => 'none' };
  return {
    call: (name: string, given: object) =>
      callTool(findOperation(name) as Operation, given, context, log),
    kept: (id: string) => opened.store.load(id),
    /** The store is away after so many more loads; the number of those so far. */
    awayAfter(more: number) {
      left = more;
      const before = loads;
      loads = 0;
      return before;
    },
  };
}

const START = { goal: 'Go', job_name: 'demo', workflow_name: 'main' };

test.each([
  ['finished_step', { outputs: { o: 'o.md' } }],
  ['abort_workflow', { explanation: 'Enough' }],
])('%s made again after its session ended knows a store that is away', async (tool, given) => {
  verifies('STORE-4');
  const { call, awayAfter } = openServer();
  const { result } = await call('start_workflow', START);
  const { begin_step } = result.structuredContent as { begin_step: { session_id: string } };
  const ending = { ...given, session_id: begin_step.session_id };
  expect((await call(tool, ending)).refusal).toBeNull();
  awayAfter(Number.POSITIVE_INFINITY);
  expect((await call(tool, ending)).refusal).toBeNull();
  const loads = awayAfter(0);
  expect(loads).toBeGreaterThan(0);
  for (let more = 0; more < loads; more += 1) {
    awayAfter(more);
    const { refusal } = await call(tool, ending);
    expect(refusal?.code ?? 'answered', `after ${more} loads`).toMatch(
      /^(?:store_unavailable|answered)$/,
    );
  }
});

test('a submission that is on record is answered, whenever the store goes away after that', async () => {
  verifies('STORE-4');
  const { call, awayAfter, kept } = openServer();
  for (let more = 0; more < 12; more += 1) {
    awayAfter(Number.POSITIVE_INFINITY);
    const { result } = await call('start_workflow', { ...START, goal: `Go ${more}` });
    const { begin_step } = result.structuredContent as { begin_step: { session_id: string } };
    const { session_id } = begin_step;
    awayAfter(more);
    const { refusal } = await call('finished_step', { outputs: { o: 'o.md' }, session_id });
    const isAccepted = (await kept(session_id))?.status === 'completed';
    expect(refusal === null, `after ${more} loads`).toBe(isAccepted);
  }
});

test('a start that failed after it was recorded is the same session when it is made again', async () => {
  verifies('STORE-4');
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { o: 'file' } } }, { main: ['a'] });
  const opened = openWorkspace({ projectRoot: project.root });
  onTestFinished(() => opened.stop());
  let isAway = true;
  const endedByPerson: typeof opened.stacks.endedByPerson = async (owner) => {
    if (isAway) throw outcomeUnknown('db.example:5432/work', 'the connection broke');
    return opened.stacks.endedByPerson(owner);
  };
  const workspace = { ...opened, stacks: { ...opened.stacks, endedByPerson } };
  const log = { call() {}, fault: () => 'none' };
  const start = async () => {
    const answered: ((delivered: boolean) => Promise<void>)[] = [];
    const context = {
      workspace,
      ...stdioCaller({}),
      progress: () => {},
      signal: new AbortController().signal,
      afterAnswer: (work: (delivered: boolean) => Promise<void>) => void answered.push(work),
    };
    const called = await callTool(
      findOperation('start_workflow') as Operation,
      START,
      context,
      log,
    );
    for (const work of answered) await work(true);
    return called;
  };
  expect((await start()).refusal).toMatchObject({ code: 'store_outcome_unknown' });
  isAway = false;
  expect((await start()).refusal).toBeNull();
  expect(await opened.store.active()).toHaveLength(1);
});
