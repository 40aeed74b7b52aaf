// A team that is run unattended: whose turn it is, and when it is done.

import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { begin, finish, newScene } from './support.ts';
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

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 60_000 });

test('a folder with nothing but GOAL.md can be run', async () => {
  verifies('RUN-6');
  const scene = newTeam();
  rmSync(scene.project.path('.deepwork'), { recursive: true });
  const ran = await runTeam(scene, { coordinator: [[status('complete')]] });
  expect(ran.code, ran.err).toBe(0);
});

test('a run of a team whose record is damaged says that a new run continues its work', async () => {
  verifies('RUN-4');
  const scene = newTeam();
  expect((await runTeam(scene, {}, ['--max-turns', '1'])).code).toBe(3);
  const folder = scene.project.path('.deepwork/journal/team_run');
  const [file = ''] = readdirSync(folder);
  appendFileSync(path.join(folder, file), 'garbage\n');
  const id = path.basename(file, '.jsonl');
  const resumed = await finish(begin(scene, ['--resume', id]));
  expect(resumed.code).toBe(2);
  expect(resumed.err).toContain(`Run ${id} cannot be resumed: the record of its turns is damaged`);
  expect(resumed.err).toContain('start a new run: `deepwork run --team`');
});

test('the coordinator begins, mail passes the turn on, and the coordinator completes it', async () => {
  verifies('RUN-6');
  const scene = newTeam();
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
  expect(second?.prompt).toContain('Message 1 waits for you');
  const env = { HOME: scene.home };
  const { stdout } = await command(['status', '--json'], {
    cwd: scene.project.root,
    env,
  });
  expect(JSON.parse(stdout).runs[0]).toMatchObject({
    session_id: ran.events[0].id,
    workflow: 'GOAL.md',
    goal: 'Write a book',
    status: 'completed',
    budgets: { turns: { spent: 5 }, usd: { spent: 0.5 } },
  });
  const history = await command(['history', ran.events[0].id], {
    cwd: scene.project.root,
    env,
  });
  expect(history.stdout).toContain('Turn 4 of reviewer began');
  const lately = await command(['history'], { cwd: scene.project.root, env });
  expect(lately.stdout).toContain('1 run completed.');
  expect(lately.stdout).toMatch(
    /5 turns \(coordinator 2, writer 2, reviewer 1\), \$0\.50\n +\d\d:\d\d +Completed\n/,
  );
  expect(lately.stdout).toContain('3 messages between agents');
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
  expect(notesOf(scene)[3]?.prompt).toContain("Agent 'writer' has left message 1 unread");
  // Nothing changes any more: it stalls.
  expect(ran.code, ran.err).toBe(5);
});

test('complete needs the script that the goal names, once a person has trusted it', async () => {
  verifies('RUN-6');
  const scene = newTeam('completionGateScript: test -e done.txt || (echo no such file; exit 1)\n');
  const complete = [status('complete')];
  const note = (text: string): Call => ['update_workflow_state', { addProgress: text }];
  const script = { coordinator: [complete, [note('1'), ...complete], [note('2'), ...complete]] };
  const untrusted = await runTeam(scene, script, ['--max-turns', '2']);
  expect(untrusted.code, untrusted.out).toBe(2);
  expect(untrusted.err).toContain('completionGateScript');
  expect(untrusted.err).toContain('deepwork trust --path');
  expect(existsSync(scene.notes)).toBe(false);
  const env = { HOME: scene.home };
  await command(['trust', '--yes'], { cwd: scene.project.root, env });
  const again = { ...scene, notes: `${scene.notes}-2` };
  const failed = await runTeam(again, script, ['--max-turns', '2']);
  expect(failed.code, failed.err).toBe(3);
  expect(notesOf(again)[1]?.prompt).toContain('no such file');
  scene.project.write('done.txt', 'yes');
  const last = { ...scene, notes: `${scene.notes}-3` };
  const passed = await runTeam(last, script);
  expect(passed.code, passed.err).toBe(0);
  expect(orderOf(last)).toEqual(['coordinator']);
});

const NOTED = (text: string): Call => ['update_workflow_state', { addProgress: text }];
const GATE =
  'completionGateScript: test -e done.txt || (echo 1 test failed; echo no done.txt; exit 1)\n';

test("a refused 'complete' is visible, and three in a row stall the team", async () => {
  verifies('RUN-6');
  const scene = newTeam(GATE);
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  await command(['trust', '--yes'], options);
  const turns = ['1', '2', '3', '4', '5', '6'].map((text) => [NOTED(text), status('complete')]);
  const env = { AGENT_SCRIPT: JSON.stringify({ coordinator: turns }) };
  const limited = ['--team', '--command', COMMAND, '--max-turns', '2'];
  const ran = await finish(begin(scene, limited, { env }));
  expect(ran.code, ran.err).toBe(3);
  const refused = "'complete' refused: completionGateScript: exit code 1";
  expect(ran.out).toContain(`  ${refused}\n    1 test failed\n    no done.txt\n`);
  const read = async (...args: string[]) =>
    (await command(args, options)).stdout.replace(/\s+/g, ' ');
  expect(await read('status')).toContain(`Last feedback: ${refused}`);
  const { runs } = JSON.parse(await read('status', '--json'));
  const { session_id: id } = runs[0];
  expect(runs[0].refusals).toBe(2);
  expect(await read('history', id)).toContain(`${refused} 1 test failed no done.txt`);
  expect(await read('history')).toContain(
    "'complete' was turned down twice, last by completionGateScript: exit code 1",
  );
  // A resume counts anew, and the coordinator is told why.
  const args = ['--resume', '--max-turns', '9', '--json'];
  const resumed = await finish(begin(scene, args, { env }));
  expect(resumed.code, resumed.err).toBe(5);
  expect(orderOf(scene)).toHaveLength(5);
  expect(notesOf(scene)[2]?.prompt).toContain('no done.txt');
  expect(resumed.events.filter(({ event }) => event === 'complete_refused')).toHaveLength(3);
  expect(resumed.events.at(-1)).toMatchObject({
    reason: 'stalled',
    detail: "'complete' was refused in 3 turns in a row (completionGateScript: exit code 1)",
  });
});

test("a team that works between two refusals of 'complete' does not stall", async () => {
  verifies('RUN-6');
  const scene = newTeam(GATE);
  await command(['trust', '--yes'], {
    cwd: scene.project.root,
    env: { HOME: scene.home },
  });
  const asks = [READ, send('writer'), status('agent-done')];
  const ran = await runTeam(
    scene,
    {
      coordinator: [[status('complete')], [status('complete')], asks, [READ, status('complete')]],
      writer: [[READ, send('coordinator'), status('agent-done')]],
    },
    ['--max-turns', '6'],
  );
  expect(ran.code, ran.err).toBe(3);
  expect(orderOf(scene)).toHaveLength(6);
});

test('a script that an agent has changed is not run, and stops the team', async () => {
  verifies('RUN-6');
  const scene = newTeam('completionGateScript: sh gate.sh\n');
  scene.project.write('gate.sh', 'test -e done.txt\n');
  const env = { HOME: scene.home };
  await command(['trust', '--yes'], { cwd: scene.project.root, env });
  const edit: Call = ['write_file', { file: 'gate.sh', text: 'exit 0\n' }];
  const ran = await runTeam(scene, { coordinator: [[edit, status('complete')]] });
  expect(ran.code, ran.err).toBe(1);
  expect(orderOf(scene)).toEqual(['coordinator']);
  expect(ran.events.at(-1)).toMatchObject({ reason: 'failed' });
  expect(ran.events.at(-1).detail).toContain('gate.sh differs from what was trusted');
});

test('while a person is asked no one works, and the answer wakes the team', async () => {
  verifies('RUN-6');
  const scene = newTeam('', 'team:\n  question_wait_seconds: 1\n');
  const questions = [{ question: 'Which colour?', choices: ['red', 'blue'] }];
  const script = { coordinator: [[['ask_user_question', { questions }]], [status('complete')]] };
  const args = ['--team', '--command', COMMAND, '--json'];
  const env = { AGENT_SCRIPT: JSON.stringify(script) };
  const running = begin(scene, args, { env });
  await until(() => running.out().includes('waiting_for_person'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(orderOf(scene)).toEqual(['coordinator']);
  const home = { HOME: scene.home };
  const answer = ['answer', 'q-1', '--choose', 'red'];
  expect((await command(answer, { cwd: scene.project.root, env: home })).code).toBe(0);
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(0);
  expect(notesOf(scene)[1]?.prompt).toContain('q-1 (Which colour?): red');
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

test.for([
  ['GOAL.md is missing', 'There is no GOAL.md'],
  ['no command', "Agent 'coordinator' has no command"],
] as const)('%s: refused', async ([what, why]) => {
  verifies('RUN-6');
  const scene = what === 'no command' ? newTeam() : newScene(['a']);
  const args = ['--team', ...(what === 'no command' ? [] : ['--command', COMMAND])];
  const ran = await finish(begin(scene, args));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(why);
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
