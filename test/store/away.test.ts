// The database away, as a client of the built server sees it.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connectToProcess } from '../support/connect.ts';
import { findPostgres, freshDatabase, ownPostgres } from '../support/postgres.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const began = performance.now();
  const value = await run();
  return { value, seconds: (performance.now() - began) / 1000 };
}

test('a call waits five seconds, says that nothing was accepted, and works when it is back', async () => {
  verifies('STORE-5');
  const server = await ownPostgres();
  const project = sharedProject();
  const env = storeEnv(server.url());
  const agent = await connectToProcess(project.root, { env });
  await agent.ok('start_workflow', START);
  await server.stop('fast');
  project.write('report.md', 'Done\n');
  const finish = () => agent.refused('finished_step', { outputs: { report: 'report.md' } });
  const job = await timed(finish);
  await until(() => agent.log().includes('store_unavailable'));
  expect(job.value).toMatch(/nothing was accepted/);
  expect(job.seconds).toBeGreaterThan(4);
  // Only a hang takes longer than this.
  expect(job.seconds).toBeLessThan(45);
  const team = await timed(() => agent.refused('send_message', { toAgent: 'x', body: 'Hello' }));
  expect(team.value).toMatch(/^Error: .* nothing was accepted/);
  expect(team.seconds).toBeLessThan(45);
  await server.start();
  const next = await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  expect(next).toMatchObject({ status: 'next_step' });
  const password = new URL(server.url()).password;
  expect(agent.log() + job.value + team.value).not.toContain(password);
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
  const project = sharedProject();
  const agent = await connectToProcess(project.root, { env: storeEnv(wrong.href) });
  expect((await agent.client.listTools()).tools.length).toBeGreaterThan(5);
  const before = refusals;
  const refused = await agent.refused('start_workflow', START);
  expect(refused).toMatch(/password authentication failed/);
  expect(refused).not.toContain('not-the-password');
  // A database that is away is asked ten times a second, for five seconds.
  expect(refusals - before).toBeLessThan(10);
});

test('nothing that runs for a step gets the address', async () => {
  verifies('STORE-5');
  const url = await freshDatabase();
  const project = sharedProject();
  const job = project.path('.deepwork/jobs/demo/job.yml');
  const check = { name: 'env', run: 'env > seen.txt' };
  project.write(
    path.relative(project.root, job),
    readFileSync(job, 'utf8').replace(
      'outputs:\n      report:',
      `checks:\n      - ${JSON.stringify(check)}\n    outputs:\n      report:`,
    ),
  );
  const agent = await connectToProcess(project.root, { env: storeEnv(url) });
  await agent.ok('start_workflow', START);
  project.write('report.md', 'Done\n');
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  const seen = readFileSync(project.path('seen.txt'), 'utf8');
  expect(seen).toContain('PATH=');
  expect(seen).not.toContain('DATABASE_URL');
  const cmdline = readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8');
  expect(cmdline).not.toContain('postgres:');
});
