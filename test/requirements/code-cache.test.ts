// The code caches beside the built command, which save a third of its start.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const DIST = path.dirname(BINARY);

test('a server makes a cache for its version of Node, and caches of other versions make room', async () => {
  const dist = path.join(tempFolder(), 'dist');
  mkdirSync(dist);
  for (const name of ['main.cjs', 'commands.cjs', 'engine.cjs']) {
    cpSync(path.join(DIST, name), path.join(dist, name));
  }
  for (let at = 0; at < 50; at++) {
    writeFileSync(path.join(dist, `engine-v18.0.0-${process.arch}-${at}.cache`), '');
  }
  const server = spawn(process.execPath, [path.join(dist, 'main.cjs'), 'serve'], {
    cwd: tempFolder(),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const caches = (version: string) =>
    readdirSync(dist).filter((name) => name.startsWith(`engine-${version}-`));
  await until(() => caches(process.version).length === 1 && caches('v18.0.0').length === 0);
});

test('nothing that is built names a folder of the machine that built it', () => {
  const names = readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const folder = path.dirname(DIST);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => readFileSync(name).includes(folder))).toEqual([]);
});
