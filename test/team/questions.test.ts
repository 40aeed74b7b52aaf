// Questions to a person: what can be asked, how the answer reaches the asker, and that only what a
// person said is ever reported as an answer.

import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { killServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { INITIALIZED, initialize, openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import {
  answer,
  GO,
  inThisProcess,
  logged,
  newAsking,
  OPEN,
  outcomeIn,
  SAID,
  SOME,
} from './partners.ts';
import { readState, STATE } from './support.ts';

const SURE = { ...GO, question: 'Sure?' };

describe.each(SOME)('over %s', (_way, open) => {
  test('invalid questions are refused', async () => {
    verifies('TEAM-27');
    const project = newAsking(1);
    const { call } = await open(project.root, null);
    const invalid = 'Invalid arguments: questions';
    const long = { question: 'x'.repeat(16 * 1024 + 1), choices: ['a'] };
    for (const [questions, why] of [
      [[], 'At least one question is required'],
      [[GO, { ...GO, choices: [] }], 'Question 2 has no choices'],
      [[{ ...GO, choices: ['no', '\u202eon'] }], 'Question 1: choice 2 '],
      ['Go?', `${invalid}: `],
      [[GO, { ...GO, why: 1 }], `${invalid}[1].why: `],
      [[GO, { choices: ['a'] }], `${invalid}[1].question: `],
      [Array(21).fill(GO), 'Invalid arguments: '],
      [[long], `${invalid}[0].question: `],
    ] as const) {
      const { isError, text } = await call('ask_user_question', { questions });
      expect([isError, text.slice(0, 7 + why.length)]).toEqual([true, `Error: ${why}`]);
    }
    expect(logged(project, 'asked')).toEqual([]);
  });

  test('an answer from the terminal reaches a client that shows no forms', async () => {
    verifies('TEAM-28', 'TEAM-31');
    const project = newAsking(30);
    const { ask } = await open(project.root, null);
    const questions = [
      { question: 'Which, of these?', choices: ['a, b', 'c'] },
      { question: 'All that apply', choices: ['x', 'y, z', 'w'], multiSelect: true },
      GO,
    ];
    const asking = ask(questions);
    await until(() => existsSync(project.path(STATE)));
    expect(readState(project)).toMatchObject({
      status: 'waiting-for-human',
      humanMessage: 'Which, of these?',
      multiChoiceQuestion: { questions: [{ id: 'q-1' }, { id: 'q-2' }, { id: 'q-3', ...GO }] },
    });
    // In another order than they were asked: answers stay with their questions.
    const said = [
      await answer(project, 'q-3', '--other', 'when it rains', '--by', 'ada'),
      await answer(project, 'q-2', '--choose', 'y, z', '--choose', 'x', '--by', 'ada'),
      await answer(project, 'q-1', '--choose', 'a, b', '--other', 'twice', '--by', 'ada'),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
    const text = await asking;
    expect(text.slice(0, text.lastIndexOf('\n\n'))).toBe(
      'Presented 3 question(s) to user:\n\nQuestion 1: Which, of these?\n  Choices: [a, b c]\n  MultiSelect: false\n\nQuestion 2: All that apply\n  Choices: [x y, z w]\n  MultiSelect: true\n\nQuestion 3: Go?\n  Choices: [yes no]\n  MultiSelect: false',
    );
    expect(outcomeIn(text)).toBe(
      'Human response:\n  1. Selected: a, b | Other: twice (q-1, terminal, <time>)\n  2. Selected: y, z, x (q-2, terminal, <time>)\n  3. Other: when it rains (q-3, terminal, <time>)',
    );
    expect(logged(project, 'answered').map(({ data }) => data)).toEqual([
      { id: 'q-3', choices: [], other: 'when it rains', by: 'ada', route: 'terminal' },
      { id: 'q-2', choices: ['y, z', 'x'], other: null, by: 'ada', route: 'terminal' },
      { id: 'q-1', choices: ['a, b'], other: 'twice', by: 'ada', route: 'terminal' },
    ]);
    expect(readState(project)).toMatchObject({ status: 'working', humanMessage: '' });
    expect(readState(project)).not.toHaveProperty('multiChoiceQuestion');
  });

  test('a timeout is no answer, and a late answer is delivered once, to its own questions', async () => {
    verifies('TEAM-31', 'TEAM-32');
    const project = newAsking(1);
    const { ask } = await open(project.root, null);
    for (let calls = 0; calls < 2; calls++) expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect((await answer(project, 'q-1', '--choose', 'no')).code).toBe(0);
    expect(outcomeIn(await ask([{ ...GO, choices: ['no', 'yes'] }]))).toBe(OPEN('q-2'));
    expect(outcomeIn(await ask([GO]))).toBe(SAID('no', 'terminal'));
    await until(() => logged(project, 'collected').length === 1);
    // The answer was delivered: the same question is a new one now.
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-3'));
  });

  test('a call that is cancelled, a server that dies and a client that leaves change nothing', async () => {
    verifies('TEAM-31');
    const project = newAsking(30);
    const first = await open(project.root, null, { isKilled: true });
    const lost = first.ask([GO, SURE]).catch(() => 'lost');
    await until(() => logged(project, 'asked').length === 1);
    killServer(first.server);
    await first.close();
    expect(await lost).toBe('lost');

    const second = await open(project.root, null);
    const given = new AbortController();
    const cancelled = second.ask([GO, SURE], { signal: given.signal }).catch(() => 'given up');
    given.abort();
    expect(await cancelled).toBe('given up');
    const left = second.ask([GO, SURE]).catch(() => 'left');
    expect((await answer(project, 'q-2', '--dismiss')).code).toBe(0);
    await second.close();
    await left;
    expect(logged(project, 'answered')).toEqual([]);

    const third = await open(project.root, null);
    const asking = third.ask([GO, SURE]);
    expect((await answer(project, 'q-1', '--choose', 'yes')).code).toBe(0);
    expect(outcomeIn(await asking)).toBe(
      'Human response:\n  1. Selected: yes (q-1, terminal, <time>)\nDismissed without an answer: q-2.',
    );
    expect(logged(project, 'asked')).toHaveLength(1);
  });

  test('with two open sets, the status comes back after both are closed', async () => {
    verifies('TEAM-33', 'TEAM-12');
    const project = newAsking(30);
    const { ask, call } = await open(project.root, null);
    await call('update_workflow_state', { status: 'agent-done' });
    const one = ask([GO]);
    await until(() => logged(project, 'asked').length === 1);
    const other = ask([{ question: 'Where?', choices: ['here', 'there'] }]);
    await until(() => logged(project, 'asked').length === 2);
    await answer(project, 'q-2', '--choose', 'there');
    expect(outcomeIn(await other)).toBe(SAID('there', 'terminal', 'q-2'));
    const update = { status: 'working', task: 'meanwhile', addProgress: 'n' };
    expect((await call('update_workflow_state', update)).text).toMatch(
      /^Status is currently 'waiting-for-human'\. Status kept; task and progress saved\.\n/,
    );
    const waiting = { status: 'waiting-for-human', humanMessage: 'Go?', task: 'meanwhile' };
    expect(readState(project)).toMatchObject({ ...waiting, progress: [{ description: 'n' }] });
    await answer(project, 'q-1', '--dismiss');
    expect(outcomeIn(await one)).toBe('Dismissed without an answer: q-1.');
    expect(readState(project)).toMatchObject({ status: 'agent-done', humanMessage: '' });
  });
});

test('progress is sent while a call waits for an answer', async () => {
  verifies('TEAM-31');
  const project = newAsking(40);
  const { ask } = await inThisProcess(project.root, null);
  const told: string[] = [];
  const asking = ask([GO], { onprogress: ({ message }) => void told.push(message ?? '') });
  await until(() => told.length === 2);
  for (const message of told) expect(message).toContain('q-1');
  await answer(project, 'q-1', '--choose', 'yes');
  expect(outcomeIn(await asking)).toBe(SAID('yes', 'terminal'));
});

test('blank texts and duplicate choices are accepted', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  const odd = { question: ' ', choices: ['same', 'same', 'other'], multiSelect: true };
  expect(await ask([odd])).toContain('Question 1:  \n  Choices: [same same other]\n');
  const twice = await answer(project, 'q-1', '--choose', 'same', '--choose', 'same');
  expect(twice.code).toBe(0);
  expect(outcomeIn(await ask([odd]))).toBe(SAID('same', 'terminal'));
});

test('a choice is named after the id, in any case, as status and answer print it', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  const question = { question: 'Is it?', choices: ["Yes, it's done", 'no', 'NO'] };
  await ask([question]);
  const shown = await answer(project, 'q-1');
  expect(shown.code).toBe(2);
  const status = await command(['status'], { cwd: project.root });
  for (const { stdout } of [status, await answer(project), shown]) {
    expect(stdout).toContain(`deepwork answer q-1 'Yes, it'\\''s done'\n`);
    expect(stdout).toContain('deepwork answer q-1 NO\n');
  }
  // It could be either.
  expect((await answer(project, 'q-1', 'No')).code).toBe(2);
  expect((await answer(project, 'q-1', "yes, it's DONE")).code).toBe(0);
  expect(outcomeIn(await ask([question]))).toBe(SAID("Yes, it's done", 'terminal'));
});

test('a bad answer leaves the question open', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  await ask([GO]);
  for (const args of [
    ['q-1', '--choose', 'maybe'],
    ['q-1', '--choose', 'yes', '--choose', 'no'],
    ['q-1', '--choose', 'yes', 'no'],
    ['q-1', '--other', ' \t'],
    ['q-1', '--other', 'x'.repeat(16 * 1024 + 1)],
    ['q-1', 'yes', 'no'],
    ['q-1', '--choose', 'yes', '--dismiss'],
    ['q-7', '--choose', 'yes'],
    ['--choose', 'yes'],
  ]) {
    const { code } = await answer(project, ...args);
    expect(code, args.join(' ').slice(0, 50)).toBe(2);
  }
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);
  expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
});

test('the second answer is refused with who was first', async () => {
  verifies('TEAM-29');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  await ask([GO]);
  const both = await Promise.all([
    answer(project, 'q-1', '--choose', 'yes', '--by', 'ada'),
    answer(project, 'q-1', '--choose', 'no', '--by', 'bob'),
  ]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
  const [first] = logged(project, 'answered');
  const late = both.find(({ code }) => code === 3);
  expect(late?.stderr).toContain(`Already answered: q-1 (by ${first?.data.by}, terminal, `);
  expect((await answer(project, 'q-1', '--dismiss')).code).toBe(3);
  expect(logged(project, 'answered', 'dismissed')).toHaveLength(1);
});

test('only the coordinator can ask', async () => {
  verifies('TEAM-3');
  const project = newAsking(1);
  const { client } = await connect(project.root, { args: ['--agent', 'helper'] });
  await expect(
    client.callTool({ name: 'ask_user_question', arguments: { questions: [GO] } }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('unknown tool') });
});

test('an answer that could not be delivered is kept for the next call', async () => {
  verifies('TEAM-32');
  const project = newAsking(30);
  const wire = openWire(project.root);
  const params = { name: 'ask_user_question', arguments: { questions: [GO] } };
  wire.send(initialize(1), INITIALIZED, request(2, 'tools/call', params));
  await until(() => logged(project, 'asked').length === 1);
  wire.stopReading();
  expect((await answer(project, 'q-1', '--choose', 'yes')).code).toBe(0);
  await wire.ended;
  expect(logged(project, 'collected')).toEqual([]);
  const { ask } = await inThisProcess(project.root, null);
  expect(outcomeIn(await ask([GO]))).toBe(SAID('yes', 'terminal'));
  await until(() => logged(project, 'collected').length === 1);
});
