// deepwork serve over HTTP as a person sees it: what it prints, and what it refuses.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
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

test('it prints its address and how every client connects', async () => {
  const { out, url } = await serveOverHttp(newProject().root);
  for (const client of ['Claude Code', 'Codex', 'Gemini CLI', 'opencode', 'Cursor']) {
    expect(out()).toMatch(new RegExp(`${client} .*${url}/mcp`));
  }
});

test('a client at the bare address learns of /mcp', async () => {
  const { url } = await serveHttpInProcess(newProject().root);
  const stream = await fetch(url, { headers: { accept: 'text/event-stream' } });
  expect([stream.status, await stream.text()]).toEqual([
    404,
    expect.stringContaining('MCP is at /mcp'),
  ]);
  expect(await post(url, INITIALIZE)).toMatchObject({ status: 404 });
});

test('npm start prints which project it serves', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: { start: string };
  };
  const [, command = ''] = /&& node dist\/main\.cjs (serve .*)$/.exec(scripts.start) ?? [];
  const words = command.split(' ');
  const root = path.resolve(words[words.indexOf('--path') + 1] as string);
  const { out } = await serveHttpInProcess(root);
  expect(out()).toContain(`serves ${root}\n`);
  expect(out()).toContain(`Connect an agent that works in ${root}\n`);
});

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
  expect((await post(`${url}/mcp`, INITIALIZE)).status).toBe(401);

  const chosen = await serveHttpInProcess(project.root, {
    env: { DEEPWORK_TOKEN: 'my-own-secret' },
  });
  expect(chosen.out()).toContain('set DEEPWORK_TOKEN to the value this server was started with');
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
  expect(JSON.stringify(body)).toContain('is not a regular file of at most 256 KiB');
  project.write(file, '');
  expect(JSON.stringify((await post(`${url}/mcp`, list, headers)).body)).not.toContain('256 KiB');
  expect(child.exitCode).toBeNull();
});

test('--transport sse is the same server, printed with its older address', async () => {
  const project = newProject();
  const { out, url } = await serveHttpInProcess(project.root, { args: ['--transport', 'sse'] });
  expect(out()).toContain(`claude mcp add --transport sse deepwork ${url}/sse`);
  for (const era of ['sse', 'handshake'] as const) {
    expect((await (await connectOverHttp(url, { era })).listTools()).tools).not.toEqual([]);
  }
});

test('wrong command lines are refused, with what to write instead', async () => {
  const { root } = newProject();
  const home = newHome();
  const { port } = await serveHttpInProcess(root, { home });
  const wrong: [string[], RegExp][] = [
    [['--port', 'abc'], /--port abc is not a whole number from 0 to 65535/],
    [['--host', '127.0.0.1'], /--host needs --transport http or sse/],
    [['--transport', 'http', '--port', '65536'], /--port 65536 is not a whole number/],
    [['--transport', 'http', '--port', '-1'], /--port|argument/],
    [['--transport', 'http', '--port', '1e3'], /--port 1e3 is not a whole number/],
    [['--transport', 'http', '--agent', 'a'], /--agent is for stdio/],
    [['--transport', 'http', '--port', String(port)], /is taken.*--port 0/],
  ];
  for (const [args, message] of wrong) {
    const ran = await runCommand(['serve', '--path', root, ...args], {
      cwd: root,
      env: cleanEnv(home),
    });
    expect({ code: ran.code, stdout: ran.stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
  }
});

test('a port is no fault over stdio, which has none', async () => {
  verifies('JOBS-X.24');
  const { client } = await connectToProcess(newProject().root, { args: ['--port', '8000'] });
  expect((await client.listTools()).tools).not.toEqual([]);
});
