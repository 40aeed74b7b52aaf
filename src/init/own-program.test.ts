// How clients start this program: by its name only if that leads to this program.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ownProgram, shellCommand } from './own-program.ts';

let folder = '';
let script = '';
let project = '';
let PATH = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'deepwork-program-')));
  for (const name of ['bin', 'dist', 'project']) mkdirSync(path.join(folder, name));
  script = path.join(folder, 'dist/main.cjs');
  project = path.join(folder, 'project');
  PATH = path.join(folder, 'bin');
  writeFileSync(script, '#!/usr/bin/env node\n');
  chmodSync(script, 0o755);
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

test('by its name, where a link on the PATH leads here', () => {
  symlinkSync('../dist/main.cjs', path.join(folder, 'bin/deepwork'));
  expect(ownProgram(script, project, { PATH })).toEqual({ words: ['deepwork'], warning: null });
});

test('by its path, where nothing on the PATH has its name', () => {
  const { words, warning } = ownProgram(script, project, { PATH });
  expect(words).toEqual([script]);
  expect(warning).toContain('`deepwork` is not on the PATH');
});

test('by its path, where the name is that of another program', () => {
  const other = path.join(folder, 'bin/deepwork');
  writeFileSync(other, '#!/bin/sh\n');
  chmodSync(other, 0o755);
  const { words, warning } = ownProgram(script, project, { PATH });
  expect(words).toEqual([script]);
  expect(warning).toContain(`is another program (${other})`);
});

test('by node and its path, where it is not executable', () => {
  chmodSync(script, 0o644);
  expect(ownProgram(script, project, { PATH }).words).toEqual([process.execPath, script]);
});

test('by its path, where its name is only found inside the project', () => {
  mkdirSync(path.join(project, 'node_modules/.bin'), { recursive: true });
  symlinkSync(script, path.join(project, 'node_modules/.bin/deepwork'));
  const inside = { PATH: path.join(project, 'node_modules/.bin') };
  expect(ownProgram(script, project, inside).words).toEqual([script]);
});

test('a shell takes the words as they are', () => {
  const words = ['printf', '%s|', 'a b', "it's", '$HOME', '"x"', '`y`', 'plain/path.js', ''];
  const said = execFileSync('/bin/sh', ['-c', shellCommand(words)], { encoding: 'utf8' });
  expect(said).toBe(`${words.slice(2).join('|')}|`);
});
