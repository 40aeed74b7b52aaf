// Tokens: who is admitted if they are required, and as whom.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newHome, post, sendRaw, serveOverHttp, statusOf } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { endServersAfterTest, launch, readRegistration, STAY } from '../support/launch.ts';
import { newProject } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const TOKENS = { '.deepwork/config.yml': 'git: {branch: off}\nteam: {tokens: true}\n' };
const OWNER = 'the-owner-has-a-long-token-0123456789';
const LIST = { jsonrpc: '2.0', id: 1, method: 'workflow_list' };

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const as = (identity: string) => ({ 'x-sgai-agent-identity': identity });

test('a server on an address that others can reach does not start without tokens', async () => {
  verifies('TEAM-8');
  const project = newProject();
  const args = ['serve', '--transport', 'http', '--port', '0', '--host', '0.0.0.0'];
  const home = newHome();
  for (const host of ['0.0.0.0', '::', 'localhost.example']) {
    const { code, stdout } = await command([...args.slice(0, -1), host, '--path', project.root], {
      cwd: project.root,
      env: { HOME: home, DEEPWORK_TOKEN: '' },
    });
    expect({ code, stdout }, host).toEqual({ code: 2, stdout: '' });
  }
  const server = await serveHttpInProcess(project.root, {
    args: ['--host', '0.0.0.0'],
    env: { DEEPWORK_TOKEN: OWNER },
  });
  expect((await post(`${server.url}/mcp`, LIST)).status).toBe(401);
  expect((await post(`${server.url}/mcp`, LIST, bearer(OWNER))).status).toBe(200);
});

test('with tokens on, every path needs one', async () => {
  const project = newProject(TOKENS);
  const server = await serveHttpInProcess(project.root, { env: { DEEPWORK_TOKEN: OWNER } });
  const { url, port } = server;
  for (const path of ['/mcp', '/sse', '/healthz', '/nowhere']) {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status, path).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  const wrong = ['', 'Bearer', OWNER, `Basic ${OWNER}`, `Bearer ${OWNER}x`, `Bearer ${OWNER} x`];
  for (const authorization of wrong) {
    const { status } = await post(`${url}/mcp`, LIST, { authorization });
    expect(status, authorization).toBe(401);
  }
  const twice = await sendRaw(
    port,
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nAuthorization: Bearer ${OWNER}\r\nAuthorization: Bearer x\r\n\r\n`,
  );
  expect(statusOf(twice)).toBe(401);
  // The origin of a request is checked before its token.
  expect((await post(`${url}/mcp`, LIST, { origin: 'http://evil.example' })).status).toBe(403);
  expect((await post(`${url}/mcp`, LIST, { ...bearer(OWNER), ...as('anybody|m') })).status).toBe(
    200,
  );
  expect((await fetch(`${url}/healthz`, { headers: bearer(OWNER) })).status).toBe(200);
  expect(server.log() + server.out()).not.toContain(OWNER);
});

test('hosts that the config allows are accepted', async () => {
  const project = newProject({
    '.deepwork/config.yml': 'team: {allowed_hosts: [box.example, "other.example:99"]}\n',
  });
  const { port } = await serveHttpInProcess(project.root, { args: ['--trust'] });
  const ask = async (host: string, more = '') =>
    statusOf(
      await sendRaw(
        port,
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`,
      ),
    );
  expect(await ask('box.example')).toBe(200);
  expect(await ask('BOX.example:4711', 'Origin: https://box.example\r\n')).toBe(200);
  expect(await ask('other.example:99')).toBe(200);
  expect(await ask('other.example')).toBe(403);
  expect(await ask('box.example', 'Origin: https://evil.example\r\n')).toBe(403);
  project.write('.deepwork/config.yml', 'team: {allowed_hosts: []}\n');
  expect(await ask('box.example')).toBe(403);
});

test("an agent's token is its identity, until the agent is gone", async () => {
  verifies('TEAM-9');
  const project = newProject(TOKENS);
  endServersAfterTest(project.root);
  const home = newHome();
  const server = await serveOverHttp(project.root, { home });
  const script = `
    console.log(JSON.stringify({
      token: process.env.DEEPWORK_AGENT_TOKEN,
      owner: process.env.DEEPWORK_TOKEN ?? null,
    }));
    ${STAY}
  `;
  const args = ['--agent', 'ann|opus'];
  const env = { DEEPWORK_TOKEN: 'must not be seen by agents' };
  const launched = launch({ root: project.root, home, args, script, env });
  await until(() => launched.out().includes('\n'));
  const { token, owner } = JSON.parse(launched.out()) as { token: string; owner: string | null };
  expect(token).toMatch(/^[\w-]{40,}$/);
  expect(owner).toBeNull();

  const url = `${server.url}/mcp`;
  const status = async (headers: Record<string, string>) =>
    (await post(url, LIST, { ...bearer(token), ...headers })).status;
  expect(await status({})).toBe(200);
  for (const agreeing of ['ann', 'ann|opus', ' ann | opus ']) {
    expect(await status(as(agreeing)), agreeing).toBe(200);
  }
  for (const foreign of ['bob', 'coordinator', '', '|opus', 'Ann', 'ann|haiku', 'ann|opus|fast']) {
    expect(await status(as(foreign)), foreign).toBe(403);
  }
  // It cannot be used to launch others.
  const launching = await post(
    `${server.url}/launches`,
    { identity: 'coordinator' },
    bearer(token),
  );
  expect(launching.status).toBe(403);

  launched.child.kill('SIGTERM');
  await launched.ended;
  let after = 200;
  while (after === 200) after = await status({});
  expect(after).toBe(401);
  expect(server.log() + server.out()).not.toContain(token);
  const { content } = readRegistration(home);
  expect((await post(url, LIST, bearer(content.pass as string))).status).toBe(200);
  expect(server.log() + server.out()).not.toContain(content.pass);
});
