// How a person notices a question and answers it at a terminal, and that agents cannot.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newHome, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import type { Project } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { answer, GO, logged, newAsking, outcomeIn } from './partners.ts';

const MANY = { question: 'Which?\nAll.', choices: ['a, b', 'c', 'c'], multiSelect: true };

function callOf(project: Project, questions: unknown[]): string[] {
  const json = JSON.stringify({ questions });
  return ['call', 'ask_user_question', '--path', project.root, '--json', json];
}

function ask(project: Project, questions: unknown[], env: Record<string, string> = {}) {
  return command(callOf(project, questions), { cwd: project.root, env });
}

test('a terminal asks each question in turn', async () => {
  verifies('TEAM-28');
  const project = newAsking(1);
  await ask(project, [GO, MANY, { ...GO, question: 'Sure?' }, { ...GO, question: 'Later?' }]);
  const args = ['answer', '--path', project.root, '--by', 'Ada'];
  const { sees, type, ended } = deepworkOnTerminal(args, { cwd: project.root });
  await sees('Go?');
  await sees('> ');
  type('3');
  await sees('There is no 3');
  await sees('> ');
  type('1 2');
  await sees('Only one choice');
  await sees('> ');
  type('2');
  await sees('Answered: q-1');
  await sees('Which?');
  await sees('> ');
  type('2, 1 | and more');
  await sees('Answered: q-2');
  await sees('Sure?');
  await sees('> ');
  type('d');
  await sees('[y/N]');
  type('n');
  await sees('> ');
  type('d');
  await sees('[y/N]');
  type('y');
  await sees('Dismissed: q-3');
  await sees('Later?');
  await sees('> ');
  type('');
  await sees('1 still open');
  expect(await ended).toBe(0);
  expect(logged(project, 'answered').map(({ data }) => data)).toEqual([
    { id: 'q-1', choices: ['no'], other: null, by: 'Ada', route: 'terminal' },
    { id: 'q-2', choices: ['c', 'a, b'], other: 'and more', by: 'Ada', route: 'terminal' },
  ]);
  expect(logged(project, 'dismissed')).toHaveLength(1);
});

test('a prompt ends when the question is answered elsewhere', async () => {
  verifies('TEAM-29');
  const project = newAsking(1);
  await ask(project, [GO]);
  const args = ['answer', 'q-1', '--path', project.root];
  const { sees, ended } = deepworkOnTerminal(args, { cwd: project.root });
  await sees('> ');
  expect((await answer(project, 'q-1', '--choose', 'yes', '--by', 'Bob')).code).toBe(0);
  await sees('Already answered: q-1 (by Bob, terminal');
  expect(await ended).toBe(3);
});

test('leaving a prompt answers nothing', async () => {
  verifies('TEAM-31');
  const project = newAsking(1);
  await ask(project, [GO]);
  const args = ['answer', '--path', project.root];
  const { sees, type, ended } = deepworkOnTerminal(args, { cwd: project.root });
  await sees('> ');
  type('\u0003');
  expect(await ended).toBe(130);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);
});

test('without a terminal the questions are listed', async () => {
  const project = newAsking(1);
  expect(await answer(project)).toMatchObject({ code: 0, stdout: 'No open questions.\n' });
  await ask(project, [{ question: 'Go\u001b[2J?', choices: ['a, b', 'c'] }]);
  const { code, stdout } = await answer(project);
  expect(code).toBe(0);
  expect(stdout).toMatch(/q-1.* asked (today )?\d\d:\d\d/);
  expect(stdout).toContain("deepwork answer q-1 'a, b'");
  expect(stdout).not.toContain('\u001b[2J');
});

test('agents cannot answer', async () => {
  verifies('TEAM-35');
  const project = newAsking(1);
  await ask(project, [GO]);
  const marks: Record<string, string>[] = [
    ...['helper', 'coordinator', ''].map((identity) => ({ SGAI_AGENT_IDENTITY: identity })),
    { DEEPWORK_AGENT_TOKEN: 'any' },
  ];
  for (const env of marks) {
    const asked = await command(['answer', 'q-1', '--choose', 'yes', '--path', project.root], {
      cwd: project.root,
      env,
    });
    expect(asked.code, JSON.stringify(env)).toBe(4);
    expect(asked.stderr).toContain('agents cannot answer');
  }
  expect(logged(project, 'answered')).toEqual([]);
});

test('an agent’s token cannot answer; the owner’s can', async () => {
  verifies('TEAM-35');
  const OWNER = 'the-owner-has-a-long-token-0123456789';
  const project = newAsking(1, '  tokens: true\n');
  const home = newHome();
  await ask(project, [GO]);
  const { url } = await serveHttpInProcess(project.root, { home, env: { DEEPWORK_TOKEN: OWNER } });
  const script = `
    const at = new URL('/api/questions/q-1/answer', process.env.SGAI_MCP_URL);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.DEEPWORK_AGENT_TOKEN };
    const send = (url, body) => fetch(url, { method: 'POST', headers, body }).then(({ status }) => status);
    Promise.all([send(at, '{"choices":["yes"]}'), send(new URL('dismiss', at), '{}')]).then((all) => console.log(all.join()));
  `;
  const args = ['launch', '--path', project.root, '--agent', 'helper', '--'];
  const launched = await deepwork([...args, process.execPath, '-e', script], {
    cwd: project.root,
    env: { HOME: home },
  });
  expect(launched.stdout.trim(), launched.stderr).toBe('403,403');
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);

  const at = `${url}/api/questions/q-1/answer`;
  expect((await post(at, { choices: ['yes'] })).status).toBe(401);
  const owner = { authorization: `Bearer ${OWNER}` };
  const as = { ...owner, 'x-sgai-agent-identity': 'helper' };
  expect((await post(at, { choices: ['yes'] }, as)).status).toBe(403);
  expect((await post(at, { choices: ['yes'] }, owner)).status).toBe(200);
  expect(outcomeIn((await ask(project, [GO])).stdout.trimEnd())).toContain(
    'Selected: yes (q-1, dashboard',
  );
});

test("the terminal's bell rings, and its title shows the question", async () => {
  const project = newAsking(1);
  const questions = [{ question: 'Go \u001b]0;evil\u0007 on?', choices: ['yes'] }];
  const args = callOf(project, questions);
  const { ended, screen } = deepworkOnTerminal(args, { cwd: project.root });
  expect(await ended).toBe(0);
  expect(screen()).toContain('\u001b]2;deepwork: q-1 waits for you\u0007\u0007');
  expect(screen()).toContain('q-1 asks: Go ]0;evil on? (deepwork answer q-1)');
  const piped = await deepwork(args, { cwd: project.root });
  expect(piped.stderr).not.toContain('\u0007');
});

test('a trusted command gets each new question', async () => {
  const project = newAsking(1, "  notify: 'cat >> told.jsonl'\n");
  const told = project.path('told.jsonl');
  const home = newHome();
  const untrusted = await ask(project, [GO], { HOME: home });
  expect(untrusted.stderr).toContain('team.notify was not run: this project has not been trusted');
  expect(existsSync(told)).toBe(false);

  const trusted = await command(['trust', '--yes', '--path', project.root], {
    cwd: project.root,
    env: { HOME: home },
  });
  expect(trusted.stdout).toContain('cat >> told.jsonl');
  expect(trusted.stdout).toContain('team.notify');
  await ask(project, [GO], { HOME: home });
  expect(existsSync(told)).toBe(false);
  await ask(project, [MANY, { ...GO, question: 'Sure?' }], { HOME: home });
  await until(() => existsSync(told) && readFileSync(told, 'utf8').split('\n').length === 3);
  const lines = readFileSync(told, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 'q-2', ...MANY, askedAt: expect.any(String), project: project.root },
    {
      ...GO,
      id: 'q-3',
      question: 'Sure?',
      multiSelect: false,
      askedAt: expect.any(String),
      project: project.root,
    },
  ]);
});
