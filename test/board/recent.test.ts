// `deepwork history` without an id: what happened lately in all runs, as someone who was away wants
// to know it.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import type { Recent } from '../../src/board/recent.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import type { Project } from '../support/project.ts';
import { streamFile } from '../support/saved.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { expectSchema, newDemo, START, statusOf, textOf } from './support.ts';

const SHIFT = fileURLToPath(new URL('../support/shift-clock.cjs', import.meta.url));
const REPORT = { outputs: { report: 'report.md' } };
const BAD_PAGE = { outputs: { page: 'report.md' } };

/** An agent whose clock is some hours off. */
function agentAt(project: Project, hours: number, name: string) {
  const env = { NODE_OPTIONS: `--require ${SHIFT}`, DEEPWORK_TEST_CLOCK_HOURS: String(hours) };
  return connect(project.root, { args: ['--agent', name], ...(hours === 0 ? {} : { env }) });
}

async function recentOf(project: Project, ...more: string[]): Promise<Recent> {
  const recent = JSON.parse(await textOf(project, 'history', '--json', ...more)) as Recent;
  expectSchema('recent.schema.json', recent);
  return recent;
}

const idsIn = ({ runs }: Recent) => runs.map(({ run }) => run.session_id);

test('what happened is listed by run, newest first: what was done, what was refused and why, who ended it', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const writer = await agentAt(project, 0, 'writer');
  const short = { ...START, workflow_name: 'short' };
  const { session_id: done } = (await writer.ok('start_workflow', { ...short, goal: 'The first' }))
    .begin_step;
  await writer.ok('finished_step', REPORT);
  const reader = await agentAt(project, 0, 'reader');
  const { session_id: gone } = (await reader.ok('start_workflow', { ...START, goal: 'Not wanted' }))
    .begin_step;
  const by = { cwd: project.root };
  await command(['abort', gone, '--reason', 'Too late for it', '--by', 'Ada'], by);
  const { session_id: open } = (await writer.ok('start_workflow', START)).begin_step;
  await writer.ok('finished_step', REPORT);
  await writer.ok('finished_step', BAD_PAGE);
  await writer.ok('finished_step', { ...BAD_PAGE, notes: 'Look again' });
  await command(['redo', open, 'a', '--reason', 'It is for 1.x', '--by', 'Ada'], by);

  const text = await textOf(project, 'history');
  const [sentence = '', ...sections] = text.split('\n\n');
  expect(sentence).toMatch(/^Since \w+ \d\d:\d\d: 1 run completed, 1 aborted, 1 still working\.$/);
  expect(sections[0]).toMatch(/^Today, \w+ \d{4}-\d\d-\d\d\n/);
  const told = text.replace(/ +/g, ' ').replaceAll(/\d\d:\d\d/g, '…');
  expect(told).toContain(
    [
      ` ${open} working demo/main, step a (1 of 3)`,
      ' Get it done',
      ' … Started by writer',
      ' … Done: a',
      " … 'b' was turned down twice, last by the rules: It has to speak of the",
      ' page (report.md)',
      " … Ada sent it back to 'a': It is for 1.x",
    ].join('\n'),
  );
  expect(told).toMatch(
    new RegExp(`${gone} aborted.*demo/main\n Not wanted\n … Started by reader\n`),
  );
  expect(told).toContain(' … Aborted by Ada: Too late for it\n');
  expect(told).toMatch(new RegExp(`${done} done.*demo/short\n The first\n … Started by writer\n`));
  expect(told).toContain(' … Done: a; completed\n');
  expect(text.indexOf(open)).toBeLessThan(text.indexOf(gone));
  expect(text.indexOf(gone)).toBeLessThan(text.indexOf(done));
  for (const line of text.split('\n')) expect(cellWidth(line), line).toBeLessThanOrEqual(80);

  const recent = await recentOf(project);
  expect(recent.counts).toEqual({
    started: 3,
    completed: 1,
    aborted: 1,
    turned_down: 2,
    active: 1,
    questions: 0,
  });
  expect(idsIn(recent)).toEqual([open, gone, done]);
  expect(recent.runs[1]?.events.at(-1)).toMatchObject({
    kind: 'aborted',
    by: 'Ada',
    why: 'Too late for it',
  });
});

test('what ended before the chosen time is not even read, and what is open and did not move is named', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const before = await agentAt(project, -50, 'writer');
  const short = { ...START, workflow_name: 'short' };
  const { session_id: old } = (await before.ok('start_workflow', short)).begin_step;
  await before.ok('finished_step', REPORT);
  const { session_id: left } = (await before.ok('start_workflow', START)).begin_step;
  await before.close();
  const now = await agentAt(project, 0, 'reader');
  const { session_id: fresh } = (await now.ok('start_workflow', short)).begin_step;
  await now.ok('finished_step', REPORT);

  const recent = await recentOf(project);
  expect(idsIn(recent)).toEqual([fresh]);
  expect(recent.unmoved.map(({ session_id }) => session_id)).toEqual([left]);
  expect(idsIn(await recentOf(project, '--since', '3d'))).toEqual([fresh, left, old]);
  expect(idsIn(await recentOf(project, '--since', '3d', '--until', '1d'))).toEqual([left, old]);
  const text = await textOf(project, 'history');
  const unmoved =
    /Open, but nothing happened\n +\S+ +agent gone +2 days ago +demo\/main, step a \(1 of 3\)/;
  expect(text).toMatch(unmoved);
  expect(text).toContain(left);
  const past = await textOf(project, 'history', '--since', '3d', '--until', '1d');
  expect(past.replace(/\s+/g, ' ')).toMatch(
    /^From \w+ .*\d\d:\d\d until .*\d\d:\d\d: 1 run completed, 1 not ended by then\./,
  );

  // Nothing that it would find there could be read.
  writeFileSync(project.path(streamFile(old)), 'nonsense\n');
  expect(await recentOf(project)).toMatchObject({ damaged: [], before: expect.any(String) });
  expect((await recentOf(project, '--since', '3d')).damaged).toMatchObject([{ session_id: old }]);
});

test('without the index of what has ended, everything is found all the same', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await agentAt(project, 0, 'writer');
  const { session_id } = (await agent.ok('start_workflow', START)).begin_step;
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  await agent.close();
  rmSync(project.path('.deepwork/tmp'), { recursive: true });
  expect(idsIn(await recentOf(project))).toEqual([session_id]);
});

test('a question, who answered it and what, stands where it was asked; an open one is counted', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await agentAt(project, 0, 'coordinator');
  await agent.ok('start_workflow', START);
  const ask = (question: string) => ({
    questions: [{ question, choices: ['Yes', 'No'], multiSelect: false }],
  });
  const asking = agent.call('ask_user_question', ask('Keep the old format?'));
  await until(async () => (await statusOf(project)).questions.length === 1);
  const answer = ['answer', 'q-1', '--choose', 'No', '--other', 'till May', '--by', 'Ada'];
  expect(await command(answer, { cwd: project.root })).toMatchObject({ code: 0 });
  await asking;
  void agent.call('ask_user_question', ask('Ship it today?')).catch(() => {});
  await until(async () => (await statusOf(project)).questions.length === 1);
  const text = await textOf(project, 'history');
  expect(text).toContain('1 run waiting for you, 1 question open.');
  expect(text).toContain('The agent asked q-1: Keep the old format?');
  expect(text).toContain('Ada answered q-1: No, till May');
  expect(text).toContain('The agent asked q-2: Ship it today?');
  expect(text).toContain('To answer: deepwork answer');
  await recentOf(project);
});

test('a nested run stands below the one that it is nested in', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await agentAt(project, 0, 'writer');
  const { session_id: outer } = (await agent.ok('start_workflow', START)).begin_step;
  const { session_id: inner } = (await agent.ok('start_workflow', START)).begin_step;
  const text = await textOf(project, 'history');
  expect(text).toMatch(new RegExp(`\n  ${outer}  [\\s\\S]*\n    ${inner}  `));
});

test('colours are for a terminal only, and not with NO_COLOR', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await agentAt(project, 0, 'writer');
  const { session_id } = (await agent.ok('start_workflow', START)).begin_step;
  expect(await textOf(project, 'history')).not.toContain('\u001b');
  const coloured = deepworkOnTerminal(['history'], { cwd: project.root });
  await coloured.ended;
  expect(coloured.screen()).toContain('\u001b[32mworking');
  const plain = deepworkOnTerminal(['history'], { cwd: project.root, env: { NO_COLOR: '1' } });
  await plain.ended;
  expect(plain.screen()).toContain(`${session_id}  working`);
});

test('where nothing happened, it says so and when something last did', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  expect(await textOf(project, 'history')).toMatch(/^Since .*: no run has moved\.\n$/);
  const agent = await agentAt(project, -50, 'writer');
  await agent.ok('start_workflow', START);
  await agent.ok('abort_workflow', { explanation: 'Enough' });
  const { before } = await recentOf(project);
  const text = (await textOf(project, 'history')).replace(/\s+/g, ' ');
  expect(text).toMatch(
    /no run has moved\. The last activity was \w+ .*: deepwork history --since \d/,
  );
  const since = /--since (\S+)/.exec(text)?.[1] ?? '';
  expect((await recentOf(project, '--since', since)).runs).toHaveLength(1);
  expect(before).toMatch(/^\d{4}-/);
});

test('what cannot be meant is a wrong command line that says what to write', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [['--since', 'soon'], /--since soon: use today, yesterday, a number and m, h, d or w/],
    [['--since', '2026-02-30'], /--since 2026-02-30: use today/],
    [['--since', '2999-01-01'], /--since 2999-01-01 is in the future/],
    [
      ['--since', 'today', '--until', 'yesterday'],
      /--until yesterday is not later than --since today/,
    ],
    [['--follow'], /--follow needs the id of one run, or last\. .*deepwork status --watch/],
    [['yesterday'], /Try: deepwork history --since yesterday/],
    [['last', '--since', '2d'], /--since and --until are for all runs: leave out the id/],
  ];
  for (const [args, says] of wrong) {
    const ran = await command(['history', ...args], { cwd: project.root });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(says);
  }
  const outside = await command(['history', '--path', '/'], { cwd: project.root });
  expect(outside).toMatchObject({ code: 1, stdout: '' });
  expect(outside.stderr).toContain('No deepwork project');
});

test('a run is described in the same way by all commands', () => {
  verifies('BOARD-2');
  const runs = ['status', 'history', 'recent'].map((name) => {
    const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8')).definitions.run;
  });
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[2]).toEqual(runs[0]);
});
