// What a client of the stateless era carries from one call to the next: it can answer only with
// what this server signed for this caller and these questions.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type HttpServer,
  newHome,
  post,
  type Replied,
  serveOverHttp,
  stateless,
  strangersHome,
} from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import type { Project } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { GO, logged, newAsking, OPEN, outcomeIn, SAID } from './partners.ts';
import { LOG } from './support.ts';

const TOOL = 'ask_user_question';
const YES = { 'q-1': { action: 'accept', content: { choice: 'yes' } } };

function ask(
  { url }: Pick<HttpServer, 'url'>,
  params: Record<string, unknown>,
  identity = 'coordinator',
  elicitation: object = { form: {} },
): Promise<Replied> {
  const message = stateless('tools/call', {
    name: TOOL,
    arguments: { questions: [GO] },
    ...params,
  });
  const meta = message.params._meta as Record<string, unknown>;
  meta['io.modelcontextprotocol/clientCapabilities'] = { elicitation };
  return post(`${url}/mcp`, message, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': TOOL,
    'x-sgai-agent-identity': identity,
  });
}

/** The result, whether it came as JSON or as the only event of a stream. */
// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely by tests
function reply({ body }: Replied): any {
  if (typeof body !== 'string') return body;
  const [line = '{}'] = body.split('\n').filter((each) => each.startsWith('data: {'));
  return JSON.parse(line.replace(/^data: /, ''));
}

async function firstToken(server: Pick<HttpServer, 'url'>): Promise<string> {
  const { result } = reply(await ask(server, {}));
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { 'q-1': { method: 'elicitation/create' } },
  });
  return result.requestState;
}

test.each([
  [{ form: {} }, 'input_required'],
  // As there was only one mode once.
  [{}, 'input_required'],
  [{ url: {} }, 'complete'],
])('a client that declares %j as its forms gets one or not', async (elicitation, type) => {
  verifies('TEAM-28');
  const server = await serveHttpInProcess(newAsking(1).root);
  const { result } = reply(await ask(server, {}, 'coordinator', elicitation));
  expect(result.resultType).toBe(type);
});

const said = (replied: Replied) => outcomeIn(reply(replied).result.content[0].text);
const SAID_YES = SAID('yes', 'elicitation');
const answersIn = (project: Project) => logged(project, 'answered', 'dismissed');

test('a token that was made up, altered or issued for something else is refused', async () => {
  verifies('TEAM-34');
  const project = newAsking(1);
  const home = newHome();
  const server = await serveHttpInProcess(project.root, { home });
  const token = await firstToken(server);

  const foreign = await firstToken(await serveHttpInProcess(newAsking(1).root, { home }));
  const strangers = { home: strangersHome() };
  const unknown = await firstToken(await serveOverHttp(newAsking(1).root, strangers));

  const [version, body = '', mac] = token.split('.');
  const opened = JSON.parse(Buffer.from(body, 'base64url').toString());
  const forge = (change: object) =>
    [
      version,
      Buffer.from(JSON.stringify({ ...opened, ...change })).toString('base64url'),
      mac,
    ].join('.');
  const bad: Record<string, string> = {
    garbage: 'let me in',
    empty: '',
    'no signature': `${version}.${body}.`,
    'another payload': forge({ p: { ...opened.p, token: { ...opened.p.token, round: 0 } } }),
    'lasts longer': forge({ exp: 9_999_999_999 }),
    'of another project': foreign,
    'of another user': unknown,
    'too long': `${token}${'A'.repeat(20_000)}`,
  };
  for (const [what, requestState] of Object.entries(bad)) {
    const { error } = reply(await ask(server, { requestState, inputResponses: YES }));
    expect(error?.code, what).toBe(-32602);
  }
  const carried = { requestState: token, inputResponses: YES };
  const other = { questions: [{ ...GO, choices: ['yes', 'no', 'maybe'] }] };
  const moved = reply(await ask(server, { ...carried, arguments: other }));
  expect(moved.error?.code, 'for other questions').toBe(-32602);
  const byOther = reply(await ask(server, carried, 'coordinator|m'));
  expect(byOther.error?.code, 'by another caller').toBe(-32602);
  expect(answersIn(project)).toEqual([]);
  expect(logged(project, 'asked')).toHaveLength(1);
  expect(said(await ask(server, carried))).toBe(SAID_YES);
});

test('replies without a token are ignored', async () => {
  verifies('TEAM-34');
  const project = newAsking(1);
  const server = await serveHttpInProcess(project.root);
  const { result } = reply(await ask(server, { inputResponses: YES }));
  expect(result.resultType).toBe('input_required');
  const { requestState } = result;
  const odd = { 'q-1': { action: 'accept', content: 'yes' }, 'q-9': YES['q-1'], x: 1 };
  const again = reply(await ask(server, { requestState, inputResponses: odd }));
  expect(again.result?.resultType ?? again.error?.code).toBeOneOf(['input_required', -32602]);
  expect(answersIn(project)).toEqual([]);
  expect(said(await ask(server, { requestState }))).toBe(OPEN('q-1'));
});

test('a token outlives the server that issued it', async () => {
  verifies('TEAM-31', 'TEAM-32');
  const project = newAsking(30);
  const home = newHome();
  const first = await serveOverHttp(project.root, { home });
  const requestState = await firstToken(first);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await serveOverHttp(project.root, { home });
  const carried = { requestState, inputResponses: YES };
  expect(said(await ask(second, carried))).toBe(SAID_YES);
  // Used twice, it returns the same and answers nothing new.
  expect(said(await ask(second, carried))).toBe(`${SAID_YES}\nAlready answered: q-1`);
  expect(logged(project, 'asked')).toHaveLength(1);
  expect(logged(project, 'answered')).toHaveLength(1);
});

test("a pipe in the key's place is named, and nothing is asked or answered", async () => {
  verifies('TEAM-34');
  const project = newAsking(1);
  const home = strangersHome();
  mkdirSync(`${home}/.deepwork`);
  execFileSync('mkfifo', [`${home}/.deepwork/signing.key`]);
  const server = await serveOverHttp(project.root, { home });
  const { result } = reply(await ask(server, {}));
  expect(result).toMatchObject({ isError: true });
  expect(result.content[0].text).toContain(`${home}/.deepwork/signing.key`);
  const carried = reply(await ask(server, { requestState: 'a.b.c', inputResponses: YES }));
  expect(carried.error).toBeDefined();
  expect(existsSync(project.path(LOG))).toBe(false);
});
