// Agents of every kind, run by the built command: how each run ends, and what is on record.

import { expect, test } from 'vitest';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { call } from './mcp-call.cjs';
import {
  acceptedSteps,
  begin,
  beginProcess,
  childrenOf,
  demoArguments,
  finish,
  journalOf,
  newScene,
  runDemo,
  runnerOf,
  scripted,
  turnsOf,
  typesOf,
} from './support.ts';

test('an honest agent completes a workflow, one turn for each step', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const ran = await finish(beginProcess(scene, demoArguments(['honest'])));
  expect(ran.code, ran.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ draft: 1, publish: 1 });
  const events = journalOf(scene, 'run');
  const turn = ['turn_started', 'turn_ended'];
  expect(typesOf(events)).toEqual(['run_started', ...turn, ...turn, 'run_stopped']);
  expect(events[1]?.data).toMatchObject({ turn: 1, step_id: 'draft' });
  const ended = { turn: 1, exit: 0, cost_usd: null, limit_until: null, advanced: true };
  expect(events[2]?.data).toMatchObject(ended);
  expect(events.at(-1)?.data).toMatchObject({ reason: 'complete' });
  const [first, second] = turnsOf(scene);
  expect(first.prompt).toContain('Do draft now.');
  expect(first.prompt).toContain('Try it');
  expect(second.prompt).toContain('Do publish now.');
  // The run has the id of its session.
  expect(ran.events[0].id).toBe(journalOf(scene, 'session')[0]?.data.session_id);
});

test('the token of a turn and what its agent left behind end with the turn, not with the run', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const running = beginProcess(scene, demoArguments(['detaches', 'hang']));
  await until(() => turnsOf(scene).length === 2);
  const [former, present] = turnsOf(scene);
  expect(former.token).toMatch(/^[\w-]{43}$/);
  expect(present.token).not.toBe(former.token);
  const ask = ({ url, token }: { url: string; token: string }) =>
    call('get_active_workflow', {}, { url, token });
  expect(await ask(former)).toMatchObject({ status: 401 });
  expect((await ask(present)).status).toBeUndefined();
  // It is in a session of its own, which no signal to the agent's group reaches.
  const [child] = childrenOf(scene);
  expect([child.pid, present.pid].map(isAlive)).toEqual([false, true]);
  process.kill(runnerOf(scene), 'SIGTERM');
  expect((await finish(running)).code).toBe(130);
});

test('what is missing is in the next prompt, also after a resume, until the step is accepted', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const ran = await runDemo(scene, ['wrong', 'without', 'missing', 'honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(3);
  const [, second] = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(second.refused).toContain('draft.md');
  const resumed = await finish(begin(scene, ['--resume', '--json', '--max-turns', '9']));
  expect(resumed.code, resumed.err).toBe(0);
  const prompts = turnsOf(scene).map(({ prompt }) => prompt);
  const [ruled, without, missing] = [
    'Last feedback: Say something good',
    'Missing required outputs: draft.md',
    "Output 'draft.md': file not found",
  ] as const;
  const said = prompts.map((prompt) =>
    [ruled, without, missing].filter((each) => prompt.includes(each)),
  );
  expect(said).toEqual([[], [ruled], [ruled, without], [ruled, missing], []]);
});

test.for(['crash', 'silent', 'liar', 'early', 'wrong', 'throttled'])(
  'an agent that does nothing but %s stalls after three turns',
  async (mode) => {
    verifies('RUN-1');
    const scene = newScene();
    const ran = await runDemo(scene, [mode]);
    expect(ran.code, ran.err).toBe(5);
    expect(turnsOf(scene)).toHaveLength(3);
    expect(acceptedSteps(scene)).toEqual({});
    expect(journalOf(scene, 'run').at(-1)).toMatchObject({ data: { reason: 'stalled' } });
  },
);

test('turns that bring nothing count only in a row', async () => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const ran = await runDemo(scene, ['crash', 'silent', 'honest', 'liar', 'early', 'honest']);
  expect(ran.code, ran.err).toBe(0);
  expect(turnsOf(scene)).toHaveLength(6);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1 });
});

test.for([
  ['a NUL', 'Do it.\0'],
  ['too much', 'Do it. '.repeat(8_000)],
] as const)(
  'a prompt that no program can be given as an argument (%s) ends the run',
  async ([, text]) => {
    verifies('RUN-1');
    const scene = newScene();
    scene.project.write('.deepwork/jobs/demo/steps/draft.md', text);
    const ran = await runDemo(scene, ['honest', ...Array(2_000).fill('{prompt}')]);
    expect(ran.code, ran.err).toBe(1);
    const [ended, stopped] = journalOf(scene, 'run').slice(-2);
    expect(ended).toMatchObject({ type: 'turn_ended', data: { exit: 126 } });
    expect(stopped).toMatchObject({ type: 'run_stopped', data: { reason: 'failed' } });
    expect(stopped?.data.detail).toContain('{prompt}');
  },
);

test.for([
  ['hang', 143, 0],
  ['stubborn', 137, 0],
  ['nested', 143, 1],
  ['detached', 143, 1],
] as const)(
  'an agent that does not end (%s) is ended when the minutes are up, with all that it started',
  async ([mode, exit, children]) => {
    verifies('RUN-1', 'RUN-4');
    const scene = newScene();
    const ran = await runDemo(scene, [mode], ['--max-minutes', '0.05']);
    expect(ran.code, ran.err).toBe(3);
    const started = [...turnsOf(scene), ...childrenOf(scene)];
    expect(started).toHaveLength(1 + children);
    expect(started.filter(({ pid }) => isAlive(pid))).toEqual([]);
    const ended = journalOf(scene, 'run').find(({ type }) => type === 'turn_ended');
    expect(ended?.data.exit).toBe(exit);
  },
);

test('an agent that prints 100 MB is heard to its end, and nothing of it is kept', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft']);
  const ran = await runDemo(scene, ['flood@0.25']);
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.stringify(journalOf(scene, 'run')).length).toBeLessThan(10_000);
  expect(ran.events.find(({ event }) => event === 'turn_ended')).toMatchObject({ cost_usd: 0.25 });
});

test('an agent that is out of quota is waited for, and the wait is no idle turn', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft']);
  const modes = ['quota:2', 'quota:1', 'quota:1', 'honest'];
  const ran = await runDemo(scene, modes, ['--on-limit', 'wait']);
  expect(ran.code, ran.err).toBe(0);
  const turns = turnsOf(scene);
  expect(turns).toHaveLength(4);
  const ended = journalOf(scene, 'run').find(({ type }) => type === 'turn_ended');
  expect(turns[1].at >= ended?.data.limit_until).toBe(true);
  expect(ran.events.map(({ event }) => event)).toContain('waiting_for_quota');
});

test.for([
  ['a limit of the past is no reason to go on for ever', 'quota:-3600', 'wait', [], 5, 3],
  ['a run may stop at the limit', 'quota:60', 'stop', [], 4, 1],
  ['a wait that outlasts the minutes is not begun', 'quota:3600', 'wait', [5, 'minutes'], 4, 1],
  ['nor one that no turn may follow', 'quota:3600', 'wait', [1, 'turns'], 3, 1],
  ['a warning stops nothing', 'warned', 'stop', [], 0, 2],
] as const)('%s', async ([, mode, onLimit, [most, budget], code, turns]) => {
  verifies('RUN-1', 'RUN-4');
  const scene = newScene();
  const bound = budget === undefined ? [] : [`--max-${budget}`, String(most)];
  const ran = await runDemo(scene, [mode], ['--on-limit', onLimit, ...bound]);
  expect(ran.code, ran.err).toBe(code);
  expect(turnsOf(scene)).toHaveLength(turns);
});

test.for(['says', 'results'])(
  'what an agent said that did nothing is on record, and no command to a terminal (%s)',
  async (how) => {
    verifies('RUN-1');
    const scene = newScene(['draft']);
    const words = 'I need permission to edit files. May I?';
    const agent = scripted(`${how}:\u001b[2J${words}`);
    const args = ['demo/main', '--goal', 'Try it', '--command', agent];
    const shown = await finish(begin(scene, args));
    expect(shown.code, shown.err).toBe(5);
    expect(shown.out).not.toContain('\u001b');
    expect(shown.out.match(/May I\?/g)).toHaveLength(4);
    const said = journalOf(scene, 'run').filter(({ type }) => type === 'turn_ended');
    for (const { data } of said) expect(data.said).toContain(words);
  },
);
