// A check of a loop, or what a person's answer leads to, that ends when no call waits for it. The
// agent was told to make the same call again: that call asks for the outcome, and is never taken as
// the work of the next pass, however soon after the end it comes.

import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../src/engine/workspace.ts';
import { openPlayer } from '../../src/simulate/player.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  type Answered,
  entriesProject,
  questionIn,
  type Run,
  type RunSpec,
  START,
  startRun,
} from './entries.ts';

/** Goes on until the file `go` is there, and is not satisfied then. */
const CHECK = `echo run >> runs.txt; while [ ! -e go ]; do sleep 0.05; done; exit 1`;

const APPROVE = { approve: { name: 'look_at', question: 'Good?', show: ['fix.report'] } };

function loopOver(...entries: readonly unknown[]): RunSpec {
  const check = { name: 'tests', run: 'sh check.sh', timeout_seconds: 60 };
  return {
    entries: [{ loop: { name: 'rounds', steps: entries, until: { check }, max: 5 } }],
    steps: { fix: { outputs: { report: 'file?' } } },
    files: { 'report.md': 'red', 'check.sh': CHECK },
    within: 1,
  };
}

const REPORT = { report: 'report.md' };

/** The check that runs now ends, and its pass with it, while no call waits. */
async function endPass(
  run: Pick<Run, 'project'>,
  isOver: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(() => existsSync(run.project.path('runs.txt')));
  run.project.write('go', '');
  await until(isOver);
}

function expectOneCheck({ project }: Pick<Run, 'project'>): void {
  expect(readFileSync(project.path('runs.txt'), 'utf8')).toBe('run\n');
}

const hasEnded = ({ history }: Answered): boolean =>
  history.some(({ event }: Answered) => event === 'loop_judged');

test('a call that names its step gets the outcome of the check that it was told to wait for', async () => {
  verifies('LANG-3');
  const run = await startRun(loopOver('fix'));
  const call = { step_id: 'fix' };
  expect(await run.finish(REPORT, call)).toMatchObject({ reason: 'still_running' });
  await endPass(run, () => hasEnded(run.view()));
  const { begin_step } = await run.finish(REPORT, call);
  expect(begin_step).toMatchObject({ step_id: 'fix', loop: { pass: 2 } });
  expectOneCheck(run);
  // Once it was told, the same call means the pass that is open.
  expect((await run.finish(REPORT, call)).begin_step.loop).toMatchObject({ pass: 3 });
});

test('a call that waited for a person gets what the answer has led to', async () => {
  verifies('LANG-3', 'LANG-5');
  const run = await startRun(loopOver('fix', APPROVE));
  await run.finish(REPORT);
  const question = questionIn(await run.finish({}));
  expect((await run.person(question, '--choose', 'Approve')).code).toBe(0);
  expect(await run.finish({})).toMatchObject({ reason: 'still_running' });
  await endPass(run, () => hasEnded(run.view()));
  const { begin_step } = await run.finish({});
  expect(begin_step).toMatchObject({ step_id: 'fix', loop: { pass: 2 } });
  expect(run.view().step_progress.fix.completed_at).toBeNull();
  expectOneCheck(run);
});

test('a call that ended a nested run gets the next pass of the loop around it', async () => {
  verifies('LANG-3', 'LANG-6');
  const sub = { run: { name: 'sub', job: 'other', workflow: 'main' } };
  const jobs = { other: { entries: ['note'], steps: { note: {} } } };
  const run = await startRun({ ...loopOver('fix', sub), jobs });
  expect((await run.finish(REPORT)).begin_step.step_id).toBe('note');
  expect(await run.finish({})).toMatchObject({ reason: 'still_running' });
  await endPass(run, () => hasEnded(run.view()));
  const { begin_step } = await run.finish({});
  expect(begin_step).toMatchObject({ step_id: 'fix', loop: { pass: 2 } });
  expect(run.view().step_progress.fix.completed_at).toBeNull();
  expectOneCheck(run);
});

test('it does so before anything else has noted that no call waited', async () => {
  verifies('LANG-3');
  const project = entriesProject(loopOver('fix'));
  const opened = openWorkspace({ projectRoot: project.root, trusted: true, onProblem: () => {} });
  // As it is between the end of the pass and that note.
  const lostAnswers = { ...opened.lostAnswers, lose: () => {} };
  const player = openPlayer({ ...opened, lostAnswers }, 'agent');
  onTestFinished(() => player.close());
  const { begin } = await player.call('start_workflow', START);
  const id = begin?.session_id ?? '';
  const call = { outputs: REPORT };
  expect(await player.call('finished_step', call)).toMatchObject({ status: 'needs_work' });
  const pass = async () => (await player.session(id))?.position.loops?.at(-1)?.pass;
  await endPass({ project }, async () => (await pass()) === 2);
  const answer = await player.call('finished_step', call);
  expect(answer.begin).toMatchObject({ step_id: 'fix', loop: { pass: 2 } });
  expect(await pass()).toBe(2);
  expectOneCheck({ project });
});
