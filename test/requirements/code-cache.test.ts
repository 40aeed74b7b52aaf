// The code caches in the user's cache folder, which save a third of a start.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const caches = (home: string) => path.join(home, 'deepwork');
const cachesOf = (home: string, bundle: string) =>
  readdirSync(caches(home)).filter((name) => name.startsWith(`${bundle}-`));

/** Runs a command with a cache folder of its own. */
const status = (home: string, options = '') =>
  deepwork(['status'], {
    cwd: tempFolder(),
    env: { XDG_CACHE_HOME: home, NODE_OPTIONS: options },
  });

test('processes with different flags have a cache each, which the next one uses', async () => {
  const home = tempFolder();
  await status(home, '--max-old-space-size=3000');
  await status(home, '--max-old-space-size=3001');
  expect(cachesOf(home, 'commands')).toHaveLength(2);

  const log = path.join(home, 'log');
  const preload = path.join(home, 'log-caches.cjs');
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
  await status(home, `--max-old-space-size=3000 --require ${JSON.stringify(preload)}`);
  expect(readFileSync(log, 'utf8')).toBe('commands.cjs cached board.cjs cached ');
});

test('a server that never ends keeps its code, too', async () => {
  const home = tempFolder();
  mkdirSync(caches(home));
  const server = spawn(process.execPath, [BINARY, 'serve'], {
    cwd: tempFolder(),
    env: { ...process.env, XDG_CACHE_HOME: home },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  await until(() => cachesOf(home, 'engine').length === 1);
});

test('the oldest caches make room for new ones', async () => {
  const home = tempFolder();
  mkdirSync(caches(home));
  for (let at = 0; at < 50; at++) {
    const file = path.join(caches(home), `engine-of-another-build-${at}.cache`);
    writeFileSync(file, '');
    utimesSync(file, at, at);
  }
  await status(home);
  const left = readdirSync(caches(home));
  expect(left).toHaveLength(40);
  expect(left).toContain('engine-of-another-build-49.cache');
  expect(left).not.toContain('engine-of-another-build-0.cache');
  expect(cachesOf(home, 'board')).toHaveLength(1);
});

test('without a folder for caches a command works all the same', async () => {
  const file = path.join(tempFolder(), 'no-folder');
  writeFileSync(file, '');
  expect(await status(file)).toMatchObject({ code: 0, stderr: '' });
});

test('nothing that is built names a folder of the machine that built it', () => {
  const dist = path.dirname(BINARY);
  const names = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const folder = path.dirname(dist);
  expect(names.filter((name) => readFileSync(name).includes(folder))).toEqual([]);
});
