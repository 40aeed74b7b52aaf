// Who gets in where tokens are required, and what other sites can make a browser do: nothing.

import { expect, onTestFinished, test } from 'vitest';
import { attach } from '../../src/launch/attach.ts';
import { post, sendRaw, stateless, statusOf } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { readRegistration } from '../support/launch.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { getFrom, showProject, startDemo, writeDemoJob } from './support.ts';

const OWNER = 'the-owner-has-a-long-token-0123456789';
const TOKENS = { '.deepwork/config.yml': 'git: {branch: off}\nteam: {tokens: true}\n' };

/** A server that requires tokens, with one run that was started by the owner. */
async function withTokens() {
  const project = newProject(TOKENS);
  writeDemoJob(project);
  const server = await serveHttpInProcess(project.root, { env: { DEEPWORK_TOKEN: OWNER } });
  const { content } = readRegistration(server.home);
  const registration = {
    number: 1,
    launched: false,
    url: content.url as string,
    pass: content.pass as string,
  };
  const options = { identity: 'coordinator', timeoutMs: 5000 };
  const attached = async (isDashboard: boolean) => {
    const lease = await attach(registration, { ...options, isDashboard });
    if (lease === null) throw new Error('the server did not answer');
    onTestFinished(() => lease.end());
    return lease;
  };
  const signIn = (code: string) => getFrom(server.url, `/sign-in?code=${code}`);
  return { server, attached, signIn };
}

function cookieOf(headers: Headers): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

async function startAsOwner(url: string): Promise<string> {
  const given = { job_name: 'demo', workflow_name: 'main', goal: 'x' };
  const { body } = await post(
    `${url}/mcp`,
    stateless('tools/call', { name: 'start_workflow', arguments: given }),
    {
      authorization: `Bearer ${OWNER}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'start_workflow',
    },
  );
  return body.result.structuredContent.begin_step.session_id;
}

test('a code signs one browser in, once, and the cookie is a right to the page and nothing else', async () => {
  verifies('BOARD-4');
  const { server, attached, signIn } = await withTokens();
  const { url } = server;
  const id = await startAsOwner(url);
  for (const path of ['/', '/api/board', '/api/events', '/questions', '/assets/x.js']) {
    expect((await getFrom(url, path)).status, path).toBe(401);
  }
  const { code, token } = await attached(true);
  expect(token).toBeNull();
  const entered = await signIn(code ?? '');
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/']);
  const header = entered.headers.get('set-cookie') ?? '';
  expect(header).toContain('; HttpOnly; SameSite=Strict');
  const cookie = cookieOf(entered.headers);
  expect((await signIn(code ?? '')).status).toBe(403);
  expect((await getFrom(url, '/api/board', { cookie })).body.runs).toHaveLength(1);
  expect((await getFrom(url, '/questions', { cookie })).status).toBe(200);
  const origin = url;
  const why = { reason: 'enough', by: 'Ada' };
  const abort = (headers: Record<string, string>) =>
    post(`${url}/api/runs/${id}/abort`, why, headers);
  // Without an origin no browser has sent it from the page.
  expect((await abort({ cookie })).status).toBe(403);
  expect((await abort({ cookie, origin: 'null' })).status).toBe(403);
  expect((await abort({ cookie, origin: 'http://evil.example' })).status).toBe(403);
  expect((await abort({ cookie, origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await abort({ cookie, origin, 'x-sgai-agent-identity': 'writer' })).status).toBe(403);
  expect((await abort({ cookie, origin })).status).toBe(200);
  // The protocol is for tokens.
  for (const path of ['/mcp', '/sse', '/messages', '/healthz', '/launches']) {
    expect((await getFrom(url, path, { cookie })).status, path).toBe(401);
  }
  const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expect((await getFrom(url, '/api/board', { cookie: forged })).status).toBe(401);
  expect(server.log() + server.out()).not.toContain(code);
  expect(server.log() + server.out()).not.toContain(cookie.split('=')[1]);
});

test("an agent's token reads the page's API and cannot steer, whatever it adds", async () => {
  verifies('BOARD-4');
  const { server, attached, signIn } = await withTokens();
  const { url } = server;
  const id = await startAsOwner(url);
  const { token } = await attached(false);
  const { code } = await attached(true);
  const cookie = cookieOf((await signIn(code ?? '')).headers);
  const authorization = `Bearer ${token}`;
  expect((await getFrom(url, '/api/board', { authorization })).status).toBe(200);
  const at = `${url}/api/runs/${id}/abort`;
  const said = await post(at, { reason: 'x' }, { authorization });
  expect(said).toMatchObject({ status: 403, body: { code: 'agents_cannot_steer' } });
  expect((await post(at, { reason: 'x' }, { authorization, cookie, origin: url })).status).toBe(
    403,
  );
  const question = `${url}/api/questions/q-1/answer`;
  expect((await post(question, { choices: ['x'] }, { authorization })).status).toBe(403);
  const owner = { authorization: `Bearer ${OWNER}` };
  expect((await post(at, { reason: 'x' }, owner)).status).toBe(200);
});

test('a made-up code, none, and an agent that asks for one get nothing', async () => {
  verifies('BOARD-4');
  const { server, signIn } = await withTokens();
  for (const code of ['', 'x', 'A'.repeat(43)]) {
    const answer = await signIn(code);
    expect([answer.status, answer.headers.get('set-cookie')], code).toEqual([403, null]);
  }
  const owner = { authorization: `Bearer ${OWNER}` };
  const asked = await post(`${server.url}/launches`, { dashboard: true }, owner);
  expect(asked.status).toBe(403);
});

test('another site cannot read, steer or hold connections, under no name that points here', async () => {
  verifies('BOARD-4');
  const { server, agent } = await showProject();
  const { url, port } = server;
  const id = await startDemo(agent);
  const at = `${url}/api/runs/${id}/abort`;
  const why = { reason: 'x' };
  const foreign: Record<string, string>[] = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${port + 1}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    // A browser that names no origin.
    { 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of foreign) {
    const said = await post(at, why, headers);
    const refused = { status: 403, body: { code: 'forbidden' } };
    expect(said, JSON.stringify(headers)).toMatchObject(refused);
  }
  for (const path of ['/api/events', '/api/board', '/']) {
    expect((await getFrom(url, path, { 'sec-fetch-site': 'cross-site' })).status, path).toBe(403);
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const said = await post(at, why, { 'content-type': type });
    expect(said, type).toMatchObject({ status: 415, body: { code: 'wrong_type' } });
  }
  const raw = 'GET /api/board HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
  expect(statusOf(await sendRaw(port, raw))).toBe(403);
  const own = { origin: url, 'sec-fetch-site': 'same-origin' };
  expect((await post(at, why, own)).status).toBe(200);
});
