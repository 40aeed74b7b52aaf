// Questions to a person: what can be asked, how the answer reaches the asker, and that only what a
// person said is ever reported as an answer.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { BINARY, connect } from '../support/connect.ts';
import { killServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { INITIALIZED, initialize, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { answer, GO, inThisProcess, logged, newAsking, OPEN, outcomeIn, SOME } from './partners.ts';
import { readState, STATE } from './support.ts';

describe.each(SOME)('over %s', (_way, open) => {
  test('invalid questions are refused', async () => {
    verifies('TEAM-27');
    const project = newAsking(1);
    const { call } = await open(project.root, null);
    const refused = async (questions: unknown) => call('ask_user_question', { questions });
    const error = (text: string) => ({ isError: true, text: `Error: ${text}` });
    expect(await refused([])).toEqual(error('At least one question is required'));
    expect(await refused([GO, { ...GO, choices: [] }])).toEqual(error('Question 2 has no choices'));
    expect((await refused([{ ...GO, choices: ['no', '\u202eon'] }])).text).toBe(
      "Error: Question 1: choice 2 contains invisible characters: '\\u202eon'\nNext: ask again without them.",
    );
    expect(await refused('Go?')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Error: Invalid arguments: questions: /),
    });
    expect((await refused([GO, { ...GO, why: 1 }])).text).toBe(
      'Error: Invalid arguments: questions[1].why: is not a parameter',
    );
    expect((await refused([GO, { choices: ['a'] }])).text).toBe(
      'Error: Invalid arguments: questions[1].question: is required',
    );
    expect((await refused(Array(21).fill(GO))).text).toMatch(/^Error: Invalid arguments: /);
    const long = { question: 'x'.repeat(16 * 1024 + 1), choices: ['a'] };
    expect((await refused([long])).text).toMatch(
      /^Error: Invalid arguments: questions\[0\]\.question: /,
    );
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
    expect(readState(project).status).toBe('working');
  });

  test('a timeout is no answer, and a late answer is delivered once, to its own questions', async () => {
    verifies('TEAM-31', 'TEAM-32');
    const project = newAsking(1);
    const { ask } = await open(project.root, null);
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-1'));
    expect((await answer(project, 'q-1', '--choose', 'no')).code).toBe(0);
    expect(outcomeIn(await ask([{ ...GO, choices: ['no', 'yes'] }]))).toBe(OPEN('q-2'));
    expect(outcomeIn(await ask([GO]))).toBe('Human response: Selected: no (q-1, terminal, <time>)');
    await until(() => logged(project, 'collected').length === 1);
    // The answer was delivered: the same question is a new one now.
    expect(outcomeIn(await ask([GO]))).toBe(OPEN('q-3'));
  });

  test('a cancelled call leaves its question open', async () => {
    verifies('TEAM-31');
    const project = newAsking(30);
    const { ask } = await open(project.root, null);
    const given = new AbortController();
    const asking = ask([GO], { signal: given.signal }).catch(() => 'given up');
    await until(() => logged(project, 'asked').length === 1);
    given.abort();
    expect(await asking).toBe('given up');
    expect((await answer(project)).stdout).toContain('q-1');
    const again = ask([GO]);
    expect((await answer(project, 'q-1', '--choose', 'yes')).code).toBe(0);
    expect(outcomeIn(await again)).toBe('Human response: Selected: yes (q-1, terminal, <time>)');
    expect(logged(project, 'asked')).toHaveLength(1);
  });

  test('a server that dies or a client that disconnects changes nothing', async () => {
    verifies('TEAM-31');
    const project = newAsking(30);
    const first = await open(project.root, null, { isKilled: true });
    const lost = first.ask([GO, { ...GO, question: 'Sure?' }]).catch(() => 'lost');
    await until(() => logged(project, 'asked').length === 1);
    killServer(first.server);
    await first.close();
    expect(await lost).toBe('lost');

    const second = await open(project.root, null);
    const left = second.ask([GO, { ...GO, question: 'Sure?' }]).catch(() => 'left');
    expect((await answer(project, 'q-2', '--dismiss')).code).toBe(0);
    await second.close();
    await left;
    expect(logged(project, 'answered')).toEqual([]);

    const third = await open(project.root, null);
    const asking = third.ask([GO, { ...GO, question: 'Sure?' }]);
    expect((await answer(project, 'q-1', '--choose', 'yes')).code).toBe(0);
    expect(outcomeIn(await asking)).toBe(
      'Human response:\n  1. Selected: yes (q-1, terminal, <time>)\nDismissed without an answer: q-2.',
    );
    expect(logged(project, 'asked')).toHaveLength(1);
  });

  test('with two open sets, the status comes back after both are closed', async () => {
    verifies('TEAM-33');
    const project = newAsking(30);
    const { ask, call } = await open(project.root, null);
    await call('update_workflow_state', { status: 'agent-done' });
    const one = ask([GO]);
    await until(() => logged(project, 'asked').length === 1);
    const other = ask([{ question: 'Where?', choices: ['here', 'there'] }]);
    await until(() => logged(project, 'asked').length === 2);
    await answer(project, 'q-2', '--choose', 'there');
    expect(outcomeIn(await other)).toContain('Selected: there (q-2');
    expect(readState(project)).toMatchObject({ status: 'waiting-for-human', humanMessage: 'Go?' });
    expect((await call('update_workflow_state', { status: 'working' })).text).toMatch(
      /^Status is currently 'waiting-for-human'/,
    );
    await answer(project, 'q-1', '--dismiss');
    expect(outcomeIn(await one)).toBe('Dismissed without an answer: q-1.');
    expect(readState(project).status).toBe('agent-done');
  });
});

test('progress is sent while a call waits for an answer', async () => {
  verifies('TEAM-31');
  const project = newAsking(40);
  const { ask } = await inThisProcess(project.root, null);
  const told: string[] = [];
  const asking = ask([GO], { onprogress: ({ message }) => void told.push(message ?? '') });
  await until(() => told.length === 2);
  expect(told).toEqual([
    'Waiting for a person to answer q-1 (0 s): deepwork answer q-1',
    'Waiting for a person to answer q-1 (10 s)',
  ]);
  await answer(project, 'q-1', '--choose', 'yes');
  expect(outcomeIn(await asking)).toContain('Selected: yes');
});

test('blank texts and duplicate choices are accepted', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  const odd = { question: ' ', choices: ['same', 'same', 'other'], multiSelect: true };
  const text = await ask([odd]);
  expect(text).toContain('Question 1:  \n  Choices: [same same other]\n  MultiSelect: true');
  const twice = await answer(project, 'q-1', '--choose', 'same', '--choose', 'same');
  expect(twice.code).toBe(0);
  expect(outcomeIn(await ask([odd]))).toBe(
    'Human response: Selected: same (q-1, terminal, <time>)',
  );
});

test('a choice is named after the id, in any case, as status and answer print it', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  const choices = ["Yes, it's done", 'no', 'NO'];
  const question = { question: 'Is it?', choices, multiSelect: false };
  await ask([question]);
  const status = await command(['status'], { cwd: project.root });
  const shown = await answer(project, 'q-1');
  const listed = (await answer(project)).stdout;
  for (const text of [listed, shown.stdout]) {
    expect(text).toMatch(
      /\n {2}Is it\?\n\n {2}Answer it with one of these:\n {4}deepwork answer q-1/,
    );
  }
  for (const text of [status.stdout, listed, shown.stdout]) {
    expect(text).toContain(`deepwork answer q-1 'Yes, it'\\''s done'\n`);
    expect(text).toContain('deepwork answer q-1 NO\n');
  }
  expect(shown.code).toBe(2);
  const own = 'deepwork answer q-1 --other "…"';
  expect(shown.stderr).toBe(
    `deepwork: no answer was given. Give one with a command above, or a text of your own: ${own}\n`,
  );
  // It could be either.
  const unclear = await answer(project, 'q-1', 'No');
  expect(unclear.stderr).toContain("'No' is not one of the choices");
  expect(unclear.stderr).toContain(`or give a text of your own. To do that: ${own}\n`);
  expect((await answer(project, 'q-1', "yes, it's DONE")).code).toBe(0);
  expect(outcomeIn(await ask([question]))).toContain("Selected: Yes, it's done");
});

test('a bad answer leaves the question open', async () => {
  verifies('TEAM-27');
  const project = newAsking(1);
  const { ask } = await inThisProcess(project.root, null);
  await ask([GO]);
  const bad: [string[], RegExp][] = [
    [['--choose', 'maybe'], /'maybe' is not one of the choices[\s\S]*'yes', 'no'/],
    [['--choose', 'yes', '--choose', 'no'], /only one choice/],
    [['--choose', 'yes', 'no'], /only one choice/],
    [['--other', ' \t'], /no choice was made/],
    [['--other', 'x'.repeat(16 * 1024 + 1)], /longer than 16384/],
    [['yes', 'no'], /only one choice/],
    [['--choose', 'yes', '--dismiss'], /not both/],
  ];
  for (const [args, expected] of bad) {
    const { code, stderr } = await answer(project, 'q-1', ...args);
    expect([code, stderr], args.join(' ').slice(0, 50)).toEqual([
      2,
      expect.stringMatching(expected),
    ]);
  }
  expect((await answer(project, 'q-7', '--choose', 'yes')).code).toBe(2);
  expect((await answer(project, '--choose', 'yes')).code).toBe(2);
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
  expect(late?.stderr).toMatch(
    new RegExp(`Already answered: q-1 \\(by ${first?.data.by}, terminal, (to|yester)day \\d\\d:`),
  );
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
  const server = spawn(process.execPath, [BINARY, 'serve', '--path', project.root], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  server.stdin.on('error', () => {});
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const params = { name: 'ask_user_question', arguments: { questions: [GO] } };
  for (const message of [initialize(1), INITIALIZED, request(2, 'tools/call', params)]) {
    server.stdin.write(`${JSON.stringify(message)}\n`);
  }
  await until(() => logged(project, 'asked').length === 1);
  server.stdout.destroy();
  expect((await answer(project, 'q-1', '--choose', 'yes')).code).toBe(0);
  await ended;
  expect(logged(project, 'collected')).toEqual([]);
  const { ask } = await inThisProcess(project.root, null);
  expect(outcomeIn(await ask([GO]))).toBe('Human response: Selected: yes (q-1, terminal, <time>)');
  await until(() => logged(project, 'collected').length === 1);
});
