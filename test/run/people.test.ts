// What people do to a run: start it, answer what it waits for, stop it, go on with it.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectSchema } from '../board/support.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { writeJob } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  beginProcess,
  by,
  demoArguments,
  finish,
  journalOf,
  newScene,
  runDemo,
  runnerOf,
  type Scene,
  scripted,
  turnsOf,
  typesOf,
} from './support.ts';

const lastOf = (scene: Scene) => journalOf(scene, 'run').at(-1)?.data;

test('while a person is asked nothing runs, and the answer wakes the run', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft'], 'team:\n  question_wait_seconds: 1\n');
  const running = begin(scene, demoArguments(['ask', 'honest'], ['--max-minutes', '0.2']));
  await until(() => running.out().includes('waiting_for_person'));
  const [asked] = turnsOf(scene);
  expect(isAlive(asked.pid)).toBe(false);
  // Longer than the minutes that the run has.
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  expect(turnsOf(scene)).toHaveLength(1);
  expect(await by(scene, 'answer', 'q-1', '--choose', 'blue')).toMatchObject({ code: 0 });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  expect(turnsOf(scene)[1].prompt).toContain('q-1 (Which colour?): blue');
});

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a run that %s ends has ended its turn, and --resume goes on',
  async (signal) => {
    verifies('RUN-1');
    const scene = newScene(['a', 'b']);
    const running = beginProcess(scene, demoArguments(['honest', 'hang', 'honest']));
    await until(() => turnsOf(scene).length === 2);
    process.kill(runnerOf(scene), signal);
    const ran = await finish(running);
    expect(ran.code, ran.err).toBe(130);
    expect(isAlive(turnsOf(scene)[1].pid)).toBe(false);
    expect(lastOf(scene)).toMatchObject({ reason: 'stopped' });
    const resumed = await finish(begin(scene, ['--resume', ran.events[0].id, '--json']));
    expect(resumed.code, resumed.err).toBe(0);
    expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1 });
  },
);

test('a run that is complete goes on once a person has sent it back', async () => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(0);
  const over = await finish(begin(scene, ['--resume', 'last']));
  expect(over.code, over.out).toBe(2);
  const { id } = ran.events[0];
  expect(await by(scene, 'redo', id, 'b', '--reason', 'Too short')).toMatchObject({ code: 0 });
  const status = (await by(scene, 'status')).stdout.replace(/\s+/g, ' ');
  const [, printed = ''] = /deepwork run (--resume .*?) Or abort/.exec(status) ?? [];
  expect(printed).toBe(`--resume ${id} --max-turns 4`);
  const resumed = await finish(begin(scene, [...printed.split(' '), '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 2 });
});

test('a second run in one checkout is refused until the first, which a person stops, has ended', async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['stubborn']));
  await until(() => turnsOf(scene).length === 1);
  const { run_id: id } = journalOf(scene, 'run')[0]?.data ?? {};
  const refused = async (...args: string[]) => {
    const ran = await finish(begin(scene, args));
    expect(ran.code, ran.out).toBe(2);
    return ran.err;
  };
  expect(await refused(...demoArguments(['honest']))).toContain(`deepwork stop ${id}`);
  await refused('--resume', '--json');
  // Without an id, because only one runs.
  expect(await by(scene, 'stop', '--by', 'Ann')).toMatchObject({ code: 0 });
  expect(await refused(...demoArguments(['honest']))).toContain(id);
  expect((await finish(running)).code).toBe(130);
  expect(lastOf(scene)).toMatchObject({ reason: 'stopped' });
  expect(lastOf(scene).detail).toContain('Ann');
  expect(await by(scene, 'stop')).toMatchObject({ code: 2 });
  const third = await runDemo({ ...scene, notes: `${scene.notes}-3` }, ['honest']);
  expect(third.code, third.err).toBe(0);
});

test('a person who aborts the session ends the run and its turn', async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const running = begin(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  expect(await by(scene, 'abort', 'last', '--reason', 'Not needed')).toMatchObject({ code: 0 });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(isAlive(turnsOf(scene)[0].pid)).toBe(false);
  expect(lastOf(scene)).toMatchObject({ reason: 'aborted' });
  expect(lastOf(scene).detail).toContain('Not needed');
});

test('a person may stop a run on the page, and resume it later; an agent may not', async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const running = begin(scene, demoArguments(['hang', 'honest']));
  await until(() => turnsOf(scene).length === 1);
  const { url } = await serveHttpInProcess(scene.project.root, { home: scene.home });
  const { id } = JSON.parse(running.out().split('\n')[0] ?? '');
  const stop = `${url}/api/runs/${id}/stop`;
  expect(await post(stop, { reason: 'x' }, 'worker')).toMatchObject({ status: 403 });
  const stopped = await post(stop, { reason: 'Lunch', by: 'Ann' });
  expect(stopped).toMatchObject({ status: 200, body: { run_id: id, by: 'Ann' } });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(130);
  for (const named of ['Ann', 'Lunch']) expect(lastOf(scene).detail).toContain(named);
  const again = await post(stop, { reason: 'Lunch' });
  expect(again).toMatchObject({ status: 409, body: { code: 'run_not_active' } });
  const resumed = await finish(begin(scene, ['--resume', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
});

/** The setting of an agent of the project; its command, without quotes. */
function worker(mode: string): string {
  const agent = JSON.stringify(scripted(mode).replaceAll("'", ''));
  return `team:\n  agents:\n    - name: worker\n      command: ${agent}\n`;
}

test('a run is started on the page where the project is configured for it', async () => {
  verifies('RUN-1');
  const bare = newScene(['a']);
  const none = await serveHttpInProcess(bare.project.root, { home: bare.home });
  const start = { workflow: 'demo/main', goal: 'From the page', inputs: {} };
  expect(await post(`${none.url}/api/runs`, start)).toMatchObject({
    status: 404,
    body: { code: 'run_not_configured' },
  });
  const config = `run:\n  agent: worker\n  max_turns: 5\n${worker('honest@0.5')}`;
  const scene = newScene(['a', 'b'], config);
  await by(scene, 'trust', '--yes');
  const env = { AGENT_NOTES: scene.notes };
  const { url } = await serveHttpInProcess(scene.project.root, { home: scene.home, env });
  expect(await post(`${url}/api/runs`, { ...start, workflow: 'nope/main' })).toMatchObject({
    status: 409,
    body: { code: 'run_not_started' },
  });
  expect(await post(`${url}/api/runs`, start, 'worker')).toMatchObject({ status: 403 });
  const begun = await post(`${url}/api/runs`, start);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  await until(() => typesOf(journalOf(scene, 'run')).includes('run_stopped'));
  const answer = await fetch(`${url}/api/runs/${begun.body.run_id}`);
  expect(((await answer.json()) as { run: object }).run).toMatchObject({
    status: 'completed',
    budgets: { turns: { max: 5, spent: 2, left: 3 }, usd: { max: null, spent: 1, left: null } },
    unattended: { turn: 2, is_running: false, stopped: { reason: 'complete' } },
  });
});

test('status, history, verify and prune know what a run recorded', async () => {
  verifies('RUN-1', 'BOARD-2', 'BOARD-6', 'BOARD-7');
  const scene = newScene(['a', 'b']);
  const { events } = await runDemo(scene, ['honest']);
  // The session is orphaned only once the process that worked on it is gone.
  const limits = ['--max-turns', '1', '--max-usd', '2'];
  const half = { ...scene, notes: `${scene.notes}-2` };
  await finish(beginProcess(half, demoArguments(['honest@0.25'], limits)));
  const json = async (...args: string[]) => {
    const ran = await by(scene, ...args, '--json');
    expect(ran.code, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout);
  };
  const status = await json('status');
  expectSchema('status.schema.json', status);
  expect(status.runs[0]).toMatchObject({
    state: 'orphaned',
    budgets: {
      turns: { max: 1, spent: 1, left: 0 },
      minutes: { max: null, left: null },
      usd: { max: 2, spent: 0.25, left: 1.75 },
    },
    worktree: null,
    unattended: { stopped: { reason: 'budget' } },
  });
  expectSchema('history.schema.json', await json('history', 'last'));

  const { id } = events[0];
  const record = scene.project.path(`.deepwork/journal/run/${id}.jsonl`);
  const lines = readFileSync(record, 'utf8');
  expect((await json('verify', id)).files).toHaveLength(2);
  const { archives, sessions } = await json('prune', '--older-than', '0m');
  expect(sessions).toMatchObject([{ session_id: id }]);
  expect(readFileSync(scene.project.path(archives[0]), 'utf8')).toContain(lines);
  expect(existsSync(record)).toBe(false);
  expect(await json('verify')).toMatchObject({ sound: true });
  // The run that stopped halfway has everything it needs.
  const resumed = await finish(begin(half, ['--resume', '--json', '--max-turns', '9']));
  expect(resumed.code, resumed.err).toBe(0);
});

test('a person is notified when a run ends', async () => {
  verifies('RUN-1');
  const told = `${tempFolder()}/told.jsonl`;
  const scene = newScene(['a'], `team:\n  notify: cat >> ${told}\n`);
  await by(scene, 'trust', '--yes');
  const ran = await runDemo(scene, ['honest']);
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
    run: ran.events[0].id,
    workflow: 'demo/main',
    reason: 'complete',
    project: scene.project.root,
  });
});

test('the commands of the project need trust; one that was typed does not', async () => {
  verifies('RUN-1');
  const scene = newScene(['a'], worker('honest'));
  const args = ['demo/main', '--goal', 'x', '--agent', 'worker', '--json'];
  const refused = await finish(begin(scene, args));
  expect(refused.code, refused.out).toBe(2);
  expect(journalOf(scene, 'session')).toEqual([]);
  expect(existsSync(scene.notes)).toBe(false);
  expect(await by(scene, 'trust', '--yes')).toMatchObject({ code: 0 });
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
});

test('a prompt may be an argument, and reaches no shell', async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const agent = `${scripted('honest')} '{prompt}'`;
  const goal = 'Say "hi" $(touch oops) `touch oops`; touch oops';
  const ran = await finish(begin(scene, ['demo/main', '--goal', goal, '--command', agent]));
  expect(ran.code, ran.err).toBe(0);
  expect(turnsOf(scene)[0].argv.at(-1)).toContain(goal);
  expect(existsSync(scene.project.path('oops'))).toBe(false);
});

test('an agent cannot start a run', async () => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const env = { CLAUDECODE: '1' };
  const ran = await finish(beginProcess(scene, demoArguments(['honest']), { env }));
  expect(ran.code, ran.out).toBe(2);
  expect(existsSync(scene.notes)).toBe(false);
});

test.for([
  ['--goal x', 'job/workflow'],
  ['demo/main', '--goal'],
  ['--goal x nope/main --command node', 'nope'],
  ['--goal x demo/mian --command node', "'demo/main'"],
  ['--goal x two --command node', 'two/first, two/second'],
  ['--goal x demo/main --command no-such-program-here', 'no-such-program-here'],
  ['--goal x demo/main --command ./.deepwork/config.yml', 'chmod +x'],
  ['--goal x demo/main --agent claud', "'claude'"],
  ['--goal x demo/main --agent claude --command node', '--command'],
  ['--goal x demo/main --command node --max-turns 0', '--max-turns 0'],
  ['--goal x demo/main --command node --max-usd -1', '--max-usd'],
  ['--goal x demo/main --command node --max-minutes ten', '--max-minutes ten'],
  ['--goal x demo/main --command node --on-limit go', '--on-limit go'],
  ['--goal x demo/main --command node --inputs draft=1', 'draft'],
  ['demo/main --resume', '--resume'],
  ['--resume', 'unfinished'],
  ['--resume abcd', 'abcd'],
  ['--team --worktree', '--team'],
  ['--goal x demo/main --comand node', "'--command'"],
] as const)('run %s is refused before anything is started, with %s', async ([typed, named]) => {
  verifies('RUN-1');
  const scene = newScene(['a']);
  const a = { outputs: { a: 'file' as const } };
  writeJob(scene.project, 'two', { a }, { first: ['a'], second: ['a'] });
  const ran = await finish(begin(scene, typed.split(' ')));
  expect(ran.code, ran.out).toBe(2);
  expect(ran.err).toContain(named);
  expect(journalOf(scene, 'session')).toEqual([]);
  const outside = await finish(begin(scene, typed.split(' '), { cwd: tempFolder() }));
  expect(outside.code, outside.out).toBe(2);
});

test.for(['damaged', 'written by another user'])(
  'a run whose record is %s is not resumed, and can be aborted',
  async (what) => {
    verifies('RUN-4');
    const scene = newScene();
    const ran = await runDemo(scene, ['honest'], ['--max-turns', '1']);
    expect(ran.code, ran.err).toBe(3);
    const { id } = ran.events[0];
    const record = scene.project.path(`.deepwork/journal/run/${id}.jsonl`);
    if (what === 'damaged') appendFileSync(record, 'garbage\n');
    const home = what === 'damaged' ? scene.home : tempFolder();
    const resumed = await finish(begin({ ...scene, home }, ['--resume', id]));
    expect(resumed.code, resumed.out).toBe(2);
    expect(resumed.err).toContain(
      `.deepwork/journal/${what === 'damaged' ? 'damaged' : 'quarantine'}/`,
    );
    expect(turnsOf(scene)).toHaveLength(1);
    if (what !== 'damaged') return;
    expect(await by(scene, 'abort', id, '--reason', 'damaged')).toMatchObject({ code: 0 });
  },
);

async function post(url: string, body: object, agent: string | null = null) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(agent !== null && { 'x-sgai-agent-identity': agent }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
