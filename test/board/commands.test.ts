// status and history as a person types them: 80 columns, pipes, ids, following, watching.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import { openRegistry } from '../../src/launch/registry.ts';
import { command } from '../support/command.ts';
import { BINARY, connect, connectToProcess } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { run } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { expectSchema, historyOf, newDemo, START, statusOf, textOf } from './support.ts';

const REPORT = { outputs: { report: 'report.md' } };
const NASTY = `\u001b[31mred\u001b[0m \u202eright to left: a goal of many words, so that it has to be wrapped at the end of a line; ${'x'.repeat(90)}\nand 漢字が続く長い文章です漢字が続く長い文章です漢字が続く長い文章です漢字が続く長い文章です`;

test('everything fits into 80 columns, and nothing of an agent reaches the terminal raw', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', { ...START, goal: NASTY })).begin_step.session_id;
  await agent.ok('finished_step', { ...REPORT, notes: NASTY });
  await agent.ok('finished_step', { outputs: { page: 'report.md' }, notes: NASTY });
  await agent.ok('start_workflow', { ...START, goal: NASTY });
  await agent.ok('abort_workflow', { explanation: NASTY });
  for (const args of [['status'], ['history'], ['history', id], ['history', 'last']]) {
    const text = await textOf(project, ...args);
    for (const line of text.split('\n')) expect(cellWidth(line), line).toBeLessThanOrEqual(80);
    expect(text).toContain('\\u001b[31mred');
    expect(text).toContain('\\u202eright');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});

test('history tells what happened in words, with what each rule and check said of which bytes', async () => {
  verifies('BOARD-2');
  const project = newProject({ 'report.md': 'x', 'better.md': 'good' });
  const checks = [{ name: 'is good', run: 'grep -r good . --include=better.md --quiet' }];
  const step = { outputs: { report: 'file' }, checks };
  writeJob(project, 'demo', { a: step, b: {} }, { main: ['a', 'b'] });
  const agent = await connect(project.root, {
    args: ['--trust'],
    env: { SGAI_AGENT_IDENTITY: 'writer' },
  });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  project.write('better.md', 'bad');
  await agent.ok('finished_step', REPORT);
  project.write('better.md', 'good');
  await agent.ok('finished_step', { outputs: { report: 'better.md' }, notes: 'Done now' });
  await agent.ok('go_to_step', { step_id: 'a' });
  await agent.ok('abort_workflow', { explanation: 'It is enough' });
  const { run: shown, events } = await historyOf(project, id);
  expect(shown).toMatchObject({ status: 'aborted', refusals: 1, last_feedback: 'It is enough' });
  expect(events.map(({ type }) => type)).toEqual([
    ...['started', 'checking', 'judged', 'checking', 'judged', 'went_back', 'aborted'],
  ]);
  expect(events.every(({ by }) => by === 'writer')).toBe(true);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const [, , refused, , accepted, back, gone] = events;
  expect(refused?.text).toMatch(/^'a' turned down by a check\nCheck 'is good' failed/);
  expect(refused?.text).toContain('Files: report.md (sha256 2d711642…)');
  expect(accepted?.text).toMatch(/^'a' accepted; on to 'b'\nCheck 'is good' passed/);
  expect(accepted?.text).toContain("The agent's notes: Done now");
  expect(back?.text).toBe("Went back from 'b' to 'a'; to be done again: a, b");
  expect(gone?.text).toBe('Aborted: It is enough');
  const text = await textOf(project, 'history', id.slice(0, 7));
  expect(text).toContain("'a' turned down by a check");
  expect(text).toContain('Aborted: It is enough');
});

test('last is the run in which something happened last, not a short one nested in it', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const { session_id } = (await agent.ok('start_workflow', START)).begin_step;
  await agent.ok('start_workflow', { ...START, goal: 'By mistake' });
  await agent.ok('abort_workflow', { explanation: 'By mistake' });
  await agent.ok('abort_workflow', { explanation: 'It is enough' });
  expect((await historyOf(project, 'last')).run.session_id).toBe(session_id);
  const drawn = await textOf(project, 'graph', 'last');
  expect(drawn).toContain(session_id);
  const { files } = JSON.parse(await textOf(project, 'verify', 'last', '--json'));
  expect(files[0].streams[0].stream).toBe(`session/${session_id}`);
});

test('an id may be cut as long as it is clear', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const ids: string[] = [];
  // Of seventeen ids two begin with the same digit.
  for (let nth = 0; nth < 17; nth++) {
    ids.push((await agent.ok('start_workflow', START)).begin_step.session_id);
    await agent.ok('abort_workflow', { explanation: 'Enough' });
  }
  expect((await historyOf(project, ids[3] ?? '')).run.session_id).toBe(ids[3]);
  const first = ids.map((id) => id[0] ?? '');
  const shared = first.find((digit, at) => first.indexOf(digit) !== at) ?? '';
  const unclear = await command(['history', shared], { cwd: project.root });
  expect(unclear).toMatchObject({ code: 1, stdout: '' });
  expect(unclear.stderr).toMatch(/Several runs begin with/);
  const unknown = await command(['history', 'nothing'], { cwd: project.root });
  expect(unknown.stderr).toMatch(/There is no run 'nothing'\n.*deepwork status --all/);
  expect((await command(['history', 'a', 'b'], { cwd: project.root })).code).toBe(2);
  // Ten ended ones, unless all are wanted.
  expect((await statusOf(project)).runs.map(({ session_id }) => session_id)).toEqual(
    ids.slice(-10).reverse(),
  );
  expect((await statusOf(project, '--all')).runs).toHaveLength(17);
});

test('deepwork alone shows the status where there is something to show, and help elsewhere', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const outside = { cwd: tempFolder() };
  expect(await command([], outside)).toEqual(await command(['--help'], outside));
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const { stdout, code } = await command([], { cwd: project.root });
  expect(code).toBe(0);
  expect(stdout).toContain(`${id}  working`);
  expect(stdout).toContain(`deepwork history ${id}`);
  expect(stdout).toContain('deepwork --help');
});

test('a pipe that is closed early ends the command quietly', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  for (let nth = 0; nth < 5; nth++) await agent.ok('start_workflow', START);
  const command = `"${process.execPath}" "${BINARY}"`;
  for (const look of [
    'status',
    'status --json',
    'history',
    'history --json',
    'history last',
    'history last --json',
  ]) {
    const ran = await run('sh', ['-c', `${command} ${look} | head -n 1`], { cwd: project.root });
    expect(ran, look).toMatchObject({ code: 0, stderr: '' });
  }
});

/** A command that stays; what it printed so far. */
function staying(project: Project, ...args: string[]) {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd: project.root });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close');
  return { out: () => out, err: () => err, ended, end: () => void child.kill('SIGINT') };
}

test('a followed history prints each event as it comes, and ends with the run', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const text = staying(project, 'history', id, '--follow');
  const json = staying(project, 'history', 'last', '--follow', '--json');
  await until(() => text.out().includes('Started at') && json.out().includes('started'));
  await agent.ok('finished_step', REPORT);
  await until(() => text.out().includes("'a' accepted; on to 'b'"));
  await until(() => json.out().includes("'a' accepted"));
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  const [[textCode], [jsonCode]] = await Promise.all([text.ended, json.ended]);
  expect([textCode, jsonCode, text.err(), json.err()]).toEqual([0, 0, '', '']);
  expect(text.out()).toContain('Aborted: Enough');
  const lines = json
    .out()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines) expectSchema('history.schema.json', line);
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, undefined]);
  expect(lines.at(-1)).toMatchObject({ run: { session_id: id, status: 'aborted' } });
});

test('a followed history that the person ends says last where the run is', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  const json = staying(project, 'history', 'last', '--follow', '--json');
  await until(() => json.out().includes('started'));
  json.end();
  expect((await json.ended)[0]).toBe(0);
  const last = JSON.parse(json.out().trimEnd().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ run: { status: 'active', step: 'a' } });
});

test('status --watch draws again in place when something changes', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const screen = deepworkOnTerminal(['status', '--watch'], { cwd: project.root });
  await screen.sees('step a (1 of 3)');
  expect(screen.screen()).toContain('\u001b[32mworking');
  await agent.ok('finished_step', REPORT);
  await screen.sees('\u001b[J');
  await screen.sees(id);
  await screen.sees('step b (2 of 3)');
  // Before it, the cursor went up as many lines as the last picture had.
  expect(screen.screen()).toMatch(/\u001b\[\d+A\r\u001b\[J/);
});

test('on a small screen nothing that matters is out of sight', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connectToProcess(project.root);
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth++) {
    ids.push((await agent.ok('start_workflow', START)).begin_step.session_id);
  }
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await statusOf(project)).runs[0]?.state === 'orphaned');
  const small = { cwd: project.root, rows: 10 };
  const status = deepworkOnTerminal(['status'], small);
  await status.ended;
  expect(status.screen()).toContain('3 active runs. What needs you is at the top.');
  const history = deepworkOnTerminal(['history'], small);
  await history.ended;
  expect(history.screen().match(/3 runs whose agent is gone\./g)).toHaveLength(2);
  // Watched, each has a line.
  const watched = deepworkOnTerminal(['status', '--watch'], small);
  await watched.sees(': 3 active runs');
  for (const id of ids) await watched.sees(`${id}  \u001b[31magent gone`);
  expect(watched.screen()).not.toContain('more lines: deepwork status');
  const high = deepworkOnTerminal(['status'], { cwd: project.root, rows: 50 });
  await high.ended;
  expect(high.screen()).not.toContain('at the top');
});

test('status --watch --json prints a line for each change', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const watched = staying(project, 'status', '--watch', '--json');
  await until(() => watched.out().includes('\n'));
  await agent.ok('start_workflow', START);
  await until(() => watched.out().includes('"step":"a"'));
  await agent.ok('finished_step', REPORT);
  await until(() => watched.out().includes('"step":"b"'));
  watched.end();
  expect((await watched.ended)[0]).toBe(0);
  for (const line of watched.out().trimEnd().split('\n')) {
    expectSchema('status.schema.json', JSON.parse(line));
  }
});

test('no colour in a pipe, nor where the person wants none', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  expect(await textOf(project, 'status')).not.toContain('\u001b');
  const plain = deepworkOnTerminal(['status'], { cwd: project.root, env: { NO_COLOR: '1' } });
  expect(await plain.ended).toBe(0);
  expect(plain.screen()).not.toContain('\u001b');
  const coloured = deepworkOnTerminal(['status'], { cwd: project.root });
  expect(await coloured.ended).toBe(0);
  expect(coloured.screen()).toContain('\u001b[32mworking');
});

test('a run is shown although everything that only remembers was deleted, in part or as a whole', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const done = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  for (const gone of ['.deepwork/tmp/ended.log', '.deepwork/tmp/open', '.deepwork/tmp']) {
    rmSync(project.path(gone), { recursive: true, force: true });
    const { runs } = await statusOf(project);
    expect(
      runs.map(({ session_id }) => session_id),
      gone,
    ).toEqual([id, done]);
  }
  // The server goes on as if nothing had happened, and so does who looks.
  const other = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const { runs } = await statusOf(project);
  expect(runs.map(({ session_id }) => session_id)).toEqual([id, other, done]);
});

test('the log of a launched server is named once there is something in it', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const home = newHome();
  const registry = openRegistry(project.root, home);
  registry.add(0, { url: 'http://127.0.0.1:1', pass: 'secret', launched: true });
  const log = path.join(registry.folder, '1.log');
  const at = { cwd: project.root, env: { HOME: home } };
  const shown = async () =>
    (await Promise.all(['status', 'doctor'].map((name) => command([name], at)))).map(({ stdout }) =>
      stdout.replace(/\s+/g, '').includes(log),
    );
  expect(await shown()).toEqual([false, false]);
  writeFileSync(log, '');
  expect(await shown()).toEqual([false, false]);
  writeFileSync(log, 'deepwork: Something went wrong\n');
  expect(await shown()).toEqual([true, true]);
});
