// Two machines and a database, each in a network of its own: an agent's machine drops off the
// network and dies, and an agent on the other one goes on with the run. The networks are namespaces
// of the Linux kernel, which only root may make, so DEEPWORK_TEST_NETWORKS=1 asks for it
// (iproute2 and util-linux have to be there).

import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { newClient } from '../support/calls.ts';
import { BINARY } from '../support/connect.ts';
import { ownPostgres } from '../support/postgres.ts';
import { findPrograms } from '../support/postgres-program.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { START, sharedProject } from '../support/shared-project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** A namespace for the database, and one for each machine with a line of its own to it. */
function makeNetworks(machines: readonly string[]) {
  const prefix = `dw${process.pid}`;
  const nameOf = (name: string) => `${prefix}-${name}`;
  const all = ['db', ...machines].map(nameOf);
  onTestFinished(() => {
    for (const each of all) ip('netns', 'del', each);
  });
  for (const each of all) {
    ip('netns', 'add', each);
    ip('-n', each, 'link', 'set', 'lo', 'up');
  }
  for (const [index, machine] of machines.entries()) {
    const [near, far] = [`${prefix}m${index}`, `${prefix}d${index}`];
    ip(
      'link',
      'add',
      near,
      'netns',
      nameOf(machine),
      'type',
      'veth',
      'peer',
      'name',
      far,
      'netns',
      nameOf('db'),
    );
    ip('-n', nameOf(machine), 'addr', 'add', `10.213.${index}.2/24`, 'dev', near);
    ip('-n', nameOf('db'), 'addr', 'add', `10.213.${index}.1/24`, 'dev', far);
    ip('-n', nameOf(machine), 'link', 'set', near, 'up');
    ip('-n', nameOf('db'), 'link', 'set', far, 'up');
  }
  return {
    nameOf,
    /** Nothing gets through any more, and no one is told. */
    cut: (index: number) => ip('-n', nameOf('db'), 'link', 'set', `${prefix}d${index}`, 'down'),
  };
}

/** The same server, started again where only the machines' lines lead to it. */
async function moveInto(network: string, server: PostgresServer): Promise<void> {
  const data = path.join(server.folder, 'data');
  await server.stop('fast');
  appendFileSync(path.join(data, 'pg_hba.conf'), 'host all all 10.213.0.0/16 scram-sha-256\n');
  const { uid, gid } = statSync(data);
  const control = path.join(await findPrograms(), 'pg_ctl');
  const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const start = [control, '-D', data, '-w', '-l', path.join(server.folder, 'log')];
  const args = [...asUser, ...start, '-o', "-c listen_addresses='*'", 'start'];
  execFileSync('ip', ['netns', 'exec', network, ...args], { cwd: '/', stdio: 'ignore' });
}

/** A client of a server in that network, on a machine with that name. */
async function connectIn(network: string, machine: string, root: string, url: string) {
  const home = tempFolder();
  const script = path.join(home, 'serve.sh');
  writeFileSync(script, `hostname ${machine}\nexec "$@"\n`);
  chmodSync(script, 0o755);
  const transport = new StdioClientTransport({
    command: 'ip',
    args: [
      ...['netns', 'exec', network, 'unshare', '--uts', 'sh', script],
      ...[process.execPath, BINARY, 'serve', '--path', root, '--agent', 'writer'],
    ],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      DEEPWORK_DATABASE_URL: url,
      DEEPWORK_TRUST: '1',
    },
  });
  const client = newClient();
  await client.connect(transport);
  const { pid } = transport;
  onTestFinished(() => client.close());
  return {
    pid: pid as number,
    async ok(name: string, given: Record<string, unknown> = {}) {
      const { structuredContent, isError, content } = await client.callTool({
        name,
        arguments: given,
      });
      if (isError) throw new Error(JSON.stringify(content));
      // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
      return structuredContent as any;
    },
  };
}

test.runIf(process.env.DEEPWORK_TEST_NETWORKS === '1')(
  'a run whose machine is gone from the network goes on at another one',
  async () => {
    verifies('STORE-6');
    const { nameOf, cut } = makeNetworks(['one', 'two']);
    const server = await ownPostgres();
    await moveInto(nameOf('db'), server);
    const urlAt = (index: number) => server.url().replace('127.0.0.1', `10.213.${index}.1`);
    const [one, two] = [0, 1].map(() => sharedProject('store_lease_seconds: 2\n'));
    if (one === undefined || two === undefined) throw new Error('there are two checkouts');
    for (const each of [one, two]) each.write('report.md', 'Done\n');

    const first = await connectIn(nameOf('one'), 'machine-one', one.root, urlAt(0));
    const { begin_step: begun } = await first.ok('start_workflow', START);
    const accepted = await first.ok('finished_step', { outputs: { report: 'report.md' } });
    expect(accepted).toMatchObject({ status: 'next_step', begin_step: { step_id: 'b' } });
    const second = await connectIn(nameOf('two'), 'machine-two', two.root, urlAt(1));
    cut(0);
    process.kill(first.pid, 'SIGKILL');

    // By the database's clock: no one on this machine can tell what became of that process.
    const { session_id } = begun;
    await until(
      async () => (await second.ok('get_active_workflow')).session_id === session_id,
      30_000,
    );
    expect(await second.ok('get_active_workflow', { session_id })).toMatchObject({
      session_id,
      warnings: [],
      begin_step: { step_id: 'b' },
    });
    two.write('result.md', 'Done\n');
    const end = await second.ok('finished_step', { outputs: { result: 'result.md' } });
    expect(end).toMatchObject({ status: 'workflow_complete' });
  },
  120_000,
);
