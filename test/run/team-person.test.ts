// What a person does to a run of a team: look back at it, and put it away.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { command } from '../support/command.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { begin, finish, newScene, runDemo, type Scene } from './support.ts';
import { COMMAND, newTeam, runTeam, send, status } from './team-support.ts';

/** Several runs in one test, on a machine that does other things as well. */
vi.setConfig({ testTimeout: 60_000 });

const WORKING = { coordinator: [[send('writer'), status('agent-done')]] };
const ABORT = ['--reason', 'Not needed', '--by', 'Ada'];

async function shown(scene: Scene, ...args: readonly string[]) {
  const options = { cwd: scene.project.root, env: { HOME: scene.home } };
  const { code, stdout, stderr } = await command(args, options);
  return { code, out: stdout.replace(/\s+/g, ' '), err: stderr.replace(/\s+/g, ' ') };
}

/** A run that its budget has stopped. */
async function stoppedTeam(): Promise<{ readonly scene: Scene; readonly id: string }> {
  const scene = newTeam();
  const ran = await runTeam(scene, WORKING, ['--max-turns', '1']);
  expect(ran.code, ran.err).toBe(3);
  return { scene, id: ran.events[0].id };
}

test('a stopped team that a person aborts has ended, with the reason', async () => {
  verifies('RUN-6', 'BOARD-4');
  const { scene, id } = await stoppedTeam();
  const before = await shown(scene, 'status');
  expect(before.out).toContain('Needs you');
  expect(before.out).toContain(`deepwork abort ${id} --reason`);
  expect((await shown(scene, 'stop', id)).err).toContain(`deepwork abort ${id}`);
  const done = await shown(scene, 'abort', id, ...ABORT);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toContain(`Aborted ${id} (GOAL.md: Write a book).`);
  const after = await shown(scene, 'status');
  expect(after.out).not.toContain('Needs you');
  expect(after.out).toContain('Ada aborted it: Not needed');
  expect(JSON.parse((await shown(scene, 'status', '--json')).out).runs[0]).toMatchObject({
    session_id: id,
    status: 'aborted',
    ended_at: expect.any(String),
  });
  expect((await shown(scene, 'history', id)).out).toContain('Ada aborted it: Not needed');
  expect((await shown(scene, 'history')).out).toContain('1 run aborted');
  const again = await shown(scene, 'abort', id, ...ABORT);
  expect(again).toMatchObject({ code: 1 });
  expect(again.err).toContain(
    `Run ${id} has ended. Ada aborted it: Not needed. Next: look at its history: deepwork history ${id}`,
  );
  const resumed = await finish(begin(scene, ['--resume', '--json']));
  expect(resumed.code).toBe(2);
  expect(resumed.err).toContain('There is no unfinished run here');
});

test('a team that a person aborts while it works ends its agent, and itself', async () => {
  verifies('RUN-6', 'BOARD-4');
  const scene = newTeam('', 'team:\n  question_wait_seconds: 1\n');
  const questions = [{ question: 'Which colour?', choices: ['red', 'blue'] }];
  const script = { coordinator: [[['ask_user_question', { questions }]]] };
  const env = { AGENT_SCRIPT: JSON.stringify(script) };
  const running = begin(scene, ['--team', '--command', COMMAND, '--json'], { env });
  await until(() => running.out().includes('waiting_for_person'));
  // One run in detail says the same as the list of runs.
  const { run } = JSON.parse((await shown(scene, 'history', 'last', '--json')).out);
  expect(run).toMatchObject({ state: 'waiting_for_person', questions: ['q-1'] });
  const done = await shown(scene, 'abort', 'last', ...ABORT);
  expect(done).toMatchObject({ code: 0, err: '' });
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(1);
  expect(ran.events.at(-1)).toMatchObject({
    reason: 'aborted',
    detail: 'Ada aborted it: Not needed',
  });
  expect((await shown(scene, 'status')).out).toContain('aborted');
});

test('a stopped team is aborted on the page, too', async () => {
  verifies('RUN-6', 'BOARD-4');
  const { scene, id } = await stoppedTeam();
  const { url } = await serveHttpInProcess(scene.project.root, { home: scene.home });
  const answer = await fetch(`${url}/api/runs/${id}/abort`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'Not needed', by: 'Ada' }),
  });
  expect(await answer.json()).toMatchObject({ session_id: id, status: 'aborted', by: 'Ada' });
  expect((await shown(scene, 'status')).out).toContain('Ada aborted it: Not needed');
});

test('the status of a team names the turn, and says once why it stopped', async () => {
  verifies('RUN-6', 'BOARD-2');
  const { scene } = await stoppedTeam();
  const { out } = await shown(scene, 'status');
  expect(out).toContain('GOAL.md, turn 1 of coordinator');
  expect(out).not.toContain('step coordinator');
  expect(out.match(/budget of 1 turn/g)).toHaveLength(1);
});

test("'last' is the run of a team, if that is the latest", async () => {
  verifies('RUN-6');
  const { scene, id } = await stoppedTeam();
  const history = await shown(scene, 'history', 'last');
  expect(history).toMatchObject({ code: 0, err: '' });
  expect(history.out).toContain(id);
  expect(history.out).toContain('Turn 1 of coordinator began');
  const graph = await shown(scene, 'graph', 'last');
  expect(graph).toMatchObject({ code: 1, out: '' });
  expect(graph.err).toContain(`Run ${id} is that of a team, which has no drawing`);
  expect(graph.err).toContain(`deepwork history ${id}`);
});

test('prune moves runs of the team that are over, and keeps one that can be resumed', async () => {
  verifies('RUN-6', 'BOARD-7');
  const scene = newTeam();
  const done = await runTeam(scene, { coordinator: [[status('complete')]] });
  expect(done.code, done.err).toBe(0);
  const script = { coordinator: [[], ...WORKING.coordinator] };
  const spent = await runTeam(scene, script, ['--max-turns', '1']);
  expect(spent.code, spent.err).toBe(3);
  const over: string = done.events[0].id;
  const stopped: string = spent.events[0].id;
  const fileOf = (id: string) => scene.project.path(`.deepwork/journal/team_run/${id}.jsonl`);
  const lines = readFileSync(fileOf(over), 'utf8');
  expect((await shown(scene, 'prune')).out).toContain('Nothing to prune; 2 runs active or ended');

  const planned = await shown(scene, 'prune', '--older-than', '0m', '--dry-run');
  expect(planned.out).toMatch(
    new RegExp(`^${over} GOAL.md done \\d{4}-\\d\\d-\\d\\d Would move 1 run; 1 run active`),
  );
  expect(existsSync(fileOf(over))).toBe(true);
  const pruned = JSON.parse((await shown(scene, 'prune', '--older-than', '0m', '--json')).out);
  expect(pruned).toMatchObject({
    sessions: [],
    kept: [],
    unreadable: [],
    untouched: 1,
    team_runs: [{ run_id: over, goal: 'Write a book', status: 'completed' }],
  });
  expect(readFileSync(scene.project.path(pruned.archives[0]), 'utf8')).toContain(lines);
  expect([over, stopped].map((id) => existsSync(fileOf(id)))).toEqual([false, true]);
  expect((await shown(scene, 'status', '--all')).out).not.toContain(over);

  // Verified in the archive, by its id as well.
  expect(await shown(scene, 'verify')).toMatchObject({ code: 0 });
  expect((await shown(scene, 'verify', over)).out).toContain('1 archive');
  expect((await shown(scene, 'verify', stopped)).out).toContain('1 stream');

  expect(await shown(scene, 'abort', stopped, ...ABORT)).toMatchObject({ code: 0 });
  const rest = await shown(scene, 'prune', '--older-than', '0m');
  expect(rest.out).toMatch(new RegExp(`^${stopped} GOAL.md aborted`));
  expect(await shown(scene, 'verify')).toMatchObject({ code: 0 });
});

test('verify with the id of an unattended run covers its session and its turns', async () => {
  verifies('RUN-6', 'BOARD-6');
  const scene = newScene(['a']);
  const ran = await runDemo(scene, ['honest']);
  const id: string = ran.events[0].id;
  expect((await shown(scene, 'verify', id)).out).toContain('2 streams');
  expect((await shown(scene, 'verify', 'last')).out).toContain('2 streams');
});
