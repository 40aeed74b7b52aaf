// What a stranger on the machine, or a page in its browser, could try. Each attack is refused, has
// no effect, and the server keeps serving.

import { existsSync } from 'node:fs';
import net from 'node:net';
import { expect, test } from 'vitest';
import {
  connectOverHttp,
  type HttpServer,
  post,
  sendRaw,
  stateless,
  statusOf,
} from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

type Served = Pick<HttpServer, 'url' | 'port'>;

async function aServer(): Promise<{ server: Served; project: Project }> {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  return { server: await serveHttpInProcess(project.root), project };
}

/** A request that would change something, in one POST. */
const STRIKE = JSON.stringify(
  stateless('tools/call', {
    name: 'start_workflow',
    arguments: { job_name: 'demo', workflow_name: 'main', goal: 'harm' },
  }),
);

interface Strike {
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly path?: string;
}

function strike(port: number, { host, headers = [], body = STRIKE, path = '/mcp' }: Strike) {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host ?? `127.0.0.1:${port}`}`,
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: start_workflow',
    'Accept: application/json, text/event-stream',
    ...(headers.some((line) => /^content-type/i.test(line))
      ? []
      : ['Content-Type: application/json']),
    ...headers,
  ];
  return sendRaw(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function isUnharmed({ url }: Served, project: Project): Promise<void> {
  expect(existsSync(project.path('.deepwork/journal/session'))).toBe(false);
  const client = await connectOverHttp(url);
  expect((await client.callTool({ name: 'get_workflows', arguments: {} })).isError).toBeFalsy();
}

test('a request with a foreign Host or Origin, or a simple content type, runs nothing', async () => {
  verifies('TEAM-5');
  const { server, project } = await aServer();
  const { port } = server;
  const strikes: [Strike, number][] = [
    [{ host: 'evil.example' }, 403],
    [{ host: `127.0.0.1:${port + 1}` }, 403],
    [{ host: '127.0.0.1' }, 403],
    [{ host: `127.0.0.1:${port}@evil.example` }, 403],
    [{ host: '' }, 403],
    [{ headers: [`Host: 127.0.0.1:${port}`] }, 403],
    [{ headers: [`Origin: http://127.0.0.1:${port}`, 'Origin: https://evil.example'] }, 403],
    [{ headers: ['Origin: https://evil.example'] }, 403],
    [{ headers: ['Origin: null'] }, 403],
    [{ headers: [`Origin: http://127.0.0.1:${port + 1}`] }, 403],
    [{ headers: ['Content-Type: text/plain'] }, 415],
    [{ headers: ['Content-Type: multipart/form-data; boundary=x'] }, 415],
  ];
  for (const [attack, status] of strikes) {
    expect(statusOf(await strike(port, attack)), JSON.stringify(attack)).toBe(status);
  }
  for (const path of ['/sse', '/healthz', '/nowhere']) {
    const answer = await sendRaw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer), path).toBe(403);
  }
  for (const body of [
    'Content-Length: 5\r\n\r\nhello',
    'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ]) {
    const lines = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close`;
    expect(statusOf(await sendRaw(port, `${lines}\r\n${body}`)), body).toBe(400);
  }
  await isUnharmed(server, project);
  // The same request would work if it were allowed.
  const host = `LOCALHOST:${port}`;
  expect(statusOf(await strike(port, { host, headers: [`Origin: http://${host}`] }))).toBe(200);
  expect(existsSync(project.path('.deepwork/journal/session'))).toBe(true);
});

test('strange paths, targets and headers are refused', async () => {
  const { server, project } = await aServer();
  const { port } = server;
  const paths = ['/mcp/..', '/x/../mcp', '//mcp', '/mcp//', '/%6dcp', '/mcp%00', '/mcp;x'];
  for (const path of paths) expect(statusOf(await strike(port, { path })), path).toBe(404);
  const absolute = await strike(port, { path: `http://127.0.0.1:${port}/mcp` });
  expect(statusOf(absolute)).toBe(404);
  const broken = [
    'X-SGAI-Agent-Identity: a\nX-Injected: b',
    'X-SGAI-Agent-Identity: a\0b',
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
  ];
  for (const header of broken) {
    const status = statusOf(await strike(port, { headers: [header] }));
    expect([400, 413], header).toContain(status);
  }
  expect(statusOf(await strike(port, { headers: [`X-Big: ${'x'.repeat(40_000)}`] }))).toBe(431);
  await isUnharmed(server, project);
});

test('batches are refused', async () => {
  const { server, project } = await aServer();
  const { status, body } = await post(`${server.url}/mcp`, `[${STRIKE},${STRIKE}]`);
  expect({ status, code: body.error.code, id: body.id }).toEqual({
    status: 400,
    code: -32600,
    id: null,
  });
  await isUnharmed(server, project);
});

test('a body of ten mebibytes is accepted, one byte more is refused', async () => {
  verifies('GUIDE-5');
  const { server, project } = await aServer();
  const url = `${server.url}/mcp`;
  const limit = 10 * 1024 * 1024;
  const call = (size: number) => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"workflow_list","params":{}}';
    return `${text}${' '.repeat(size - text.length)}`;
  };
  expect((await post(url, call(limit))).status).toBe(200);
  expect((await post(url, call(limit + 1))).status).toBe(413);
  // Without a length that could be checked first.
  const stream = new Blob([call(limit + 1)]).stream();
  const chunked = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
  await isUnharmed(server, project);
});

test('senders that never finish are cut off, and do not block others', async () => {
  const { server, project } = await aServer();
  const beginnings = [
    '',
    'POST /mcp HTTP/1.1\r\nHost: 127',
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Drip: `,
  ];
  const sockets = Array.from({ length: 300 }, (_, index) => {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write(beginnings[index % beginnings.length] as string);
    return socket;
  });
  const isCutOff = (socket: net.Socket) => socket.closed || socket.readableEnded;
  await isUnharmed(server, project);
  // Others need not wait until that has happened.
  expect(sockets.filter(isCutOff).length).toBeLessThan(sockets.length);
  await until(() => sockets.every(isCutOff));
  for (const socket of sockets) socket.destroy();
  await isUnharmed(server, project);
});
