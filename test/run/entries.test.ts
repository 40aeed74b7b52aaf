// Runs through loops, lists and approvals: what an agent does in each, what the runner does
// itself when a person has spoken, and what counts as progress.

import { expect, test } from 'vitest';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  beginProcess,
  by,
  demoArguments,
  type EndedRun,
  finish,
  journalOf,
  newLanguageScene,
  type RunningRun,
  runnerOf,
  type Scene,
  turnsOf,
  typesOf,
} from './support.ts';

function approve(more: object = { on_reject: { go_to: 'plan', max: 2 } }) {
  return {
    approve: { name: 'go_ahead', question: 'Good enough?', show: ['plan.plan'], ...more },
  };
}

const PLANNED = {
  entries: ['plan', approve(), 'build'],
  steps: { plan: 'Plan it.', build: 'Build it.' },
};

/** Waits until the run waits for that question, and has no agent. */
async function waitsFor(scene: Scene, running: RunningRun, question: string): Promise<void> {
  const said = `{"event":"waiting_for_person","questions":["${question}"]}`;
  await until(() => running.out().includes(said));
  expect(isAlive(turnsOf(scene).at(-1).pid)).toBe(false);
}

async function answer(scene: Scene, ...how: readonly string[]): Promise<void> {
  const answered = await by(scene, 'answer', ...how);
  expect(answered.code, answered.stderr).toBe(0);
}

async function completed(running: RunningRun): Promise<EndedRun> {
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  return ran;
}

function stepsOf({ events }: EndedRun): string[] {
  return events.filter(({ event }) => event === 'turn_started').map(({ step_id }) => step_id);
}

test('an approval takes no turn: the runner waits, and takes what the person says itself', async () => {
  verifies('RUN-1', 'LANG-5');
  const scene = newLanguageScene(PLANNED);
  const running = begin(scene, demoArguments(['fresh'], ['--max-turns', '3']));
  await waitsFor(scene, running, 'q-1');
  await answer(scene, 'q-1', '--choose', 'Reject', '--other', 'Say who pays for it');
  await waitsFor(scene, running, 'q-2');
  expect(turnsOf(scene)[1].prompt).toContain('Say who pays for it');
  // Dismissed, it is asked anew; about changed files, the answer is void.
  await answer(scene, 'q-2', '--dismiss');
  await waitsFor(scene, running, 'q-3');
  scene.project.write('plan.md', 'Changed by hand.\n');
  await answer(scene, 'q-3', '--choose', 'Approve');
  await waitsFor(scene, running, 'q-4');
  expect(typesOf(journalOf(scene, 'session'))).not.toContain('approved');
  await answer(scene, 'q-4', '--choose', 'Approve');
  expect(stepsOf(await completed(running))).toEqual(['plan', 'plan', 'build']);
  const decided = typesOf(journalOf(scene, 'session')).filter((type) => type !== 'asked');
  expect(decided).toEqual(['started', 'judged', 'rejected', 'judged', 'approved', 'judged']);
});

test('an answer given while no runner lives is taken by the next, without a turn', async () => {
  verifies('RUN-1', 'LANG-5');
  const scene = newLanguageScene(PLANNED);
  const running = beginProcess(scene, demoArguments(['fresh']));
  await waitsFor(scene, running, 'q-1');
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  await answer(scene, 'q-1', '--choose', 'Approve');
  const ran = await completed(begin(scene, ['--resume', '--json']));
  expect(stepsOf(ran)).toEqual(['build']);
  expect(acceptedSteps(scene)).toEqual({ plan: 1, build: 1 });
});

test('a rejection that leads nowhere stops the run at once, and a person can go on from there', async () => {
  verifies('RUN-1', 'LANG-5');
  const scene = newLanguageScene({ ...PLANNED, entries: ['plan', approve({}), 'build'] });
  const running = begin(scene, demoArguments(['fresh']));
  await waitsFor(scene, running, 'q-1');
  await answer(scene, 'q-1', '--choose', 'Reject', '--other', 'Say who pays for it');
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(stepsOf(ran)).toEqual(['plan']);
  const { reason, detail } = journalOf(scene, 'run').at(-1)?.data ?? {};
  expect(reason).toBe('failed');
  const redo = ['redo', ran.events[0].id, 'plan', '--reason'];
  for (const named of ['go_ahead', 'Say who pays for it', redo.join(' ')]) {
    expect(detail).toContain(named);
  }
  // Nothing has changed: the same reason, and still nothing is spent.
  const again = await finish(begin(scene, ['--resume', '--json']));
  expect(again.code, again.err).toBe(1);
  expect(again.events.at(-1).detail).toBe(detail);
  expect(turnsOf(scene)).toHaveLength(1);
  const sent = await by(scene, ...redo, 'x');
  expect(sent.code, sent.stderr).toBe(0);
  const resumed = begin(scene, ['--resume', '--json']);
  await waitsFor(scene, resumed, 'q-2');
  await answer(scene, 'q-2', '--choose', 'Approve');
  // The first call after a redo has no effect: its answer tells the agent of it.
  expect(stepsOf(await completed(resumed))).toEqual(['plan', 'plan', 'build']);
});

test('an agent that goes on waiting at an approval is ended, and nothing is spent', async () => {
  verifies('RUN-1');
  const scene = newLanguageScene(PLANNED);
  const running = begin(scene, demoArguments(['waits', 'fresh']));
  await waitsFor(scene, running, 'q-1');
  await answer(scene, 'q-1', '--choose', 'Approve');
  const ran = await completed(running);
  const [first] = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(first).toMatchObject({ step_id: 'plan', advanced: true });
  expect(stepsOf(ran)).toEqual(['plan', 'build']);
});

const rules = [{ type: 'contains', value: 'green', message: 'It is not green' }];
const polish = (max: number) => ({
  loop: { name: 'polish', steps: ['draft'], max, until: { output: 'draft.draft', rules } },
});

test('every pass and every item is progress, and a loop out of passes waits for a person', async () => {
  verifies('RUN-1', 'LANG-3', 'LANG-4');
  const each = { name: 'each', items: 'plan.plan', step: 'port', max_parallel: 2 };
  const scene = newLanguageScene({
    entries: ['plan', polish(4), { for_each: each }],
    steps: {
      plan: 'Write exactly: ["one", "two", "three", "four"]',
      draft: 'Draft it.',
      port: 'Port {{ item }}.',
    },
  });
  const running = begin(scene, demoArguments(['honest']));
  await waitsFor(scene, running, 'q-1');
  expect(turnsOf(scene)).toHaveLength(5);
  await answer(scene, 'q-1', '--choose', 'One pass more', '--other', 'Try green ink');
  await waitsFor(scene, running, 'q-2');
  expect(turnsOf(scene).at(-1).prompt).toContain('Try green ink');
  await answer(scene, 'q-2', '--choose', 'Go on as it is');
  const ran = await completed(running);
  const drafts = Array.from({ length: 5 }, () => 'draft');
  const items = ['port#1', 'port#2', 'port#3', 'port#4'];
  expect(stepsOf(ran)).toEqual(['plan', ...drafts, ...items]);
  const ended = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(ended.filter(({ advanced }) => !advanced)).toEqual([]);
  expect(turnsOf(scene).at(-1).prompt).toContain('Port four.');
});

test('a person who gives a loop up ends the run', async () => {
  verifies('RUN-1', 'LANG-3');
  const scene = newLanguageScene({ entries: [polish(1)], steps: { draft: 'Draft it.' } });
  const running = begin(scene, demoArguments(['honest']));
  await waitsFor(scene, running, 'q-1');
  await answer(scene, 'q-1', '--choose', 'Abort');
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(journalOf(scene, 'run').at(-1)?.data.reason).toBe('aborted');
  expect(stepsOf(ran)).toEqual(['draft']);
});
