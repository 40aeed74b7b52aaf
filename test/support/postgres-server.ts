// One PostgreSQL server in a temporary folder. It listens on the loopback interface alone, asks for
// a password as real ones do, and syncs to the disk. A process of its own waits for this one to
// end, however it ends, and then stops the server and removes its files.

import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { runFolder } from './environment.ts';
import { makeTempFolder } from './make-temp-folder.ts';
import { findPrograms } from './postgres-program.ts';

const run = promisify(execFile);

export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  /** Of a database, with the rights of a superuser. */
  url(database?: string): string;
  createDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** `kill -9` of the main process: nothing is announced, and nothing written in the end. */
  kill(): Promise<void>;
  /** `fast` ends connections in order; `immediate` is as after a crash. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** On the same port with the same databases. */
  start(): Promise<void>;
  /** Stops it for good, and removes its files. */
  end(): Promise<void>;
}

/** Small enough for a container with 64 MB of shared memory, and enough connections for a crowd. */
const SETTINGS = {
  shared_buffers: '32MB',
  dynamic_shared_memory_type: 'mmap',
  max_connections: '300',
  listen_addresses: '127.0.0.1',
  log_min_messages: 'warning',
};

export async function startPostgres(): Promise<PostgresServer> {
  const programs = await findPrograms();
  const user = unprivileged();
  const template = await emptyCluster(programs, user);
  const folder = newFolder(user);
  const data = path.join(folder, 'data');
  const env = { PATH: process.env.PATH };
  const control = (...args: string[]) =>
    run(path.join(programs, 'pg_ctl'), ['-D', data, '-w', '-t', '60', ...args], {
      ...user,
      cwd: folder,
      env,
    });

  const guard = endWithThisProcess(path.join(programs, 'pg_ctl'), folder, user);
  await run('cp', ['-a', path.join(template, 'data'), data], { ...user, env });
  const password = readFileSync(path.join(template, 'password'), 'utf8');
  const port = await freePort();
  const settings = { ...SETTINGS, port, unix_socket_directories: folder };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(path.join(data, 'postgresql.auto.conf'), lines.join(''));

  const url = (database = 'postgres') =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const asAdmin = async (statement: string) => {
    const sql = postgres(url(), { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe(statement);
    } finally {
      await sql.end();
    }
  };
  const log = path.join(folder, 'log');
  const start = async () => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        await control('-l', log, 'start');
        return;
      } catch (error) {
        // After a kill, the old server's processes take a moment to notice and to leave.
        if (Date.now() > deadline) throw new Error(`${error}\n${readFileSync(log, 'utf8')}`);
        await setTimeout(100);
      }
    }
  };
  await start();

  return {
    port,
    folder,
    url,
    start,
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await asAdmin(`create database ${name}`);
      const drop = () => asAdmin(`drop database if exists ${name} with (force)`).catch(() => {});
      return { url: url(name), drop };
    },
    kill: async () => {
      process.kill(mainProcess(data), 'SIGKILL');
    },
    async stop(how) {
      await control('-m', how, 'stop');
    },
    async end() {
      await control('-m', 'immediate', 'stop').catch(() => {});
      guard();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

function newFolder(user: User | null): string {
  const folder = makeTempFolder('postgres');
  if (user !== null) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * What `initdb` makes, with the password of its superuser. It is made once per test run and copied
 * for each server: copying takes a tenth of the time.
 */
async function emptyCluster(programs: string, user: User | null): Promise<string> {
  const template = path.join(runFolder(), 'empty-cluster');
  if (existsSync(template)) return template;
  const folder = newFolder(user);
  const password = path.join(folder, 'password');
  writeFileSync(password, randomBytes(12).toString('hex'), { mode: 0o600 });
  if (user !== null) chownSync(password, user.uid, user.gid);
  await run(
    path.join(programs, 'initdb'),
    [
      ...['-D', path.join(folder, 'data'), '-U', 'postgres', '--pwfile', password],
      ...['-A', 'scram-sha-256', '-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions'],
    ],
    { ...user, cwd: folder, env: { PATH: process.env.PATH } },
  );
  try {
    renameSync(folder, template);
  } catch {
    // Another worker was faster.
    rmSync(folder, { recursive: true, force: true });
  }
  return template;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): User | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody here.');
}

/** Its input ends when this process does. Returns how to call it off. */
function endWithThisProcess(control: string, folder: string, user: User | null): () => void {
  const script = 'cat >/dev/null; "$1" -D "$2/data" -m immediate stop; rm -rf "$2"';
  const guard = spawn('sh', ['-c', script, 'sh', control, folder], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return () => guard.kill('SIGKILL');
}

function mainProcess(data: string): number {
  return Number.parseInt(readFileSync(path.join(data, 'postmaster.pid'), 'utf8'), 10);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
