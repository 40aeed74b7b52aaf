// The loop of a run, with work that changes just when the loop looks away. No watch reports that
// change: what happens before a watch begins is not reported by it.

import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { WorkState } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import { openRunStore } from '../engine/unattended/run-store.ts';
import { openWorkspace } from '../engine/workspace.ts';
import { openReport } from './report.ts';
import { type RunLoop, runLoop } from './run-loop.ts';
import type { PlannedTurn, Work } from './work.ts';

const RUN = '0badcafe';

async function newRun(work: Partial<Work>): Promise<RunLoop & { readonly started: RunRecord }> {
  const workspace = openWorkspace({ projectRoot: tempFolder() });
  onTestFinished(() => workspace.close());
  const { journal, clock, processes } = workspace;
  const runs = openRunStore(journal, clock, processes);
  const started = await runs.start({
    type: 'run_started',
    at: clock(),
    data: {
      run_id: RUN,
      kind: 'workflow',
      identity: 'worker',
      workflow: 'demo/main',
      goal: 'Try it',
      agent: null,
      on_limit: 'wait',
      continues: false,
      worktree: null,
      budgets: { max_turns: 1, max_usd: null, max_minutes: null },
      process: processes.own(),
    },
  });
  return {
    workspace,
    runs,
    started,
    cwd: workspace.paths.root,
    stop: new AbortController().signal,
    report: openReport({ isJson: true, print: () => {}, forPeople: (text) => text }),
    server: {
      url: 'http://127.0.0.1:1/mcp',
      issueToken: () => ({ token: 'token', refused: () => null, end: () => {} }),
      answered: async () => {},
      stop: async () => {},
    },
    work: {
      state: async () => ({ kind: 'open' }),
      plan: async () => expect.unreachable('No turn is planned here'),
      mark: async () => ({ hasAdvanced: async () => true }),
      lastWorkAt: async () => null,
      watch: () => () => {},
      ...work,
    },
  };
}

/** A turn of an agent that does nothing for a minute. */
function sleepingTurn(): PlannedTurn {
  return {
    identity: 'worker',
    stack: null,
    stepId: 'draft',
    place: 'draft',
    prompt: 'Draft it.',
    agent: {
      name: 'sleeper',
      mayReportCost: false,
      readObject: () => ({}),
      readText: () => ({}),
      start: () => ({ program: '/bin/sleep', args: ['60'], env: {}, input: '' }),
    },
  };
}

test('an answer that comes as the run begins to wait for it is taken', async () => {
  let state: WorkState = { kind: 'waiting', questions: ['q-1'] };
  const { started, ...loop } = await newRun({
    state: async () => state,
    async takeAnswer() {
      expect(state.kind).toBe('answered');
      state = { kind: 'complete' };
    },
  });
  const waiting = () => {
    state = { kind: 'answered' };
  };
  const stopped = await runLoop({ ...loop, report: { ...loop.report, waiting } }, started);
  expect(stopped).toMatchObject({ reason: 'complete' });
});

test('a signal that comes before an answer is applied ends the waiting for it', async () => {
  const signal = new AbortController();
  const { started, ...loop } = await newRun({
    async state() {
      signal.abort();
      return { kind: 'answered' };
    },
    takeAnswer: (_record, ended) =>
      new Promise((resolve) => {
        if (ended.aborted) resolve();
        ended.addEventListener('abort', () => resolve());
      }),
  });
  const stopped = await runLoop({ ...loop, stop: signal.signal }, started);
  expect(stopped).toMatchObject({ reason: 'stopped' });
});

test('a signal that comes while a turn is planned begins no turn', async () => {
  const signal = new AbortController();
  const { started, ...loop } = await newRun({
    async plan() {
      signal.abort();
      return sleepingTurn();
    },
  });
  const stopped = await runLoop({ ...loop, stop: signal.signal }, started);
  expect(stopped).toMatchObject({ reason: 'stopped' });
  expect((await loop.runs.load(RUN))?.turns).toEqual([]);
});

test('a person who stops the run as a turn begins ends that turn', async () => {
  const { started, ...loop } = await newRun({
    async plan() {
      await loop.runs.askStop(RUN, 'Ada', 'Wrong branch');
      return sleepingTurn();
    },
  });
  const stopped = await runLoop(loop, started);
  expect(stopped).toMatchObject({ reason: 'stopped', detail: 'Ada stopped it: Wrong branch' });
});
