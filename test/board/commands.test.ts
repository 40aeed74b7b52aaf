// status, history and graph as a person types them: 80 columns, pipes, ids, following, watching.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import { command } from '../support/command.ts';
import { BINARY, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { run } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import {
  commandIn,
  expectSchema,
  historyOf,
  newDemo,
  REPORT,
  START,
  start,
  statusOf,
  textOf,
} from './support.ts';

const NASTY = `\u001b[31mred\u001b[0m \u202eright to left: a goal of many words, so that it has to be wrapped at the end of a line; ${'x'.repeat(90)}\nand 漢字が続く長い文章です漢字が続く長い文章です漢字が続く長い文章です漢字が続く長い文章です`;

test('everything fits into 80 columns, and nothing of an agent reaches the terminal raw', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const nasty = { ...START, goal: NASTY };
  const id = await start(agent, nasty);
  await agent.ok('finished_step', { ...REPORT, notes: NASTY });
  await agent.ok('finished_step', { outputs: { page: 'report.md' }, notes: NASTY });
  await start(agent, nasty);
  await agent.ok('abort_workflow', { explanation: NASTY });
  for (const args of [['status'], ['history'], ['history', id], ['history', 'last']]) {
    const text = await textOf(project, ...args);
    for (const line of text.split('\n')) expect(cellWidth(line), line).toBeLessThanOrEqual(80);
    expect(text).toContain('\\u001b[31mred');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});

test('history tells what happened, with what each check said of which bytes', async () => {
  verifies('BOARD-2');
  const project = newProject({ 'report.md': 'x', 'better.md': 'bad' });
  const checks = [{ name: 'is good', run: 'grep -r good . --include=better.md --quiet' }];
  const step = { outputs: { report: 'file' as const }, checks };
  writeJob(project, 'demo', { a: step, b: {} }, { main: ['a', 'b'] });
  const env = { SGAI_AGENT_IDENTITY: 'writer' };
  const agent = await connect(project.root, { args: ['--trust'], env });
  const id = await start(agent);
  await agent.ok('finished_step', REPORT);
  project.write('better.md', 'good');
  await agent.ok('finished_step', { outputs: { report: 'better.md' }, notes: 'Done now' });
  await agent.ok('go_to_step', { step_id: 'a' });
  await agent.ok('abort_workflow', { explanation: 'It is enough' });
  const { run: shown, events } = await historyOf(project, id.slice(0, 7));
  expect(shown).toMatchObject({ status: 'aborted', refusals: 1, last_feedback: 'It is enough' });
  expect(events.map(({ type }) => type)).toEqual([
    ...['started', 'checking', 'judged', 'checking', 'judged', 'went_back', 'aborted'],
  ]);
  expect(events.every(({ by }) => by === 'writer')).toBe(true);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  for (const named of ["'is good'", 'report.md', '2d711642'])
    expect(events[2]?.text).toContain(named);
  for (const named of ["'is good'", 'better.md', 'Done now'])
    expect(events[4]?.text).toContain(named);
  expect(events[6]?.text).toContain('It is enough');
});

test('an id may be cut as long as it is clear', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const ids: string[] = [];
  // Of seventeen ids two begin with the same digit.
  for (let nth = 0; nth < 17; nth++) {
    ids.push(await start(agent));
    await agent.ok('abort_workflow', { explanation: 'Enough' });
  }
  const first = ids.map((id) => id[0] ?? '');
  const shared = first.find((digit, at) => first.indexOf(digit) !== at) ?? '';
  for (const unclear of [shared, 'nothing']) {
    const ran = await commandIn(project, 'history', unclear);
    expect(ran, unclear).toMatchObject({ code: 1, stdout: '' });
  }
  expect((await commandIn(project, 'history', 'a', 'b')).code).toBe(2);
  const listed = (await statusOf(project)).runs.map(({ session_id }) => session_id);
  expect(listed).toEqual(ids.slice(-10).reverse());
  // The last is the run in which something happened last, not a short one nested in it.
  const id = await start(agent);
  await start(agent);
  for (let runs = 0; runs < 2; runs++) await agent.ok('abort_workflow', { explanation: 'Enough' });
  expect((await historyOf(project, 'last')).run.session_id).toBe(id);
});

test('deepwork alone shows the status where there is something to show, and help elsewhere', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const outside = { cwd: tempFolder() };
  expect(await command([], outside)).toEqual(await command(['--help'], outside));
  const id = await start(await connect(project.root));
  const { stdout, code } = await command([], { cwd: project.root });
  expect(code).toBe(0);
  expect(stdout).toContain(`deepwork history ${id}`);
});

test.for(['status', 'status --json', 'history', 'history --json', 'history last --json'])(
  'a pipe that is closed early ends %s quietly',
  async (look) => {
    verifies('BOARD-2');
    const project = newDemo();
    const agent = await connect(project.root);
    for (let nth = 0; nth < 5; nth++) await start(agent);
    const typed = `"${process.execPath}" "${BINARY}" ${look} | head -n 1`;
    const ran = await run('sh', ['-c', typed], { cwd: project.root });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  },
);

/** A command that stays; the lines that it printed so far, and what they are at its end. */
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
  const closed = once(child, 'close');
  return {
    has: (text: string) => until(() => out.includes(text)),
    interrupt: () => void child.kill('SIGINT'),
    async lines() {
      const [code] = await closed;
      expect([code, err]).toEqual([0, '']);
      return out.trimEnd().split('\n');
    },
  };
}

test('a followed history prints each event as it comes, and where the run is at the end', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = await start(agent);
  const text = staying(project, 'history', id, '--follow');
  const json = staying(project, 'history', 'last', '--follow', '--json');
  const left = staying(project, 'history', id, '--follow', '--json');
  await Promise.all([text.has("'a'"), json.has('started'), left.has('started')]);
  left.interrupt();
  const seen = (await left.lines()).map((line) => JSON.parse(line));
  expect(seen.at(-1)).toMatchObject({ run: { status: 'active', step: 'a' } });
  await agent.ok('finished_step', REPORT);
  await Promise.all([text.has("'b'"), json.has('judged')]);
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  expect((await text.lines()).join()).toContain('Enough');
  const lines = (await json.lines()).map((line) => JSON.parse(line));
  for (const line of lines) expectSchema('history.schema.json', line);
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, undefined]);
  expect(lines.at(-1)).toMatchObject({ run: { session_id: id, status: 'aborted' } });
});

test('a watched status is drawn again in place, or printed as a line, when something changes', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = await start(agent);
  const screen = deepworkOnTerminal(['status', '--watch'], { cwd: project.root });
  const watched = staying(project, 'status', '--watch', '--json');
  await screen.sees('step a');
  await watched.has('"step":"a"');
  await agent.ok('finished_step', REPORT);
  await screen.sees('\u001b[J');
  await screen.sees(id);
  await screen.sees('step b');
  // Before it, the cursor went up as many lines as the last picture had.
  expect(screen.screen()).toMatch(/\u001b\[\d+A\r\u001b\[J/);
  await watched.has('"step":"b"');
  watched.interrupt();
  for (const line of await watched.lines()) expectSchema('status.schema.json', JSON.parse(line));
});

test('no colour in a pipe, nor where the person wants none', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  await start(await connect(project.root));
  expect(await textOf(project, 'status')).not.toContain('\u001b');
  for (const [NO_COLOR, coloured] of [
    ['1', false],
    ['', true],
  ] as const) {
    const shown = deepworkOnTerminal(['status'], { cwd: project.root, env: { NO_COLOR } });
    expect(await shown.ended).toBe(0);
    expect(shown.screen().includes('\u001b[32m')).toBe(coloured);
  }
});

test('a run is shown although everything that only remembers was deleted, in part or as a whole', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const done = await start(agent);
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  const id = await start(agent);
  const listed = async () => (await statusOf(project)).runs.map(({ session_id }) => session_id);
  for (const gone of ['.deepwork/tmp/ended.log', '.deepwork/tmp/open', '.deepwork/tmp']) {
    rmSync(project.path(gone), { recursive: true, force: true });
    expect(await listed(), gone).toEqual([id, done]);
  }
  // The server goes on as if nothing had happened, and so does who looks.
  const other = await start(agent);
  expect(await listed()).toEqual([id, other, done]);
});

test('a workflow or run is drawn by any of its names, in each format, within 80 columns', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = await start(agent);
  await agent.ok('finished_step', REPORT);
  for (const name of ['demo/main', 'ai-task-implementation', 'last', id.slice(0, 7)]) {
    const lines = (await textOf(project, 'graph', name)).split('\n');
    expect(lines.filter((line) => cellWidth(line) > 80)).toEqual([]);
  }
  const formats = {
    mermaid: /^flowchart TD$/m,
    svg: /^<svg .*data-step="b" data-state="current"/s,
  };
  for (const [format, looks] of Object.entries(formats)) {
    expect(await textOf(project, 'graph', 'last', '--format', format)).toMatch(looks);
  }
  const several = await commandIn(project, 'graph', 'demo');
  expect(several.code).toBe(1);
  expect(several.stderr).toContain('demo/main, demo/short');
  expect((await commandIn(project, 'graph', 'nowhere')).code).toBe(1);
  expect((await commandIn(project, 'graph', 'last', '--format', 'png')).code).toBe(2);
});
