// The code caches beside the built command, which save a third of its start.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** What a server over stdio loads of the build, without the caches. */
function copyBuild(): string {
  const dist = path.join(tempFolder(), 'dist');
  mkdirSync(dist);
  for (const name of ['main.cjs', 'commands.cjs', 'engine.cjs']) {
    cpSync(path.join(path.dirname(BINARY), name), path.join(dist, name));
  }
  return dist;
}

function serve(dist: string, megabytes = 3000, more = '') {
  const server = spawn(process.execPath, [path.join(dist, 'main.cjs'), 'serve'], {
    cwd: tempFolder(),
    env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${megabytes} ${more}` },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  return server;
}

function cachesOf(dist: string, version: string, bundle = 'engine'): string[] {
  return readdirSync(dist).filter((name) => name.startsWith(`${bundle}-${version}-`));
}

test('servers with different flags have a cache each, which the next one uses', async () => {
  const dist = copyBuild();
  serve(dist, 3000);
  serve(dist, 3001);
  await until(() => cachesOf(dist, process.version).length === 2);

  const log = path.join(dist, 'log');
  const preload = path.join(dist, 'log-caches.cjs');
  writeFileSync(
    preload,
    `const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    const how = this.cachedDataRejected === false ? 'cached' : 'compiled';
    const { basename } = require('node:path');
    require('node:fs').appendFileSync(${JSON.stringify(log)}, basename(options.filename) + ' ' + how + ' ');
  }
};`,
  );
  serve(dist, 3000, `--require ${JSON.stringify(preload)}`);
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  await until(() => lines().includes('engine.cjs'));
  expect(lines()).toBe('commands.cjs cached engine.cjs cached ');
});

test('caches of other versions of Node make room for those of this one', async () => {
  const dist = copyBuild();
  for (let at = 0; at < 50; at++) {
    writeFileSync(path.join(dist, `engine-v18.0.0-${process.arch}-${at}.cache`), '');
  }
  serve(dist);
  await until(() => cachesOf(dist, process.version).length === 1);
  expect(cachesOf(dist, 'v18.0.0')).toEqual([]);
});

test('a server makes no cache of a bundle that an update has replaced since', async () => {
  const dist = copyBuild();
  const server = serve(dist);
  server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(server.stdout, 'data');
  const updated = path.join(dist, 'engine.cjs');
  cpSync(updated, `${updated}.new`);
  renameSync(`${updated}.new`, updated);
  await until(() => cachesOf(dist, process.version, 'commands').length === 1);
  await pause(1000);
  expect(cachesOf(dist, process.version)).toEqual([]);
});

test('nothing that is built names a folder of the machine that built it', () => {
  const dist = path.dirname(BINARY);
  const names = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const folder = path.dirname(dist);
  expect(names.filter((name) => readFileSync(name).includes(folder))).toEqual([]);
});
