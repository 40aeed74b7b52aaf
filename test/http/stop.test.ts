// A clean stop: running calls finish, streams end, nothing is left.

import { expect, test } from 'vitest';
import { connectOverHttp, INITIALIZE, post, serveOverHttp } from '../support/http.ts';
import { newProject, writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';

/** A job whose one check takes as long as it is told to. */
function checkedProject(seconds: number) {
  const project = newProject();
  const checks = [{ name: 'slow', run: `touch began; sleep ${seconds}; touch ended` }];
  writeJob(project, 'demo', { a: { outputs: { report: 'file' }, checks } }, { main: ['a'] });
  project.write('report.md', 'Done.');
  return project;
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
    const { existsSync } = await import('node:fs');
    await until(() => existsSync(project.path('began')));
    server.child.kill(signal);
    expect((await answer)?.status).toBe('workflow_complete');
    expect(await server.ended).toBe(0);
  },
);

test('a call that takes longer is given up, with what it runs', async () => {
  const project = checkedProject(60);
  const { server, answer } = await beginCheck(project.root);
  const { existsSync } = await import('node:fs');
  await until(() => existsSync(project.path('began')));
  const began = Date.now();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(Date.now() - began).toBeLessThan(5000);
  expect((await answer)?.status).not.toBe('workflow_complete');
  const { execFileSync } = await import('node:child_process');
  const processes = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
  expect(processes).not.toContain('touch began; sleep 60');
});

test('streams end with the server, and it does not wait for them', async () => {
  const { url, child, ended } = await serveOverHttp(newProject().root);
  const opened = await post(`${url}/mcp`, INITIALIZE);
  const session = opened.headers.get('mcp-session-id') as string;
  const accept = 'text/event-stream';
  const standing = await fetch(`${url}/mcp`, { headers: { accept, 'mcp-session-id': session } });
  const oldest = await fetch(`${url}/sse`, { headers: { accept } });
  child.kill('SIGTERM');
  const began = Date.now();
  expect(await standing.text()).toBe('');
  expect(await oldest.text()).toMatch(/^event: endpoint\ndata: \/messages\?sessionId=/);
  expect(await ended).toBe(0);
  expect(Date.now() - began).toBeLessThan(2000);
});
