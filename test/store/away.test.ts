// The database away, as clients of the built server see it: nothing is accepted, no credential is
// shown, and work goes on when it is back.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectToProcess } from '../support/connect.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { findPostgres, freshDatabase, ownPostgres } from '../support/postgres.ts';
import { writeJob } from '../support/project.ts';
import { refusal } from '../support/refusal.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

test('a call waits, is refused with nothing accepted, and works when it is back', async () => {
  verifies('STORE-5');
  const server = await ownPostgres();
  const project = sharedProject();
  const { url } = await serveHttpInProcess(project.root, { env: storeEnv(server.url()) });
  const health = async () => {
    const response = await fetch(new URL('/healthz', url));
    return { status: response.status, body: await response.text() };
  };
  expect(await health()).toMatchObject({ status: 200 });
  const agent = await connectToProcess(project.root, { env: storeEnv(server.url()) });
  await agent.ok('start_workflow', START);
  await server.stop('fast');
  project.write('report.md', 'Done\n');
  const finish = { outputs: { report: 'report.md' } };
  const job = await refusal(agent, 'finished_step', finish);
  expect(job.code).toBe('store_unavailable');
  await until(() => agent.log().includes('store_unavailable'));
  const team = await agent.refused('send_message', { toAgent: 'x', body: 'Hello' });
  expect(team).toContain('nothing was accepted');
  await until(async () => (await health()).status === 503);
  const away = await health();
  expect(JSON.parse(away.body)).toMatchObject({ status: 'failing', reason: expect.any(String) });

  await server.start();
  expect(await agent.ok('finished_step', finish)).toMatchObject({ status: 'next_step' });
  await until(async () => (await health()).status === 200);
  const password = new URL(server.url()).password;
  expect(agent.log() + JSON.stringify(job) + team + away.body).not.toContain(password);
  expect(readdirSync(project.path('.deepwork'))).not.toContain('journal');
});

test('a call that was made while it is away for a moment goes through', async () => {
  verifies('STORE-5');
  // Away by a network that breaks, because how long a killed PostgreSQL takes to recover depends on
  // the machine; what a call waits for is not.
  const address = new URL(await freshDatabase());
  const proxy = await tcpProxy(Number(address.port));
  address.port = String(proxy.port);
  const agent = await connectToProcess(sharedProject().root, { env: storeEnv(address.href) });
  await agent.ok('get_active_workflow');
  proxy.open = false;
  proxy.cutAll();
  const starting = agent.ok('start_workflow', START);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  proxy.open = true;
  expect(await starting).toMatchObject({ begin_step: { step_id: 'a' } });
});

test('a server starts with any address; what cannot get better fails at once', async () => {
  verifies('STORE-5');
  const wrong = new URL(await freshDatabase());
  wrong.password = 'not-the-password';
  let refusals = 0;
  const proxy = await tcpProxy(Number(wrong.port));
  proxy.toClient = (data) => {
    if (data.includes('password authentication failed')) refusals += 1;
    return 'pass';
  };
  wrong.port = String(proxy.port);
  const agent = await connectToProcess(sharedProject().root, { env: storeEnv(wrong.href) });
  expect((await agent.client.listTools()).tools.length).toBeGreaterThan(5);
  const before = refusals;
  const refused = await agent.refused('start_workflow', START);
  expect(refused).toContain('password authentication failed');
  expect(refused).not.toContain('not-the-password');
  // A database that is away is asked ten times a second, for five seconds.
  expect(refusals - before).toBeLessThan(10);
});

test('nothing that runs for a step gets the address', async () => {
  verifies('STORE-5');
  const project = sharedProject();
  const checks = [{ name: 'env', run: 'env > seen.txt' }];
  writeJob(
    project,
    'demo',
    { a: { outputs: { report: 'file' }, checks }, b: {} },
    { main: ['a', 'b'] },
  );
  const agent = await connectToProcess(project.root, { env: storeEnv(await freshDatabase()) });
  await agent.ok('start_workflow', START);
  project.write('report.md', 'Done\n');
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const seen = readFileSync(project.path('seen.txt'), 'utf8');
  expect(seen).toContain('PATH=');
  expect(seen).not.toContain('DATABASE_URL');
  expect(readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8')).not.toContain('postgres:');
});
