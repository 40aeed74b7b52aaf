// The guard itself: what it must notice, done on purpose.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { GUARD, type Note } from './runners.ts';

const DEEDS = `
  import { execFile, spawnSync } from 'node:child_process';
  import fs from 'node:fs';
  import { mkdir, open, rename } from 'node:fs/promises';
  fs.writeFileSync('in/fine', '');
  fs.writeFileSync('out/write', '');
  fs.appendFileSync('file-link', 'more');
  fs.mkdirSync('out/deep/er', { recursive: true });
  fs.closeSync(fs.openSync('out/open', fs.constants.O_WRONLY | fs.constants.O_CREAT));
  await mkdir('out/promised');
  await (await open('out/handle', 'wx')).close();
  await rename('in/fine', 'out/renamed');
  fs.unlinkSync('out/renamed');
  fs.rmSync('out/write');
  fs.readFileSync('out/open');
  fs.closeSync(fs.openSync('dangling', fs.constants.O_RDONLY | fs.constants.O_CREAT));
  spawnSync('true');
  await new Promise((resolve) => execFile('true', resolve));
`;

test('the guard records every change outside and every program, and nothing that is allowed', () => {
  const top = tempFolder();
  const project = path.join(top, 'project');
  for (const name of ['project/in', 'elsewhere'])
    mkdirSync(path.join(top, name), { recursive: true });
  symlinkSync('../elsewhere', path.join(project, 'out'));
  symlinkSync('../elsewhere/file', path.join(project, 'file-link'));
  symlinkSync('../elsewhere/made', path.join(project, 'dangling'));
  const file = path.join(top, 'notes');
  const args = ['--require', GUARD, '--input-type=module', '--eval', DEEDS];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, DEEPWORK_GUARD_NOTES: file, DEEPWORK_GUARD_WRITABLE: project },
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const notes: Note[] = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const outside = notes.filter(({ kind }) => kind === 'outside');
  // Each once: some of Node's calls use others.
  const ways = new Set(outside.map(({ real = '' }) => path.relative(top, real)));
  expect([...ways]).toEqual([
    'elsewhere/write',
    'elsewhere/file',
    'elsewhere/deep/er',
    'elsewhere/open',
    'elsewhere/promised',
    'elsewhere/handle',
    'elsewhere/renamed',
    'elsewhere/made',
  ]);
  const started = notes.filter(({ kind }) => kind === 'started').map((note) => note.path);
  expect(started).toEqual(['true', 'true']);
});
