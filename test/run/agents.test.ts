// Agents of every kind, run by the built command: how each run ends, and what is on record.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { writeJob } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { call } from './mcp-call.cjs';
import {
  acceptedSteps,
  answersOf,
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
  expect(typesOf(events)).toEqual([
    'run_started',
    'turn_started',
    'turn_ended',
    'turn_started',
    'turn_ended',
    'run_stopped',
  ]);
  expect(events[1]?.data).toMatchObject({ turn: 1, step_id: 'draft' });
  expect(events[2]?.data).toMatchObject({
    turn: 1,
    exit: 0,
    cost_usd: null,
    limit_until: null,
    advanced: true,
  });
  expect(events.at(-1)?.data).toMatchObject({ reason: 'complete' });
  const [first, second] = turnsOf(scene);
  expect(first.prompt).toContain('Do draft now.');
  expect(first.prompt).toContain('Goal: Try it');
  expect(second.prompt).toContain('Do publish now.');
  // The run has the id of its session.
  expect(ran.events[0].id).toBe(journalOf(scene, 'session')[0]?.data.session_id);
});

test('a token is good for one turn', async () => {
  verifies('RUN-1');
  const scene = newScene();
  await runDemo(scene, ['honest']);
  const [first, second] = turnsOf(scene);
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(second.token).not.toBe(first.token);
  expect(answersOf(scene).map(({ isError }) => isError === true)).toEqual([false, false]);
});

test('the token of a former turn is refused while the run goes on', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const running = beginProcess(scene, demoArguments(['honest', 'hang']));
  await until(() => turnsOf(scene).length === 2);
  const [former, present] = turnsOf(scene);
  const ask = ({ url, token }: { url: string; token: string }) =>
    call('get_active_workflow', {}, { url, token });
  expect(await ask(former)).toMatchObject({ status: 401 });
  expect((await ask(present)).status).toBeUndefined();
  process.kill(runnerOf(scene), 'SIGTERM');
  expect((await finish(running)).code).toBe(130);
});

test('an agent that fails its gate gets what is missing, and goes on', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft']);
  const ran = await runDemo(scene, ['wrong', 'honest']);
  expect(ran.code, ran.err).toBe(0);
  const [, second] = turnsOf(scene);
  expect(second.prompt).toContain('Last feedback: Say something good');
  expect(second.prompt).toContain('without anything being accepted');
  expect(acceptedSteps(scene)).toEqual({ draft: 1 });
});

test('what a call was refused with is in the next prompt, also after a resume', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft', 'publish']);
  const ran = await runDemo(scene, ['without', 'missing', 'honest'], ['--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  const without = 'Missing required outputs: draft.md';
  expect(ran.events.find(({ event }) => event === 'turn_ended').refused).toContain(without);
  const resumed = await finish(begin(scene, ['--resume', '--json', '--max-turns', '9']));
  expect(resumed.code, resumed.err).toBe(0);
  const prompts = turnsOf(scene).map(({ prompt }) => prompt);
  expect(prompts[1]).toContain(without);
  const missing = "Output 'draft.md': file not found";
  expect(prompts[2]).toContain(missing);
  expect(prompts[2]).not.toContain(without);
  // About a step that is accepted by now nothing is left to say.
  expect(prompts).toHaveLength(4);
  expect(prompts[3]).not.toContain(missing);
});

test('long feedback of a check is in the next prompt as far as the agent needs it', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft']);
  const lines = Array.from({ length: 60 }, (_, n) => `test ${n}: expected this, got that`);
  scene.project.write('output.txt', `${lines.join('\n')}\n`);
  const checks = [{ name: 'tests', run: 'cat output.txt; test -e fixed' }];
  writeJob(
    scene.project,
    'demo',
    { draft: { outputs: { 'draft.md': 'file' }, checks } },
    { main: ['draft'] },
  );
  const env = { HOME: scene.home };
  await command(['trust', '--yes'], { cwd: scene.project.root, env });
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(3);
  const { prompt } = turnsOf(scene)[1];
  for (const line of lines) expect(prompt).toContain(line);
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
    const stopped = journalOf(scene, 'run').at(-1);
    expect(stopped).toMatchObject({ type: 'run_stopped', data: { reason: 'stalled' } });
  },
);

test.for([
  { what: 'a NUL', text: 'Do it.\0', says: 'a NUL character' },
  { what: 'too much', text: 'Do it. '.repeat(8_000), says: 'too long for this system' },
])(
  'a prompt that no program can be given as an argument ($what) ends the run, with its cause',
  async ({ text, says }) => {
    verifies('RUN-1');
    const scene = newScene();
    scene.project.write('.deepwork/jobs/demo/steps/draft.md', text);
    const ran = await runDemo(scene, ['honest', ...Array(2_000).fill('{prompt}')]);
    expect(ran.code, ran.err).toBe(1);
    const events = journalOf(scene, 'run');
    expect(typesOf(events).slice(-3)).toEqual(['turn_started', 'turn_ended', 'run_stopped']);
    expect(events.at(-2)?.data).toMatchObject({ exit: 126, said: expect.stringContaining(says) });
    expect(events.at(-1)?.data).toMatchObject({ reason: 'failed' });
    expect(events.at(-1)?.data.detail).toContain(says);
    expect(events.at(-1)?.data.detail).toContain('without {prompt} it is given on stdin');
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

test.for(['hang', 'stubborn', 'nested', 'detached'])(
  'an agent that hangs (%s) is ended when the minutes are up, with all that it started',
  async (mode) => {
    verifies('RUN-1', 'RUN-4');
    const scene = newScene();
    const began = Date.now();
    const ran = await runDemo(scene, [mode], ['--max-minutes', '0.05']);
    expect(ran.code, ran.err).toBe(3);
    const [turn] = turnsOf(scene);
    expect(isAlive(turn.pid)).toBe(false);
    expect(childrenOf(scene).filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(childrenOf(scene)).toHaveLength(mode === 'nested' || mode === 'detached' ? 1 : 0);
    expect(Date.now() - began).toBeGreaterThan(3000);
    const ended = journalOf(scene, 'run').find(({ type }) => type === 'turn_ended');
    expect(ended?.data.exit).toBe(mode === 'stubborn' ? 137 : 143);
    expect(journalOf(scene, 'run').at(-1)?.data.detail).toContain('minutes is used up');
  },
);

test('what an agent leaves in a session of its own ends with its turn, not with the run', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const running = beginProcess(scene, demoArguments(['detaches', 'hang']));
  await until(() => turnsOf(scene).length === 2);
  const [child] = childrenOf(scene);
  expect(isAlive(child.pid)).toBe(false);
  // The turn that runs now is not touched.
  expect(isAlive(turnsOf(scene)[1].pid)).toBe(true);
  process.kill(runnerOf(scene), 'SIGTERM');
  expect((await finish(running)).code).toBe(130);
});

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
  const ran = await runDemo(
    scene,
    ['quota:2', 'quota:1', 'quota:1', 'honest'],
    ['--on-limit', 'wait'],
  );
  expect(ran.code, ran.err).toBe(0);
  const turns = turnsOf(scene);
  expect(turns).toHaveLength(4);
  expect(Date.parse(turns[1].at) - Date.parse(turns[0].at)).toBeGreaterThan(1500);
  expect(ran.events.map(({ event }) => event)).toContain('waiting_for_quota');
  const ended = journalOf(scene, 'run').find(({ type }) => type === 'turn_ended');
  expect(ended?.data.limit_until).toMatch(/^\d{4}-/);
});

test('limits that are over before the turn began are no reason to go on for ever', async () => {
  verifies('RUN-1');
  const scene = newScene();
  const ran = await runDemo(scene, ['quota:-3600'], ['--on-limit', 'wait']);
  expect(ran.code, ran.err).toBe(5);
  expect(turnsOf(scene)).toHaveLength(3);
});

test('a run may stop at the limit, and does if waiting outlasts its minutes', async () => {
  verifies('RUN-1');
  const stops = newScene();
  const stopped = await runDemo(stops, ['quota:60'], ['--on-limit', 'stop']);
  expect(stopped.code, stopped.err).toBe(4);
  const waits = newScene();
  const ran = await runDemo(waits, ['quota:3600'], ['--max-minutes', '5']);
  expect(ran.code, ran.err).toBe(4);
  expect(turnsOf(waits)).toHaveLength(1);
});

test('a warning that quota runs low stops nothing', async () => {
  verifies('RUN-1');
  const ran = await runDemo(newScene(), ['warned'], ['--on-limit', 'stop']);
  expect(ran.code, ran.err).toBe(0);
});

const BEGGING = 'I need permission to edit files. May I?';

test.for(['says', 'results'])(
  'what an agent said that did nothing is not lost (%s)',
  async (how) => {
    verifies('RUN-1');
    const scene = newScene(['draft']);
    // Words of an agent must not reach the terminal as commands to it.
    const mode = `${how}:\u001b[2J${BEGGING}`;
    const shown = await finish(
      begin(scene, ['demo/main', '--goal', 'Try it', '--command', scripted(mode)]),
    );
    expect(shown.code, shown.err).toBe(5);
    expect(shown.out).not.toContain('\u001b');
    const line = /nothing accepted \(\d+ s\)\n +It said: .*May I\?/g;
    expect(shown.out.match(line)).toHaveLength(3);
    expect(shown.out).toMatch(/Stalled after 3 turns: .*in a row\. It last said: .*May I\?\n/);
    const said = journalOf(scene, 'run').filter(({ type }) => type === 'turn_ended');
    for (const { data } of said) expect(data.said).toContain(BEGGING);
    const { project, home } = scene;
    const at = { cwd: project.root, env: { HOME: home } };
    for (const words of [['status'], ['history', 'last']]) {
      const { stdout } = await command(words, at);
      expect(stdout.replace(/\s+/g, ' ')).toContain(BEGGING);
      expect(stdout).not.toContain('\u001b');
    }
    expect((await command(['status'], at)).stdout.replace(/\s+/g, ' ')).toContain('It last said: ');
  },
);
