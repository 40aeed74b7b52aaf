// deepwork serve over HTTP as a person starts it.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command as runCommand } from '../support/command.ts';
import { connectToProcess } from '../support/connect.ts';
import {
  cleanEnv,
  connectOverHttp,
  INITIALIZE,
  newHome,
  post,
  serveOverHttp,
  stateless,
} from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

test('with tokens on, the printed line sets the token without showing it', async () => {
  const project = newProject({ '.deepwork/config.yml': 'team:\n  tokens: true\n' });
  const home = path.join(newHome(), "o'brien & co");
  mkdirSync(home);
  const { out, url } = await serveHttpInProcess(project.root, { home });
  const line = /^ {2}(export DEEPWORK_TOKEN=.*)$/m.exec(out())?.[1] ?? '';
  const token = execFileSync('sh', ['-c', `${line}\nprintf %s "$DEEPWORK_TOKEN"`], {
    encoding: 'utf8',
  });
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(out()).not.toContain(token);
  const withToken = await post(`${url}/mcp`, INITIALIZE, { authorization: `Bearer ${token}` });
  expect(withToken.status).toBe(200);
  const env = { DEEPWORK_TOKEN: 'my-own-secret' };
  const chosen = await serveHttpInProcess(project.root, { env });
  expect(chosen.out()).not.toContain('my-own-secret');
});

test('a config.yml that cannot be read does not end the server: it asks for tokens, and calls are refused', async () => {
  const file = '.deepwork/config.yml';
  const project = newProject({ [file]: '#'.repeat(300 * 1024) });
  const own = { authorization: 'Bearer own' };
  const server = await serveOverHttp(project.root, { env: { DEEPWORK_TOKEN: 'own' } });
  const { url, child } = server;
  expect((await post(`${url}/mcp`, INITIALIZE)).status).toBe(401);
  const list = stateless('tools/call', { name: 'get_workflows', arguments: {} });
  const headers = {
    ...own,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'get_workflows',
  };
  const { body } = await post(`${url}/mcp`, list, headers);
  expect(JSON.stringify(body)).toContain(file);
  project.write(file, '');
  expect(JSON.stringify((await post(`${url}/mcp`, list, headers)).body)).not.toContain(file);
  expect(child.exitCode).toBeNull();
});

test('--transport sse is the same server', async () => {
  const project = newProject();
  const { url } = await serveHttpInProcess(project.root, { args: ['--transport', 'sse'] });
  for (const era of ['sse', 'handshake'] as const) {
    expect((await (await connectOverHttp(url, { era })).listTools()).tools).not.toEqual([]);
  }
});

test('wrong command lines are refused', async () => {
  const { root } = newProject();
  const home = newHome();
  const { port } = await serveHttpInProcess(root, { home });
  const http = ['--transport', 'http'];
  for (const args of [
    ['--port', 'abc'],
    ['--host', '127.0.0.1'],
    [...http, '--port', '65536'],
    [...http, '--port', '-1'],
    [...http, '--port', '1e3'],
    [...http, '--agent', 'a'],
    [...http, '--port', String(port)],
  ]) {
    const line = ['serve', '--path', root, ...args];
    const ran = await runCommand(line, { cwd: root, env: cleanEnv(home) });
    expect(ran, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
  }
});

test('a port is no fault over stdio, which has none', async () => {
  verifies('JOBS-X.24');
  const { client } = await connectToProcess(newProject().root, { args: ['--port', '8000'] });
  expect((await client.listTools()).tools).not.toEqual([]);
});
