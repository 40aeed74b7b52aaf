// A clean stop: running calls finish, streams end, nothing is left.

import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { connectOverHttp, openSession, rawPost, serveOverHttp } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { isRunning } from '../support/reviewer.ts';
import { until } from '../support/until.ts';

/** A job with one check that takes this long. */
function checkedProject(seconds: number) {
  const project = newProject();
  const run = `sleep ${seconds} & echo $$ $! > began; wait; touch ended`;
  const checks = [{ name: 'slow', run }];
  writeJob(project, 'demo', { a: { outputs: { report: 'file' }, checks } }, { main: ['a'] });
  project.write('report.md', 'Done.');
  return project;
}

/** Of the check: its shell, and what that waits for. Empty before it has begun. */
function processesIn(project: Project): number[] {
  const file = project.path('began');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.endsWith('\n') ? text.trim().split(' ').map(Number) : [];
}

async function beginCheck(root: string) {
  const server = await serveOverHttp(root, { args: ['--trust'] });
  const client = await connectOverHttp(server.url);
  const begin = { job_name: 'demo', workflow_name: 'main', goal: 'stop well' };
  await client.callTool({ name: 'start_workflow', arguments: begin });
  const answer = client
    .callTool({ name: 'finished_step', arguments: { outputs: { report: 'report.md' } } })
    .then(
      (result) => result.structuredContent as { status: string },
      () => null,
    );
  return { server, answer };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a call that ends soon is answered: %s',
  async (signal) => {
    const project = checkedProject(0.5);
    const { server, answer } = await beginCheck(project.root);
    await until(() => processesIn(project).length === 2);
    server.child.kill(signal);
    expect((await answer)?.status).toBe('workflow_complete');
    expect(await server.ended).toBe(0);
  },
);

test('a call that takes longer is aborted, with its child processes', async () => {
  // Longer than anything is waited for here, so that it cannot end by itself in time.
  const project = checkedProject(300);
  const { server, answer } = await beginCheck(project.root);
  await until(() => processesIn(project).length === 2);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect((await answer)?.status).not.toBe('workflow_complete');
  expect(existsSync(project.path('ended'))).toBe(false);
  await until(() => !processesIn(project).some(isRunning));
});

test('streams end with the server, and it does not wait for them', async () => {
  const { url, child, ended } = await serveOverHttp(newProject().root);
  const session = await openSession(url);
  const accept = 'text/event-stream';
  const standing = await fetch(`${url}/mcp`, { headers: { accept, ...session } });
  const oldest = await fetch(`${url}/sse`, { headers: { accept } });
  child.kill('SIGTERM');
  // They end in order: one that it had waited for would be cut in the end.
  expect(await standing.text()).toBe('');
  expect(await oldest.text()).toMatch(/^event: endpoint\ndata: \/messages\?sessionId=/);
  expect(await ended).toBe(0);
});

test('a check without a waiting call ends with the server, too', async () => {
  const project = newProject({
    '.deepwork/config.yml': 'git: {branch: off}\nquality_gate: {answer_within: 1}\n',
    'report.md': 'Done.',
  });
  const checks = [{ name: 'slow', run: 'echo $$ > pid.txt; sleep 300' }];
  writeJob(project, 'demo', { a: { outputs: { report: 'file' }, checks } }, { main: ['a'] });
  const { server, answer } = await beginCheck(project.root);
  expect((await answer)?.status).toBe('needs_work');
  const pid = Number(readFileSync(project.path('pid.txt'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  await until(() => !isRunning(pid));
});

test('requests are refused while a server stops', async () => {
  let release = () => {};
  let waiting = false;
  const { port, service } = await serveInProcess({
    createServer: ({ running }) => {
      const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', async () => {
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        running?.(released);
        waiting = true;
        await released;
        return { content: [] };
      });
      return server;
    },
  });
  const headers = await openSession(`http://127.0.0.1:${port}`);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } };
  const body = JSON.stringify(call);
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(rawPost(port, body, { headers }));
  await until(() => waiting);
  const stopped = service.stop();
  // On the connection that still waits for its answer.
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  release();
  await stopped;
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).toContain('HTTP/1.1 503 ');
});
