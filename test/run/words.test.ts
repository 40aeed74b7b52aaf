// What a run tells the person who starts it before they leave, and when it ends.

import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workflow } from '../guides/guide-project.ts';
import { command } from '../support/command.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  begin,
  beginProcess,
  demoArguments,
  finish,
  type JournalEvent,
  journalOf,
  newScene,
  runDemo,
  runnerOf,
  type Scene,
  scripted,
  turnsOf,
} from './support.ts';

/** Runs the demo job without `--json`, as a person at a terminal does. */
async function printed(scene: Scene, modes: readonly string[], more: readonly string[] = []) {
  const command = ['--command', scripted(...modes)];
  return finish(begin(scene, ['demo/main', '--goal', 'Try it', ...command, ...more]));
}

test('a run without a budget says so, and one with a budget does not', async () => {
  verifies('RUN-4');
  const none = 'Budget: none (--max-turns, --max-minutes, --max-usd)';
  expect((await printed(newScene(['a']), ['honest'])).out).toContain(none);
  const bounded = await printed(newScene(['a']), ['honest'], ['--max-turns', '5']);
  expect(bounded.out).toContain('Started');
  expect(bounded.out).not.toContain('Budget: none');
});

test('with a budget of money, a command has to report its cost, and the run says how', async () => {
  verifies('RUN-4');
  const scene = newScene(['a']);
  const ran = await printed(scene, ['honest@0.1'], ['--max-usd', '1']);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.out).toContain('{"type":"result","total_cost_usd":0.12}');
  expect(ran.out.indexOf('total_cost_usd')).toBeLessThan(ran.out.indexOf('Turn 1'));
});

test('reviews without a reviewer are named before the first turn, nested ones as well', async () => {
  const scene = newScene(['a']);
  const step = (name: string) => ({ outputs: { [name]: 'file' as const }, reviews: [REVIEW] });
  const workflow = {
    name: 'main',
    summary: 'All',
    steps: ['a', 'b', { run: { name: 'nested', job: 'inner', workflow: 'main' } }],
  };
  const steps = { a: step('a'), b: { outputs: { b: 'file' as const } } };
  writeJob(scene.project, 'demo', steps, {}, { workflows: [workflow] });
  writeJob(scene.project, 'inner', { c: step('c') }, { main: ['c'] });
  const ran = await printed(scene, ['silent'], ['--max-turns', '1']);
  expect(ran.out, ran.err).toContain('2 steps have reviews, and no reviewer is configured');
  expect(ran.out).toContain('quality_gate.agent_review_command');
  const reviewed = '\nquality_gate:\n  agent_review_command: "true"\n';
  scene.project.write('.deepwork/config.yml', `git:\n  branch: off${reviewed}`);
  const env = { DEEPWORK_TRUST: '1' };
  const args = ['demo/main', '--goal', 'x', '--command', scripted('silent'), '--max-turns', '1'];
  const configured = await finish(begin(scene, args, { env }));
  expect(configured.out, configured.err).toContain('Started');
  expect(configured.out).not.toContain('no reviewer is configured');
});

test.for([
  ['SIGTERM', 'Ended by SIGTERM'],
  ['SIGINT', 'Stopped by the person'],
] as const)('a run that %s ends says so', async ([signal, words]) => {
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['hang']));
  await until(() => turnsOf(scene).length === 1);
  process.kill(runnerOf(scene), signal);
  const ran = await finish(running);
  expect(ran.code, ran.err).toBe(130);
  expect(ran.events.at(-1)).toMatchObject({ reason: 'stopped', detail: words });
});

test('a run whose terminal is closed says so', async () => {
  const scene = newScene(['a']);
  const { project, home, notes } = scene;
  const args = ['run', ...demoArguments(['hang'])];
  deepworkOnTerminal(args, { cwd: project.root, env: { HOME: home, AGENT_NOTES: notes } });
  await until(() => turnsOf(scene).length === 1);
  const runner = runnerOf(scene);
  for (let times = 0; times < 2; times++) process.kill(runner, 'SIGHUP');
  await until(() => journalOf(scene, 'run').at(-1)?.type === 'run_stopped');
  expect(journalOf(scene, 'run').at(-1)?.data).toMatchObject({
    reason: 'stopped',
    detail: 'Its terminal was closed (SIGHUP)',
  });
});

test('--resume without an id says which run it resumes if a newer one has ended', async () => {
  const scene = newScene(['a', 'b']);
  const { events: forgotten } = await runDemo(scene, ['honest'], ['--max-turns', '1']);
  const { events: newest } = await runDemo(scene, ['honest']);
  const [old, done] = [forgotten[0].id, newest[0].id];
  const ran = await finish(begin(scene, ['--resume', '--max-turns', '9']));
  expect(ran.code, ran.err).toBe(0);
  const [first = '', second] = ran.out.split('\n');
  const words = `The newest run, ${done}, is complete. Resuming the newest unfinished one, ${old}, stopped today`;
  expect(first.replace(/ \d\d:\d\d: /, ': ')).toBe(`${words}: Its budget of 1 turn is used up`);
  expect(second).toContain(`Resumed after 1 turn: demo/main (run ${old})`);
});

test('--resume with an id says nothing of other runs, nor does it if no newer one has ended', async () => {
  const scene = newScene(['a', 'b', 'c']);
  const { events } = await runDemo(scene, ['honest'], ['--max-turns', '1']);
  const alone = await finish(begin(scene, ['--resume', '--max-turns', '2']));
  expect(alone.out).toMatch(/^Resumed after 1 turn/);
  await runDemo(scene, ['honest']);
  const named = await finish(begin(scene, ['--resume', events[0].id, '--max-turns', '9']));
  expect(named.code, named.err).toBe(0);
  expect(named.out).toMatch(/^Resumed after 2 turns/);
});

test.for([[['demo/main', '--goal', 'x', '--command', 'node']], [['--resume']]])(
  'outside of a project %j starts nothing, which is exit code 2',
  async ([args]) => {
    const ran = await finish(begin(newScene(['a']), args ?? [], { cwd: tempFolder() }));
    expect(ran.code, ran.out).toBe(2);
    expect(ran.err).toContain('No deepwork project here or above');
    expect(ran.err).toContain('deepwork init');
  },
);

test('a job with several workflows is not run by its own name; the run names them', async () => {
  const scene = newScene(['a', 'b']);
  const steps = { a: { outputs: { a: 'file' as const } } };
  writeJob(scene.project, 'demo', steps, { first: ['a'], second: ['a'] });
  const args = ['demo', '--goal', 'x', '--command', 'node'];
  const ran = await finish(begin(scene, args));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('name the one to run: demo/first, demo/second');
});

test('an unknown name is answered with everything that can be run, guides included', async () => {
  const scene = newScene(['a']);
  const guide = workflow({ id: 'release-notes' });
  scene.project.write('.deepwork/workflows/release-notes.json', JSON.stringify(guide));
  const ran = await finish(begin(scene, ['release-note', '--goal', 'x', '--command', 'node']));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("did you mean 'release-notes'? Else name the one to run: ");
  expect(ran.err).toMatch(/name the one to run: .*demo\/main.*release-notes/);
});

test('resume is no command of its own, and says what is', async () => {
  const scene = newScene(['a']);
  const { code, stderr } = await command(['resume'], { cwd: scene.project.root });
  expect(code).toBe(2);
  expect(stderr).toContain("did you mean 'run --resume'?");
});

test('--resume last is the newest run', async () => {
  const scene = newScene(['a', 'b']);
  await runDemo(scene, ['honest'], ['--max-turns', '1']);
  const ran = await finish(begin(scene, ['--resume', 'last', '--max-turns', '9']));
  expect(ran.code, ran.err).toBe(0);
  // The newest one is over now, so there is nothing that last could mean.
  const again = await finish(begin(scene, ['--resume', 'last']));
  expect(again.code).toBe(2);
  expect(again.err).toMatch(/Run \w{8} has ended: complete/);
});

test('a run that was aborted after its budget was used up is not said to have ended by its budget', async () => {
  const scene = newScene(['a', 'b']);
  await runDemo(scene, ['honest'], ['--max-turns', '1']);
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  const abort = ['abort', 'last', '--reason', 'no use', '--by', 'Pat'];
  const aborted = await command(abort, at);
  expect(aborted.code, aborted.stderr).toBe(0);
  const again = await finish(begin(scene, ['--resume', 'last']));
  expect(again.code).toBe(2);
  expect(again.err).toMatch(/Run \w{8} has ended: Pat aborted it: no use\n/);
});

test('the export of an unattended run names its agent as status and history do', async () => {
  const scene = newScene(['a']);
  await runDemo(scene, ['honest']);
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  const { stdout } = await command(['history', 'last'], at);
  const [, agent = ''] = /, by (\S+)$/m.exec(stdout) ?? [];
  expect(agent).toBe('scripted-agent.cjs');
  expect(await command(['export', 'last', '-o', 'run.html'], at)).toMatchObject({ code: 0 });
  const page = readFileSync(scene.project.path('run.html'), 'utf8');
  expect(page).toContain(`<li>by ${agent}</li>`);
  expect(page).toContain(`UTC, ${agent}</button>`);
  expect(page).not.toContain('coordinator|');
});

test('a run that waits for the checkout learns how to stop the other one, and that it is stopping', async () => {
  const scene = newScene(['a']);
  const running = beginProcess(scene, demoArguments(['stubborn']));
  await until(() => turnsOf(scene).length === 1);
  const [{ data }] = journalOf(scene, 'run') as [JournalEvent];
  const other = await finish(begin(scene, demoArguments(['honest'])));
  expect(other.code).toBe(2);
  expect(other.err).toContain(`deepwork stop ${data.run_id}`);
  // Without an id, because only one runs.
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  const stopped = await command(['stop'], at);
  expect(stopped.code, stopped.stderr).toBe(0);
  expect(stopped.stdout).toContain(data.run_id);
  const later = await finish(begin(scene, demoArguments(['honest'])));
  expect(later.code).toBe(2);
  expect(later.err).toContain(`Run ${data.run_id} is stopping`);
  expect((await finish(running)).code).toBe(130);
  const none = await command(['stop'], at);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('No unattended run is active');
});

test('a cost that is not known is nowhere shown as nothing', async () => {
  verifies('RUN-4');
  const scene = newScene(['a', 'b']);
  const ran = await runDemo(scene, ['honest'], ['--max-turns', '1']);
  expect(ran.events.at(-1)).toMatchObject({ event: 'run_stopped', cost_usd: null });
  const shown = await finish(begin(scene, ['--resume', '--max-turns', '1']));
  expect(shown.out).toContain('after 1 turn: ');
  const limited = await finish(begin(scene, ['--resume', '--max-usd', '1', '--max-turns', '1']));
  expect(limited.out).toContain('after 1 turn, cost unknown: ');
  const priced = newScene(['a']);
  const known = await runDemo(priced, ['honest@0.5']);
  expect(known.events.at(-1)).toMatchObject({ event: 'run_stopped', cost_usd: 0.5 });
});

test('times are shown as the clock of this machine shows them', async () => {
  const told = path.join(tempFolder(), 'told.jsonl');
  const scene = newScene(['a'], `team:\n  notify: cat >> ${told}\n`);
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  await command(['trust', '--yes'], at);
  const ran = await printed(scene, ['quota:3600'], ['--on-limit', 'stop']);
  expect(ran.code, ran.err).toBe(4);
  const local = /out of quota until (today|\w+day)[^Z]*? \d\d:\d\d/;
  expect(ran.out).toMatch(local);
  const commands = [['status'], ['history'], ['history', 'last']];
  const shown = await Promise.all(commands.map((words) => command(words, at)));
  for (const { stdout } of shown) {
    expect(stdout.replace(/\s+/g, ' ')).toMatch(local);
    expect(stdout).not.toMatch(RAW_TIME);
  }
  const { detail } = JSON.parse(readFileSync(told, 'utf8'));
  expect(detail).toMatch(local);
  // Programs get exact times.
  const { stdout: json } = await command(['history', 'last', '--json'], at);
  expect(json).toMatch(/out of quota until \d{4}-\d\d-\d\dT/);
});

const RAW_TIME = /\d\dT\d\d:/;

test('so is the time of a question', async () => {
  const scene = newScene(['a'], 'team:\n  question_wait_seconds: 1\n');
  const running = begin(scene, demoArguments(['ask']));
  await until(() => running.out().includes('waiting_for_person'));
  const at = { cwd: scene.project.root, env: { HOME: scene.home } };
  const { stdout } = await command(['answer', 'q-1'], at);
  expect(stdout).toMatch(/q-1\S* +asked (today|yesterday) \d\d:\d\d\n/);

  const given = ['answer', 'q-1', '--other', 'Go on', '--by', 'Ada'];
  expect(await command(given, at)).toMatchObject({ code: 0 });
  const by = /by Ada, (?:terminal, )?(today|yesterday) \d\d:\d\d/;
  const [answered, late, again] = await Promise.all([
    ...[['answer'], given, ['answer', 'q-1']].map((words) => command(words, at)),
  ]);
  expect(answered?.stdout).toMatch(by);
  for (const refused of [late, again]) expect(refused?.stderr).toMatch(by);
});

test('a run whose record is damaged is not called unknown, and says how its work goes on', async () => {
  verifies('RUN-4');
  const scene = newScene();
  expect((await runDemo(scene, ['honest'], ['--max-turns', '1'])).code).toBe(3);
  const { run_id: id } = journalOf(scene, 'run')[0]?.data ?? {};
  appendFileSync(scene.project.path(`.deepwork/journal/run/${id}.jsonl`), 'garbage\n');
  const resumed = await finish(begin(scene, ['--resume', id]));
  expect(resumed.code).toBe(2);
  expect(resumed.err).toContain(`Run ${id} cannot be resumed: the record of its turns is damaged`);
  expect(resumed.err).toContain('.deepwork/journal/damaged/');
  expect(resumed.err).toContain(`deepwork abort ${id}`);
  const aborted = await command(['abort', id, '--reason', 'damaged'], { cwd: scene.project.root });
  expect(aborted).toMatchObject({ code: 0 });
  const over = await finish(begin(scene, ['--resume', id]));
  expect(over.err).toContain(`its workflow is over: run \`deepwork history ${id}\``);
});

test('a run whose record another user wrote is not called damaged, and names the command that accepts it', async () => {
  verifies('RUN-4');
  const scene = newScene();
  expect((await runDemo(scene, ['honest'], ['--max-turns', '1'])).code).toBe(3);
  const { run_id: id } = journalOf(scene, 'run')[0]?.data ?? {};
  const elsewhere = { ...scene, home: tempFolder() };
  const resumed = await finish(begin(elsewhere, ['--resume', id]));
  expect(resumed.code).toBe(2);
  expect(resumed.err).toContain('this user did not write the record of its turns here');
  expect(resumed.err).toContain('.deepwork/journal/quarantine/');
  expect(resumed.err).toContain('run `deepwork repair --journal`, then this.');
});

test('who ends a run that has stopped is not told that an agent gets the reason', async () => {
  verifies('RUN-4');
  const scene = newScene();
  expect((await runDemo(scene, ['honest'], ['--max-turns', '1'])).code).toBe(3);
  const { run_id: id } = journalOf(scene, 'run')[0]?.data ?? {};
  const env = { HOME: scene.home };
  const at = { cwd: scene.project.root, env };
  const { stdout } = await command(['abort', id, '--reason', 'enough'], at);
  expect(stdout).toContain(`Aborted ${id} (`);
  expect(stdout).not.toContain('next call');
});
