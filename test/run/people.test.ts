// What people do to a run: answer what it waits for, stop it, go on with it.

import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  beginProcess,
  demoArguments,
  finish,
  journalOf,
  newLanguageScene,
  newScene,
  runDemo,
  runnerOf,
  scripted,
  turnsOf,
  typesOf,
} from './support.ts';

const ASKS = 'team:\n  question_wait_seconds: 1\n';

test('while a person is asked nothing runs, and the answer wakes the run', async () => {
  verifies('RUN-1');
  const scene = newScene(['draft'], ASKS);
  const running = begin(scene, demoArguments(['ask', 'honest'], ['--max-minutes', '0.2']));
  await until(() => running.out().includes('waiting_for_person'));
  const [asked] = turnsOf(scene);
  expect(isAlive(asked.pid)).toBe(false);
  const env = { HOME: scene.home };
  // Longer than the minutes that the run has.
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  expect(turnsOf(scene)).toHaveLength(1);
  const answer = ['answer', 'q-1', '--choose', 'blue'];
  const answered = await command(answer, { cwd: scene.project.root, env });
  expect(answered.code, answered.stderr).toBe(0);
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  const [, second] = turnsOf(scene);
  expect(second.prompt).toContain('A person has decided meanwhile:\n- q-1 (Which colour?): blue');
});

test('Ctrl-C ends the turn and the run, and --resume goes on', async () => {
  verifies('RUN-1');
  const scene = newScene(['a', 'b']);
  const running = beginProcess(scene, demoArguments(['honest', 'hang', 'honest']));
  await until(() => turnsOf(scene).length === 2);
  const { pid } = turnsOf(scene)[1];
  process.kill(runnerOf(scene), 'SIGINT');
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(130);
  expect(isAlive(pid)).toBe(false);
  expect(journalOf(scene, 'run').at(-1)).toMatchObject({ data: { reason: 'stopped' } });
  const resumed = await finish(begin(scene, ['--resume', ran.events[0].id, '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 1 });
  expect(typesOf(journalOf(scene, 'run')).filter((type) => type === 'run_started')).toHaveLength(2);
});

test('a run that was killed after its last step is complete when it is resumed', async () => {
  verifies('RUN-2');
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['rest']));
  await until(() => acceptedSteps(scene).a === 1);
  process.kill(runnerOf(scene), 'SIGKILL');
  await running.ended;
  const resumed = await finish(begin(scene, ['--resume', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  expect(journalOf(scene, 'run').at(-1)).toMatchObject({ data: { reason: 'complete' } });
  expect(turnsOf(scene).filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(turnsOf(scene)).toHaveLength(1);
});

test('a run that is complete goes on with the command of status once a person has sent it back', async () => {
  const scene = newScene(['a', 'b']);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(0);
  const id: string = journalOf(scene, 'session')[0]?.data.session_id;
  const back = ['redo', id, 'b', '--reason', 'Too short'];
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const sent = await command([...back, '--by', 'Ada'], options);
  expect(sent.code, sent.stderr).toBe(0);
  const status = (await command(['status'], options)).stdout.replace(/\s+/g, ' ');
  expect(status).toContain("Everything was done, then Ada sent it back to 'b': Too short. ");
  expect(status).not.toContain('Everything is done');
  const printed = /To continue: deepwork run (.*?) Or abort/.exec(status)?.[1] ?? '';
  expect(printed).toBe(`--resume ${id} --max-turns 4`);
  const resumed = await finish(begin(scene, [...printed.split(' '), '--json']));
  expect(resumed.code, resumed.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ a: 1, b: 2 });
});

test('a second run in one checkout is refused while one is active', async () => {
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  const second = await finish(begin(scene, demoArguments(['honest'])));
  expect(second.code).toBe(2);
  expect(second.err).toContain('is working in this checkout');
  const same = await finish(begin(scene, ['--resume', '--json']));
  expect(same.code).toBe(2);
  process.kill(runnerOf(scene), 'SIGTERM');
  expect((await finish(running)).code).toBe(130);
  const third = await runDemo({ ...scene, notes: `${scene.notes}-3` }, ['honest']);
  expect(third.code, third.err).toBe(0);
});

test('a person may abort the session on the page, which ends the run and its turn', async () => {
  const scene = newScene(['a']);
  const running = begin(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  const { url } = await serveHttpInProcess(scene.project.root, { home: scene.home });
  const id = journalOf(scene, 'session')[0]?.data.session_id;
  const aborted = await post(`${url}/api/runs/${id}/abort`, { reason: 'No longer needed' });
  expect(aborted.status).toBe(200);
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(journalOf(scene, 'run').at(-1)?.data).toMatchObject({
    reason: 'aborted',
    detail: 'It was aborted: No longer needed',
  });
});

test('a person who aborts the session from a terminal ends the check that the run waits for', async () => {
  verifies('JOBS-X.27');
  const checks = [{ name: 'slow', run: 'echo $$ > pid; sleep 600' }];
  const more = { build: { checks } };
  const steps = { build: 'Build it.' };
  const scene = newLanguageScene({ entries: ['build'], steps, more });
  const env = { DEEPWORK_TRUST: '1' };
  const running = beginProcess(scene, demoArguments(['honest']), { env });
  const file = scene.project.path('pid');
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
  const pid = Number(readFileSync(file, 'utf8'));
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  expect(await command(['abort', 'last', '--reason', 'x'], at)).toMatchObject({ code: 0 });
  expect((await finish(running)).code).toBe(1);
  expect(isAlive(pid)).toBe(false);
  expect(typesOf(journalOf(scene, 'session'))).toEqual(['started', 'checking', 'aborted']);
});

test('a person may stop a run on the page, and resume it later', async () => {
  const scene = newScene(['a']);
  const running = begin(scene, demoArguments(['hang', 'honest']));
  await until(() => turnsOf(scene).length === 1);
  const { url } = await serveHttpInProcess(scene.project.root, { home: scene.home });
  const id = journalOf(scene, 'session')[0]?.data.session_id;
  const agents = await post(`${url}/api/runs/${id}/stop`, { reason: 'x' }, 'worker');
  expect(agents.status).toBe(403);
  const stopped = await post(`${url}/api/runs/${id}/stop`, { reason: 'Lunch', by: 'Ann' });
  expect(stopped).toMatchObject({ status: 200, body: { run_id: id, by: 'Ann' } });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(130);
  expect(journalOf(scene, 'run').at(-1)?.data.detail).toBe('Ann stopped it: Lunch');
  const again = await post(`${url}/api/runs/${id}/stop`, { reason: 'Lunch' });
  expect(again).toMatchObject({ status: 409, body: { code: 'run_not_active' } });
  const resumed = await finish(begin(scene, ['--resume', '--json']));
  expect(resumed.code, resumed.err).toBe(0);
});

test('a person may stop a run from another terminal', async () => {
  const scene = newScene(['a']);
  const running = begin(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const stopped = await command(['stop', 'last', '--by', 'Ann'], options);
  expect(stopped, stopped.stderr).toMatchObject({ code: 0 });
  expect(stopped.stdout).toContain('To continue it: deepwork run --resume');
  expect((await finish(running)).code).toBe(130);
  const { detail } = journalOf(scene, 'run').at(-1)?.data ?? {};
  expect(detail).toBe('Ann stopped it: no reason was given');
});

test('a run is started on the page where the project is configured for it', async () => {
  const bare = newScene(['a']);
  const none = await serveHttpInProcess(bare.project.root, { home: bare.home });
  const start = { workflow: 'demo/main', goal: 'From the page', inputs: {} };
  expect(await post(`${none.url}/api/runs`, start)).toMatchObject({
    status: 404,
    body: { code: 'run_not_configured' },
  });
  const agents = `team:\n  agents:\n    - name: worker\n      command: ${JSON.stringify(plain('honest@0.5'))}\n`;
  const scene = newScene(['a', 'b'], `run:\n  agent: worker\n  max_turns: 5\n${agents}`);
  const cwd = scene.project.root;
  await command(['trust', '--yes'], { cwd, env: { HOME: scene.home } });
  const env = { AGENT_NOTES: scene.notes };
  const { url } = await serveHttpInProcess(cwd, { home: scene.home, env });
  expect(await post(`${url}/api/runs`, { ...start, workflow: 'nope/main' })).toMatchObject({
    status: 409,
    body: { code: 'run_not_started' },
  });
  expect((await post(`${url}/api/runs`, start, 'worker')).status).toBe(403);
  const begun = await post(`${url}/api/runs`, start);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  await until(() => typesOf(journalOf(scene, 'run')).includes('run_stopped'));
  const answer = await fetch(`${url}/api/runs/${begun.body.run_id}`);
  const shown = (await answer.json()) as { run: object; turns: { type: string }[] };
  expect(shown.run).toMatchObject({
    status: 'completed',
    goal: 'From the page',
    budgets: { turns: { max: 5, spent: 2, left: 3 }, usd: { max: null, spent: 1, left: null } },
    worktree: null,
    unattended: { turn: 2, is_running: false, stopped: { reason: 'complete' } },
  });
  expect(shown.turns.map(({ type }) => type)).toEqual([
    ...['run_started', 'turn_started', 'turn_ended', 'turn_started', 'turn_ended', 'run_stopped'],
  ]);
});

test('status, history and their schemas know unattended runs', async () => {
  const scene = newScene(['a', 'b']);
  // The session is orphaned only once the process that worked on it is gone.
  const limits = ['--max-turns', '1', '--max-usd', '2'];
  await finish(beginProcess(scene, demoArguments(['honest@0.25'], limits)));
  const env = { HOME: scene.home };
  const options = { cwd: scene.project.root, env };
  const status = JSON.parse((await command(['status', '--json'], options)).stdout);
  expectSchema('status', status);
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
  const { stdout: text } = await command(['status'], options);
  expect(text).toContain('unattended: 1 of 1 turn,');
  expect(text.replace(/\s+/g, ' ')).toContain('deepwork run --resume');
  const history = JSON.parse((await command(['history', 'last', '--json'], options)).stdout);
  expectSchema('history', history);
  const { stdout: lines } = await command(['history', 'last'], options);
  // Where lines wrap depends on how long the path of the agent is.
  expect(lines.replace(/\s+/g, ' ')).toMatch(
    /Turn 1 of .* began at 'a' .*'a' accepted.*The run stopped \(budget\)/,
  );
});

test('prune takes what a run recorded along with its session', async () => {
  verifies('BOARD-7');
  const scene = newScene(['a', 'b']);
  const { events } = await runDemo(scene, ['honest']);
  await runDemo({ ...scene, notes: `${scene.notes}-2` }, ['honest'], ['--max-turns', '1']);
  const id = events[0].id;
  const lines = readFileSync(scene.project.path(`.deepwork/journal/run/${id}.jsonl`), 'utf8');
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const pruned = await command(['prune', '--older-than', '0m', '--json'], options);
  expect(pruned.code, pruned.stderr).toBe(0);
  const { archives, sessions } = JSON.parse(pruned.stdout);
  expect(sessions.map((each: { session_id: string }) => each.session_id)).toEqual([id]);
  expect(readFileSync(scene.project.path(archives[0]), 'utf8')).toContain(lines);
  expect(existsSync(scene.project.path(`.deepwork/journal/run/${id}.jsonl`))).toBe(false);
  // The run that stopped halfway has everything it needs.
  expect(typesOf(journalOf(scene, 'run'))).toContain('run_stopped');
  const verified = await command(['verify'], options);
  expect(verified.code, verified.stdout).toBe(0);
  const resumed = await finish(begin(scene, ['--resume', '--json', '--max-turns', '9']));
  expect(resumed.code, resumed.err).toBe(0);
});

test('a person is notified when a run ends', async () => {
  const told = newScene(['a']).project.path('told.jsonl');
  const scene = newScene(['a'], `team:\n  notify: cat >> ${told}\n`);
  const env = { HOME: scene.home };
  await command(['trust', '--yes'], { cwd: scene.project.root, env });
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
  const agents = `team:\n  agents:\n    - name: worker\n      command: ${JSON.stringify(plain('honest'))}\n`;
  const scene = newScene(['a'], agents);
  const args = ['demo/main', '--goal', 'x', '--agent', 'worker', '--json'];
  const refused = await finish(begin(scene, args));
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('has not been trusted');
  expect(journalOf(scene, 'session')).toEqual([]);
  const env = { HOME: scene.home };
  const trusted = await command(['trust', '--yes'], { cwd: scene.project.root, env });
  expect(trusted.code, trusted.stderr).toBe(0);
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.err).toBe(0);
});

test('a prompt may be an argument, and reaches no shell', async () => {
  const scene = newScene(['a']);
  const command = `${scripted('honest')} '{prompt}'`;
  const goal = 'Say "hi" $(touch oops) `touch oops`; touch oops';
  const ran = await finish(
    begin(scene, ['demo/main', '--goal', goal, '--command', command, '--json']),
  );
  expect(ran.code, ran.err).toBe(0);
  expect(turnsOf(scene)[0].argv.at(-1)).toContain(goal);
  expect(existsSync(scene.project.path('oops'))).toBe(false);
});

test('an agent cannot start a run', async () => {
  const scene = newScene(['a']);
  const ran = await finish(
    beginProcess(scene, demoArguments(['honest']), { env: { CLAUDECODE: '1' } }),
  );
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('agents cannot start a run');
});

test.for([
  [['--goal', 'x'], 'name what to run'],
  [['demo/main'], 'say what the run is for'],
  [['nope/main', '--goal', 'x', '--command', 'node'], 'Job not found: nope'],
  [['demo/main', '--goal', 'x', '--command', 'no-such-program-here'], 'was not found on PATH'],
  [['demo/main', '--goal', 'x', '--command', './nope.sh'], 'does not exist'],
  [['demo/main', '--goal', 'x', '--command', './.deepwork/config.yml'], 'chmod +x'],
  [['demo/main', '--goal', 'x', '--command', './.deepwork/config.yml/x'], 'does not exist'],
  [['demo/main', '--goal', 'x', '--command', './.deepwork'], 'is not a file'],
  [['demo/main', '--goal', 'x', '--agent', 'stranger'], "Agent 'stranger' has no command"],
  [['demo/main', '--goal', 'x', '--agent', 'claude', '--command', 'node'], 'use one of them'],
  [['demo/main', '--goal', 'x', '--command', 'node', '--max-turns', '0'], '--max-turns 0'],
  [['demo/main', '--goal', 'x', '--command', 'node', '--max-usd', '-1'], 'max-usd'],
  [['demo/main', '--goal', 'x', '--command', 'node', '--max-minutes', 'ten'], '--max-minutes ten'],
  [['demo/main', '--goal', 'x', '--command', 'node', '--on-limit', 'go'], '--on-limit go'],
  [['demo/main', '--goal', 'x', '--command', 'node', '--inputs', 'a'], 'name=value'],
  [['demo/main', '--resume'], '--resume continues a run'],
  [['--resume'], 'no unfinished run'],
  [['--resume', 'abcd'], "no run 'abcd'"],
  [['--team', '--worktree'], '--team works on GOAL.md'],
  [['--frobnicate'], 'Unknown option'],
  [['demo/main', '--goal', 'x', '--comand', 'node'], "did you mean '--command'?"],
  [['demo/main', '--goal', 'x', '--agent', 'claud'], "did you mean 'claude'?"],
  [['demo/mian', '--goal', 'x', '--command', 'node'], "did you mean 'demo/main'?"],
  [['dmeo/main', '--goal', 'x', '--command', 'node'], "did you mean 'demo/main'?"],
  [['dmeo', '--goal', 'x', '--command', 'node', '--inputs', 'a=b'], "did you mean 'demo'?"],
  [['demo/main', '--goal', 'x', '--command', 'node', '--inputs', 'draft=1'], 'belongs in --goal'],
] as const)('%j is refused before anything is started', async ([args, why]) => {
  const scene = newScene(['a']);
  const ran = await finish(begin(scene, args));
  expect(ran.code, ran.out).toBe(2);
  expect(ran.err).toContain(why);
  expect(journalOf(scene, 'session')).toEqual([]);
});

/** The command of a scripted agent without quotes. */
function plain(mode: string): string {
  return scripted(mode).replaceAll("'", '');
}

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

function expectSchema(name: string, value: unknown): void {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  const check = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(file, 'utf8')));
  expect(check(value), JSON.stringify(check.errors)).toBe(true);
}

/** The process of the newest run; the one that was spawned may be a shell. */
