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
import { answer, GO, logged, newAsking } from './partners.ts';

const MANY = { question: 'Which?\nAll.', choices: ['a, b', 'c', 'c'], multiSelect: true };

function callOf(project: Project, questions: unknown[]): string[] {
  const json = JSON.stringify({ questions });
  return ['call', 'ask_user_question', '--path', project.root, '--json', json];
}

function ask(project: Project, questions: unknown[], env: Record<string, string> = {}) {
  return command(callOf(project, questions), { cwd: project.root, env });
}

/** The prompt of `deepwork answer`. */
const prompt = (project: Project, ...args: string[]) =>
  deepworkOnTerminal(['answer', ...args, '--path', project.root], { cwd: project.root });

test('a terminal asks each question in turn', async () => {
  verifies('TEAM-28');
  const project = newAsking(1);
  await ask(project, [GO, MANY, { ...GO, question: 'Sure?' }, { ...GO, question: 'Later?' }]);
  const { sees, type, ended } = prompt(project, '--by', 'Ada');
  for (const [shown, typed] of [
    ['Go?', '3'],
    ['3', '1 2'],
    ['one', '2'],
    ['q-1', '2, 1 | and more'],
    ['q-2', 'd'],
    ['[y/N]', 'n'],
    ['> ', 'd'],
    ['[y/N]', 'y'],
    ['q-3', ''],
  ] as const) {
    await sees(shown);
    if (!shown.includes('>') && !shown.includes('[')) await sees('> ');
    type(typed);
  }
  await sees('1 still open');
  expect(await ended).toBe(0);
  expect(logged(project, 'answered').map(({ data }) => data)).toEqual([
    { id: 'q-1', choices: ['no'], other: null, by: 'Ada', route: 'terminal' },
    { id: 'q-2', choices: ['c', 'a, b'], other: 'and more', by: 'Ada', route: 'terminal' },
  ]);
  expect(logged(project, 'dismissed')).toMatchObject([{ data: { id: 'q-3' } }]);
});

test('a prompt ends when the question is answered elsewhere, and leaving one answers nothing', async () => {
  verifies('TEAM-29', 'TEAM-31');
  const project = newAsking(1);
  await ask(project, [GO]);
  const left = prompt(project);
  await left.sees('> ');
  left.type('\u0003');
  expect(await left.ended).toBe(130);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);
  const late = prompt(project, 'q-1');
  await late.sees('> ');
  expect((await answer(project, 'q-1', '--choose', 'yes', '--by', 'Bob')).code).toBe(0);
  await late.sees('Already answered: q-1');
  expect(await late.ended).toBe(3);
});

test('without a terminal the questions are listed, with the command that answers each', async () => {
  verifies('TEAM-28');
  const project = newAsking(1);
  expect((await answer(project)).code).toBe(0);
  await ask(project, [{ question: 'Go\u001b[2J?', choices: ['a, b', 'c'] }]);
  const { code, stdout } = await answer(project);
  expect(code).toBe(0);
  expect(stdout).toContain("deepwork answer q-1 'a, b'");
  expect(stdout).not.toContain('\u001b[2J');
});

test.each<Record<string, string>>([
  { SGAI_AGENT_IDENTITY: 'helper' },
  { SGAI_AGENT_IDENTITY: '' },
  { DEEPWORK_AGENT_TOKEN: 'any' },
])('agents cannot answer: %j', async (env) => {
  verifies('TEAM-35');
  const project = newAsking(1);
  await ask(project, [GO]);
  const args = ['answer', 'q-1', '--choose', 'yes', '--path', project.root];
  expect(await command(args, { cwd: project.root, env })).toMatchObject({ code: 4 });
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
  const owner = { authorization: `Bearer ${OWNER}` };
  for (const [headers, status] of [
    [{}, 401],
    [{ ...owner, 'x-sgai-agent-identity': 'helper' }, 403],
    [owner, 200],
  ] as const) {
    const sent = await post(`${url}/api/questions/q-1/answer`, { choices: ['yes'] }, headers);
    expect(sent.status).toBe(status);
  }
});

test("the terminal's bell rings, and its title shows the question without its control codes", async () => {
  const project = newAsking(1);
  const args = callOf(project, [{ question: 'Go \u001b]0;evil\u0007 on?', choices: ['yes'] }]);
  const { ended, screen } = deepworkOnTerminal(args, { cwd: project.root });
  expect(await ended).toBe(0);
  expect(screen()).toMatch(/\u001b\]2;[^\u001b\u0007]*q-1[^\u001b\u0007]*\u0007\u0007/);
  expect(screen()).not.toContain('\u001b]0;evil');
  expect((await deepwork(args, { cwd: project.root })).stderr).not.toContain('\u0007');
});

test('a trusted command gets each new question', async () => {
  verifies('TEAM-28');
  const project = newAsking(1, "  notify: 'cat >> told.jsonl'\n");
  const told = project.path('told.jsonl');
  const env = { HOME: newHome() };
  const untrusted = await ask(project, [GO], env);
  expect(untrusted.stderr).toContain('team.notify');
  const trust = ['trust', '--yes', '--path', project.root];
  const trusted = await command(trust, { cwd: project.root, env });
  expect(trusted.stdout).toContain('cat >> told.jsonl');
  await ask(project, [GO], env);
  expect(existsSync(told)).toBe(false);
  const sure = { ...GO, question: 'Sure?', multiSelect: false };
  await ask(project, [MANY, sure], env);
  await until(() => existsSync(told) && readFileSync(told, 'utf8').split('\n').length === 3);
  const lines = readFileSync(told, 'utf8').trimEnd().split('\n');
  const more = { askedAt: expect.any(String), project: project.root };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 'q-2', ...MANY, ...more },
    { id: 'q-3', ...sure, ...more },
  ]);
});
