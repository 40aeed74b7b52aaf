// A team that is run unattended: whose turn it is, when it is done, and what a person does to it.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { begin, by, finish, newScene, type Scene } from './support.ts';
import {
  type Call,
  COMMAND,
  NAMES,
  type Name,
  newTeam,
  notesOf,
  orderOf,
  READ,
  runTeam,
  type Script,
  send,
  status,
} from './team-support.ts';

async function dataOf(scene: Scene, ...args: readonly string[]) {
  const ran = await by(scene, ...args, '--json');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  return JSON.parse(ran.stdout);
}

const NOTED = (text: string): Call => ['update_workflow_state', { addProgress: text }];
const ask = (question: string): Call => [
  'ask_user_question',
  { questions: [{ question, choices: ['red', 'blue'] }] },
];
const GATE =
  'completionGateScript: test -e done.txt || (echo 1 test failed; echo no done.txt; exit 1)\n';

test('the coordinator begins, mail passes the turn on, and the coordinator completes it', async () => {
  verifies('RUN-6');
  const scene = newTeam();
  // A folder with nothing but GOAL.md can be run.
  rmSync(scene.project.path('.deepwork'), { recursive: true });
  const ran = await runTeam(scene, {
    coordinator: [
      [send('writer'), status('agent-done')],
      [READ, status('complete')],
    ],
    writer: [
      [READ, status('working')],
      [send('reviewer'), status('agent-done')],
    ],
    reviewer: [[READ, send('coordinator'), status('agent-done')]],
  });
  expect(ran.code, ran.err).toBe(0);
  expect(orderOf(scene)).toEqual(['coordinator', 'writer', 'writer', 'reviewer', 'coordinator']);
  const [first, second] = notesOf(scene);
  expect(first?.prompt).toContain('# Write a book');
  expect(second?.identity).toBe('writer');
  expect(second?.prompt).toContain('Message 1');
  expect((await dataOf(scene, 'status')).runs[0]).toMatchObject({
    session_id: ran.events[0].id,
    workflow: 'GOAL.md',
    goal: 'Write a book',
    status: 'completed',
    budgets: { turns: { spent: 5 }, usd: { spent: 0.5 } },
  });
});

test('an agent that leaves its mail unread twice is named to the coordinator', async () => {
  verifies('RUN-6', 'RUN-1');
  const scene = newTeam();
  const ran = await runTeam(scene, {
    coordinator: [
      [send('writer'), status('agent-done')],
      [send('reviewer'), status('complete')],
    ],
    reviewer: [[READ]],
  });
  expect(orderOf(scene).slice(0, 4)).toEqual(['coordinator', 'writer', 'writer', 'coordinator']);
  expect(notesOf(scene)[3]?.prompt).toContain("'writer'");
  // Nothing changes any more: it stalls.
  expect(ran.code, ran.err).toBe(5);
});

test('complete needs the script that the goal names, once a person has trusted it', async () => {
  verifies('RUN-6');
  const scene = newTeam(GATE);
  const turns = ['1', '2', '3', '4', '5', '6'].map((text) => [NOTED(text), status('complete')]);
  const script = { coordinator: turns };
  const untrusted = await runTeam(scene, script, ['--max-turns', '2']);
  expect(untrusted.code, untrusted.out).toBe(2);
  expect(existsSync(scene.notes)).toBe(false);
  await by(scene, 'trust', '--yes');
  const ran = await runTeam(scene, script, ['--max-turns', '2']);
  expect(ran.code, ran.err).toBe(3);
  const [{ session_id: id, refusals, last_feedback: said }] = (await dataOf(scene, 'status')).runs;
  expect(refusals).toBe(2);
  for (const line of ['1 test failed', 'no done.txt']) {
    expect(ran.out).toContain(line);
    expect((await by(scene, 'history', id)).stdout).toContain(line);
  }
  expect(said).toContain('completionGateScript');
  // A resume counts anew, and the coordinator is told why. Three in a row stall the team.
  const args = ['--resume', '--max-turns', '9', '--json'];
  const env = { AGENT_SCRIPT: JSON.stringify(script) };
  const resumed = await finish(begin(scene, args, { env }));
  expect(resumed.code, resumed.err).toBe(5);
  expect(orderOf(scene)).toHaveLength(5);
  expect(notesOf(scene)[2]?.prompt).toContain('no done.txt');
  expect(resumed.events.filter(({ event }) => event === 'complete_refused')).toHaveLength(3);
  expect(resumed.events.at(-1)).toMatchObject({ reason: 'stalled' });
  scene.project.write('done.txt', 'yes');
  const last = { ...scene, notes: `${scene.notes}-2` };
  expect((await runTeam(last, script)).code).toBe(0);
  expect(orderOf(last)).toEqual(['coordinator']);
});

test("a team that works between two refusals of 'complete' does not stall", async () => {
  verifies('RUN-6');
  const scene = newTeam(GATE);
  await by(scene, 'trust', '--yes');
  const asks = [READ, send('writer'), status('agent-done')];
  const script = {
    coordinator: [[status('complete')], [status('complete')], asks, [READ, status('complete')]],
    writer: [[READ, send('coordinator'), status('agent-done')]],
  };
  const ran = await runTeam(scene, script, ['--max-turns', '6']);
  expect(ran.code, ran.err).toBe(3);
  expect(orderOf(scene)).toHaveLength(6);
});

test('a script that an agent has changed is not run, and stops the team', async () => {
  verifies('RUN-6');
  const scene = newTeam('completionGateScript: sh gate.sh\n');
  scene.project.write('gate.sh', 'test -e done.txt\n');
  await by(scene, 'trust', '--yes');
  const edit: Call = ['write_file', { file: 'gate.sh', text: 'exit 0\n' }];
  const ran = await runTeam(scene, { coordinator: [[edit, status('complete')]] });
  expect(ran.code, ran.err).toBe(1);
  expect(orderOf(scene)).toEqual(['coordinator']);
  expect(ran.events.at(-1)).toMatchObject({
    reason: 'failed',
    detail: expect.stringContaining('gate.sh'),
  });
});

test('while a person is asked no one works, and the answer wakes the team', async () => {
  verifies('RUN-6');
  const scene = newTeam('', 'team:\n  question_wait_seconds: 1\n');
  const env = {
    AGENT_SCRIPT: JSON.stringify({ coordinator: [[ask('Which colour?')], [ask('And now?')]] }),
  };
  const running = begin(scene, ['--team', '--command', COMMAND, '--json'], { env });
  await until(() => running.out().includes('"questions":["q-1"]'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(orderOf(scene)).toEqual(['coordinator']);
  expect(await by(scene, 'answer', 'q-1', '--choose', 'red')).toMatchObject({ code: 0 });
  await until(() => running.out().includes('"questions":["q-2"]'));
  expect(notesOf(scene)[1]?.prompt).toContain('q-1 (Which colour?): red');
  // A person who aborts it ends it, also while it waits.
  const { run } = await dataOf(scene, 'history', 'last');
  expect(run).toMatchObject({ state: 'waiting_for_person', questions: ['q-2'] });
  expect(await by(scene, 'abort', 'last', '--reason', 'x')).toMatchObject({ code: 0 });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(ran.events.at(-1)).toMatchObject({ reason: 'aborted' });
});

test('a budget ends a team, and a resume goes on where it was', async () => {
  verifies('RUN-6', 'RUN-4');
  const scene = newTeam();
  const script = {
    coordinator: [
      [send('writer'), status('agent-done')],
      [READ, status('complete')],
    ],
    writer: [[READ, send('coordinator'), status('agent-done')]],
  };
  const ran = await runTeam(scene, script, ['--max-usd', '0.15']);
  expect(ran.code, ran.err).toBe(3);
  expect(orderOf(scene)).toEqual(['coordinator']);
  const args = ['--resume', '--max-usd', '5', '--json'];
  const env = { AGENT_SCRIPT: JSON.stringify(script) };
  const resumed = await finish(begin(scene, args, { env }));
  expect(resumed.code, resumed.err).toBe(0);
  expect(orderOf(scene)).toEqual(['coordinator', 'writer', 'coordinator']);
});

test('a team without GOAL.md or without a command is refused, and one with a damaged record', async () => {
  verifies('RUN-6', 'RUN-4');
  const refused = async (scene: Scene, ...args: readonly string[]) => {
    const ran = await finish(begin(scene, args));
    expect(ran.code, ran.out).toBe(2);
    return ran.err;
  };
  expect(await refused(newScene(['a']), '--team', '--command', COMMAND)).toContain('GOAL.md');
  const scene = newTeam();
  expect(await refused(scene, '--team')).toContain("'coordinator'");
  const ran = await runTeam(scene, {}, ['--max-turns', '1']);
  const { id } = ran.events[0];
  const record = scene.project.path(`.deepwork/journal/team_run/${id}.jsonl`);
  appendFileSync(record, 'garbage\n');
  expect(await refused(scene, '--resume', id)).toContain('deepwork run --team');
});

test('a stopped team that a person aborts is over, and prune moves only what is over', async () => {
  verifies('RUN-6', 'BOARD-4', 'BOARD-7');
  const scene = newTeam();
  const working = { coordinator: [[send('writer'), status('agent-done')]] };
  const ran = await runTeam(scene, { coordinator: [[status('complete')]] });
  expect(ran.code, ran.err).toBe(0);
  const next = { ...scene, notes: `${scene.notes}-2` };
  const spent = await runTeam(next, working, ['--max-turns', '1']);
  expect(spent.code, spent.err).toBe(3);
  const [over, stopped] = [ran.events[0].id, spent.events[0].id] as [string, string];
  const folder = scene.project.path('.deepwork/journal/team_run');
  const lines = readFileSync(path.join(folder, `${over}.jsonl`), 'utf8');
  const prune = (...more: string[]) => dataOf(scene, 'prune', '--older-than', '0m', ...more);
  const moved = { team_runs: [{ run_id: over, status: 'completed' }], untouched: 1 };
  expect(await prune('--dry-run')).toMatchObject(moved);
  expect(readdirSync(folder)).toHaveLength(2);
  const pruned = await prune();
  expect(pruned).toMatchObject(moved);
  expect(readFileSync(scene.project.path(pruned.archives[0]), 'utf8')).toContain(lines);
  expect(readdirSync(folder)).toEqual([`${stopped}.jsonl`]);
  for (const id of [over, stopped]) expect((await dataOf(scene, 'verify', id)).sound).toBe(true);

  expect(await dataOf(scene, 'history', 'last')).toMatchObject({ run: { session_id: stopped } });
  const abort = ['abort', stopped, '--reason', 'Not needed', '--by', 'Ada'];
  expect(await by(scene, ...abort)).toMatchObject({ code: 0 });
  expect((await dataOf(scene, 'status')).runs).toMatchObject([
    { session_id: stopped, status: 'aborted', ended_at: expect.any(String) },
  ]);
  expect(await by(scene, ...abort)).toMatchObject({ code: 1 });
  const resumed = await finish(begin(scene, ['--resume', '--json']));
  expect(resumed.code, resumed.out).toBe(2);
  expect(await prune()).toMatchObject({ team_runs: [{ run_id: stopped }] });
});

const TURNS = 9;

test.for([1, 2, 3, 4])('the order of turns is that of the reference (%i)', async (nth) => {
  verifies('RUN-6');
  const random = randomFrom(chooseSeed() + nth);
  const script = randomScript(random);
  const scene = newTeam();
  await runTeam(scene, script, ['--max-turns', String(TURNS)]);
  expect(orderOf(scene), JSON.stringify(script)).toEqual(referenceOrder(script));
});

/** Every turn changes something, so that none of them stalls the run. */
function randomScript(random: Random): Script {
  const turn = (name: Name): Call[] => [
    ['update_workflow_state', { addProgress: `by ${name}` }],
    ...(random.chance(0.7) ? [READ] : []),
    ...random
      .some(
        NAMES.filter((each) => each !== name),
        0.4,
      )
      .map(send),
    ...(random.chance(0.8) ? [status(random.chance(0.2) ? 'working' : 'agent-done')] : []),
  ];
  return Object.fromEntries(
    NAMES.map((name) => [name, Array.from({ length: TURNS }, () => turn(name))]),
  );
}

/** Written from the contract, turn by turn, without the code under test. */
function referenceOrder(script: Script): string[] {
  let shared = 'working';
  let mail: { readonly to: string; passed: number }[] = [];
  const done: Record<string, number> = {};
  const order: string[] = [];
  while (order.length < TURNS) {
    const name = choose();
    order.push(name);
    if (name === 'coordinator') for (const message of mail) message.passed = 0;
    const waiting = mail.filter(({ to }) => to === name);
    const calls = script[name as Name]?.[done[name] ?? 0] ?? [];
    done[name] = (done[name] ?? 0) + 1;
    for (const [tool, args] of calls) {
      const { status: word, toAgent } = args as { status?: string; toAgent?: string };
      if (tool === 'check_inbox') mail = mail.filter(({ to }) => to !== name);
      if (tool === 'send_message') mail.push({ to: toAgent ?? '', passed: 0 });
      if (word !== undefined) shared = word;
    }
    for (const message of waiting) message.passed += 1;
  }
  return order;

  function choose(): string {
    const last = order.at(-1);
    if (last === undefined) return 'coordinator';
    if (shared === 'working') return last;
    const [oldest] = mail;
    return oldest === undefined || oldest.passed >= 2 ? 'coordinator' : oldest.to;
  }
}
