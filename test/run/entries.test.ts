// Runs through loops, lists and approvals: what an agent does in each, what the runner does
// itself when a person has spoken, and what counts as progress.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newRepository } from '../support/repository.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  beginProcess,
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

const SLOW = 60_000;

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

async function answer({ project, home }: Scene, ...how: readonly string[]): Promise<void> {
  const options = { cwd: project.root, env: { HOME: home } };
  const answered = await command(['answer', ...how], options);
  expect(answered.code, answered.stderr).toBe(0);
}

function stepsOf({ events }: EndedRun): string[] {
  return events.filter(({ event }) => event === 'turn_started').map(({ step_id }) => step_id);
}

test(
  'an approval takes no turn: the runner waits, and takes the answer itself',
  async () => {
    verifies('RUN-1', 'LANG-5');
    const scene = newLanguageScene(PLANNED);
    const running = begin(scene, demoArguments(['fresh'], ['--max-turns', '3']));
    await waitsFor(scene, running, 'q-1');
    await answer(scene, 'q-1', '--choose', 'Reject', '--other', 'Say who pays for it');
    await waitsFor(scene, running, 'q-2');
    const [, again] = turnsOf(scene);
    expect(again.prompt).toContain("step 1 of 3: 'plan'");
    expect(again.prompt).toContain('Last feedback: Say who pays for it');
    await answer(scene, 'q-2', '--choose', 'Approve');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(0);
    expect(stepsOf(ran)).toEqual(['plan', 'plan', 'build']);
    const decided = typesOf(journalOf(scene, 'session')).filter((type) => type !== 'asked');
    expect(decided).toEqual(['started', 'judged', 'rejected', 'judged', 'approved', 'judged']);
  },
  SLOW,
);

test(
  'an answer given while no runner lives is taken by the next, without a turn',
  async () => {
    verifies('RUN-1', 'LANG-5');
    const scene = newLanguageScene(PLANNED);
    const running = beginProcess(scene, demoArguments(['fresh']));
    await waitsFor(scene, running, 'q-1');
    process.kill(runnerOf(scene), 'SIGKILL');
    await running.ended;
    await answer(scene, 'q-1', '--choose', 'Approve');
    const ran = await finish(begin(scene, ['--resume', '--json']));
    expect(ran.code, ran.err).toBe(0);
    expect(stepsOf(ran)).toEqual(['build']);
    expect(acceptedSteps(scene)).toEqual({ plan: 1, build: 1 });
  },
  SLOW,
);

test(
  'a dismissed approval is asked anew, and one about changed files is void',
  async () => {
    verifies('LANG-5');
    const scene = newLanguageScene(PLANNED);
    const running = begin(scene, demoArguments(['fresh'], ['--max-turns', '2']));
    await waitsFor(scene, running, 'q-1');
    await answer(scene, 'q-1', '--dismiss');
    await waitsFor(scene, running, 'q-2');
    scene.project.write('plan.md', 'Changed by hand.\n');
    await answer(scene, 'q-2', '--choose', 'Approve');
    await waitsFor(scene, running, 'q-3');
    expect(typesOf(journalOf(scene, 'session'))).not.toContain('approved');
    await answer(scene, 'q-3', '--choose', 'Approve');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(0);
    expect(stepsOf(ran)).toEqual(['plan', 'build']);
  },
  SLOW,
);

test(
  'a rejection that leads nowhere stops the run at once, and a person can go on from there',
  async () => {
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
    expect(detail).toContain("Rejected at 'go_ahead': Say who pays for it");
    const { id } = ran.events[0];
    expect(detail).toContain(
      `deepwork redo ${id} plan --reason "…", and then deepwork run --resume ${id}`,
    );
    // Nothing has changed: the same reason, and still nothing is spent.
    const again = await finish(begin(scene, ['--resume', '--json']));
    expect(again.code, again.err).toBe(1);
    expect(again.events.at(-1).detail).toBe(detail);
    expect(turnsOf(scene)).toHaveLength(1);
    // About other files the person is asked anew.
    scene.project.write('plan.md', 'Ann pays.\n');
    const resumed = begin(scene, ['--resume', '--json']);
    await waitsFor(scene, resumed, 'q-2');
    await answer(scene, 'q-2', '--choose', 'Approve');
    const rest = await finish(resumed);
    expect(rest.code, rest.err).toBe(0);
    expect(stepsOf(rest)).toEqual(['build']);
  },
  SLOW,
);

test(
  'after such a rejection the commands that the run names lead on',
  async () => {
    verifies('RUN-1', 'LANG-5');
    const scene = newLanguageScene({ ...PLANNED, entries: ['plan', approve({}), 'build'] });
    const running = begin(scene, demoArguments(['fresh']));
    await waitsFor(scene, running, 'q-1');
    await answer(scene, 'q-1', '--choose', 'Reject', '--other', 'Say who pays for it');
    const { events } = await finish(running);
    const { project, home } = scene;
    const redo = ['redo', events[0].id, 'plan', '--reason', 'Say who pays for it'];
    const sent = await command(redo, { cwd: project.root, env: { HOME: home } });
    expect(sent.code, sent.stderr).toBe(0);
    const resumed = begin(scene, ['--resume', events[0].id, '--json']);
    await waitsFor(scene, resumed, 'q-2');
    await answer(scene, 'q-2', '--choose', 'Approve');
    const rest = await finish(resumed);
    expect(rest.code, rest.err).toBe(0);
    // The first call after a redo has no effect: its answer tells the agent of it.
    expect(stepsOf(rest)).toEqual(['plan', 'plan', 'build']);
  },
  SLOW,
);

test(
  'so does one rejection more than on_reject allows, until it allows more',
  async () => {
    verifies('RUN-1', 'LANG-5');
    const entries = (max: number) => [
      'plan',
      approve({ on_reject: { go_to: 'plan', max } }),
      'build',
    ];
    const scene = newLanguageScene({ ...PLANNED, entries: entries(1) });
    const running = begin(scene, demoArguments(['fresh']));
    await waitsFor(scene, running, 'q-1');
    await answer(scene, 'q-1', '--choose', 'Reject', '--other', 'Once more');
    await waitsFor(scene, running, 'q-2');
    await answer(scene, 'q-2', '--choose', 'Reject', '--other', 'Still not');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(1);
    expect(stepsOf(ran)).toEqual(['plan', 'plan']);
    expect(ran.events.at(-1).detail).toContain("Rejected at 'go_ahead': Still not");
    const job = scene.project.path('.deepwork/jobs/demo/job.yml');
    writeFileSync(job, readFileSync(job, 'utf8').replace(/max: 1$/m, 'max: 2'));
    const resumed = begin(scene, ['--resume', '--json']);
    await waitsFor(scene, resumed, 'q-3');
    expect(turnsOf(scene).at(-1).prompt).toContain('Last feedback: Still not');
    await answer(scene, 'q-3', '--choose', 'Approve');
    const rest = await finish(resumed);
    expect(rest.code, rest.err).toBe(0);
    expect(stepsOf(rest)).toEqual(['plan', 'build']);
  },
  SLOW,
);

test('an agent that goes on waiting at an approval is ended, and nothing is spent', async () => {
  verifies('RUN-1');
  const scene = newLanguageScene(PLANNED);
  const running = begin(scene, demoArguments(['waits', 'fresh']));
  const said = '"event":"waiting_for_person"';
  await until(() => running.out().includes(said));
  expect(isAlive(turnsOf(scene)[0].pid)).toBe(false);
  await answer(scene, 'q-1', '--choose', 'Approve');
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  const [first] = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(first).toMatchObject({ step_id: 'plan', advanced: true });
  expect(stepsOf(ran)).toEqual(['plan', 'build']);
}, 90_000);

const LOOPED = {
  entries: [
    'plan',
    {
      loop: {
        name: 'polish',
        steps: ['draft'],
        max: 4,
        until: {
          output: 'draft.draft',
          rules: [{ type: 'contains', value: 'green', message: 'It is not green' }],
        },
      },
    },
    { for_each: { name: 'each', items: 'plan.plan', step: 'port', max_parallel: 2 } },
    approve({}),
  ],
  steps: {
    plan: 'Write exactly: ["one", "two", "three", "four"]',
    draft: 'Draft it.',
    port: 'Port {{ item }}.',
  },
};

test(
  'every pass and every item is progress, and a loop out of passes waits for a person',
  async () => {
    verifies('RUN-1', 'LANG-3', 'LANG-4');
    const scene = newLanguageScene(LOOPED);
    const running = begin(scene, demoArguments(['honest']));
    await waitsFor(scene, running, 'q-1');
    expect(turnsOf(scene)).toHaveLength(5);
    await answer(scene, 'q-1', '--choose', 'One pass more', '--other', 'Try green ink');
    await waitsFor(scene, running, 'q-2');
    expect(turnsOf(scene).at(-1).prompt).toContain(
      "Loop 'polish', pass 5 of at most 4. Why there is one more: Try green ink",
    );
    await answer(scene, 'q-2', '--choose', 'Go on as it is');
    await waitsFor(scene, running, 'q-3');
    await answer(scene, 'q-3', '--choose', 'Approve');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(0);
    const drafts = Array.from({ length: 5 }, () => 'draft');
    const items = ['port#1', 'port#2', 'port#3', 'port#4'];
    expect(stepsOf(ran)).toEqual(['plan', ...drafts, ...items]);
    const ended = ran.events.filter(({ event }) => event === 'turn_ended');
    expect(ended.map(({ advanced }) => advanced)).toEqual(ended.map(() => true));
    expect(turnsOf(scene).at(-1).prompt).toContain('Port four.');
  },
  SLOW,
);

const GUARDED = {
  type: 'file',
  description: 'It',
  required: true,
  rules: [{ type: 'contains', value: 'Done', message: 'Say something good' }],
};

test(
  'refused items are no progress: three of them in a row stall',
  async () => {
    verifies('RUN-1');
    const port = { outputs: { port: GUARDED } };
    const scene = newLanguageScene({
      ...LOOPED,
      entries: ['plan', LOOPED.entries[2]],
      more: { port },
    });
    const ran = await finish(begin(scene, demoArguments(['honest', 'honest', 'wrong'])));
    expect(ran.code, ran.err).toBe(5);
    expect(stepsOf(ran)).toEqual(['plan', 'port#1', 'port#2', 'port#2', 'port#2']);
  },
  SLOW,
);

test('a prompt has everything: inputs, the pass and why, reports, the item', async () => {
  verifies('RUN-1', 'CLIENT-3');
  const reports = { green: { type: 'boolean', description: 'Is it green?' } };
  const scene = newLanguageScene({
    inputs: { issue: { description: 'Which', default: 'the first' } },
    entries: [
      'plan',
      { loop: { name: 'polish', steps: ['draft'], max: 3, until: { when: { var: 'green' } } } },
      LOOPED.entries[2],
    ],
    steps: { ...LOOPED.steps, port: 'Port it.' },
    more: { draft: { reports } },
  });
  const ran = await finish(begin(scene, demoArguments(['honest'])));
  expect(ran.code, ran.err).toBe(0);
  expect(stepsOf(ran)).toHaveLength(6);
  const [, draft, port] = turnsOf(scene).map(({ prompt }) => prompt);
  expect(draft).toContain('Inputs of the workflow:\n- issue: the first\n');
  expect(draft).toContain("Loop 'polish', pass 1 of at most 3\n");
  expect(draft).toContain('- green (boolean, required): Is it green?');
  expect(draft).toContain('"context":{"green":"<boolean>"}}');
  expect(port).toContain('Item 1 of 4: "one"');
});

test(
  'a person who gives a loop up ends the run',
  async () => {
    verifies('RUN-1', 'LANG-3');
    const [, loop] = LOOPED.entries as [string, { loop: object }];
    const entries = [{ loop: { ...loop.loop, max: 1 } }];
    const scene = newLanguageScene({ entries, steps: { draft: 'Draft it.' } });
    const running = begin(scene, demoArguments(['honest']));
    await waitsFor(scene, running, 'q-1');
    await answer(scene, 'q-1', '--choose', 'Abort');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(1);
    expect(journalOf(scene, 'run').at(-1)?.data.reason).toBe('aborted');
    expect(stepsOf(ran)).toEqual(['draft']);
  },
  SLOW,
);

test(
  'in a worktree a person approves the files that the agent wrote there',
  async () => {
    verifies('RUN-5', 'LANG-5');
    const scene = newLanguageScene(PLANNED);
    const { git } = newRepository(scene.project.root);
    git('add', '-A');
    git('commit', '-qm', 'before');
    const running = begin(scene, demoArguments(['fresh'], ['--max-turns', '3', '--worktree']));
    await waitsFor(scene, running, 'q-1');
    const events = journalOf(scene, 'session');
    const accepted = events.find(({ type }) => type === 'judged')?.data.accepted[0];
    const asked = events.find(({ type }) => type === 'asked')?.data;
    expect(asked.files).toEqual(accepted.files);
    await answer(scene, 'q-1', '--choose', 'Approve');
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(0);
  },
  SLOW,
);

test('a workflow that the job does not have is not run as another one', async () => {
  verifies('RUN-1');
  const scene = newLanguageScene(PLANNED);
  const args = demoArguments(['fresh']).map((each) => (each === 'demo/main' ? 'demo/mian' : each));
  const ran = await finish(begin(scene, args));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("Workflow 'mian' not found in job 'demo'. Available workflows: main");
});
