// The server that the tests of the store rely on: fresh databases, and a crash that keeps what was
// committed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgres, freshDatabase, ownPostgres } from './postgres.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

await findPostgres();

function connectTo(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return sql;
}

test('each database is fresh', async () => {
  const one = connectTo(await freshDatabase());
  const other = connectTo(await freshDatabase());
  await one`create table t (n int)`;
  const [row] = await other`select to_regclass('t') as found`;
  expect(row?.found).toBeNull();
});

test('what was committed is there after kill -9, and connections come back', async () => {
  const server = await ownPostgres();
  const url = await freshDatabase(server);
  const sql = connectTo(url);
  await sql`create table t (n int)`;
  await sql`insert into t values (7)`;
  await server.kill();
  await expect(connectTo(url)`select 1`).rejects.toThrow();
  await server.start();
  expect(await connectTo(url)`select n from t`).toEqual([{ n: 7 }]);
  await server.stop('fast');
  await server.start();
  expect(await connectTo(url)`select n from t`).toEqual([{ n: 7 }]);
});

test('the server ends with the process that started it, even if that is killed', async () => {
  const program = path.join(tempFolder(), 'holder.mjs');
  await build({
    stdin: { contents: HOLDER, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  const holder = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [folder] = (await once(holder.stdout, 'data')).map(String);
  expect(existsSync(path.join(folder as string, 'data/postmaster.pid'))).toBe(true);
  holder.kill('SIGKILL');
  await until(() => !existsSync(folder as string));
});

const HOLDER = `import { startPostgres } from './postgres-server.ts';
  const { folder } = await startPostgres();
  process.stdout.write(folder);
  setInterval(() => {}, 1000);`;
