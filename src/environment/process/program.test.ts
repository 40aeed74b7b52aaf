import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { findProgram, programOf, withoutProjectPath } from './program.ts';

let top: string;
let root: string;

beforeEach(() => {
  top = tempFolder('home/clone/app');
  root = path.join(top, 'home/clone/app');
});

/** Makes a program `tool` in a folder below the top; returns the folder. */
function tool(folder: string, mode = 0o755): string {
  const absolute = path.join(top, folder);
  mkdirSync(absolute, { recursive: true });
  writeFileSync(path.join(absolute, 'tool'), '#!/bin/sh\n');
  chmodSync(path.join(absolute, 'tool'), mode);
  return absolute;
}

const withPath = (...folders: string[]) => ({
  HOME: path.join(top, 'home'),
  PATH: folders.join(path.delimiter),
});
const find = (...folders: string[]) => findProgram('tool', root, withPath(...folders));

describe('a program is found outside the project', () => {
  test('in the first folder of PATH that has it', () => {
    const [first, second] = [tool('usr/bin'), tool('home/.local/bin')];
    expect(find(path.join(top, 'nowhere'), first, second)).toBe(path.join(first, 'tool'));
    expect(find(second, first)).toBe(path.join(second, 'tool'));
    expect(find()).toBeNull();
  });

  test('never in the project, however PATH names it', () => {
    const own = tool('home/clone/app/bin');
    const alias = path.join(top, 'alias');
    symlinkSync(own, alias);
    symlinkSync(path.join(top, 'home/clone'), path.join(top, 'again'));
    const linked = path.join(top, 'linked');
    mkdirSync(linked);
    symlinkSync(path.join(own, 'tool'), path.join(linked, 'tool'));
    const again = path.join(top, 'again/app/bin');
    expect(find(own, alias, again, linked, 'bin', '.', '', './bin')).toBeNull();
    const outside = tool('usr/bin');
    expect(find(own, alias, again, linked, '', outside)).toBe(path.join(outside, 'tool'));
  });

  test('never through a folder of the project that is a link out of it', () => {
    symlinkSync(tool('usr/bin'), path.join(root, 'bin'));
    expect(find(path.join(root, 'bin'))).toBeNull();
  });

  test('never in the repository around the project, nor in packages above it', () => {
    const folder = tool('home/clone/bin');
    expect(find(folder), 'not a repository').toBe(path.join(folder, 'tool'));
    mkdirSync(path.join(top, 'home/clone/.git'));
    expect(find(folder)).toBeNull();
    expect(find(tool('home/node_modules/.bin'))).toBeNull();
    const globalPackages = tool('usr/lib/node_modules/.bin');
    expect(find(globalPackages), 'not above the project').toBe(path.join(globalPackages, 'tool'));
  });

  test("in the user's home, even if that is the project or a repository", () => {
    mkdirSync(path.join(top, 'home/.git'));
    const installed = tool('home/.local/bin');
    expect(find(installed)).toBe(path.join(installed, 'tool'));
    root = path.join(top, 'home');
    expect(find(installed)).toBe(path.join(installed, 'tool'));
    expect(find(tool('home/node_modules/.bin'))).toBeNull();
  });

  test('only if it can be run', () => {
    mkdirSync(path.join(top, 'folder/tool'), { recursive: true });
    expect(find(tool('usr/bin', 0o644), path.join(top, 'folder'))).toBeNull();
  });
});

test('a relative path to a program is resolved from its base folder', () => {
  expect(programOf('./tool', root, root, {})).toBe(path.join(root, 'tool'));
  expect(programOf('bin/tool', root, '/elsewhere', {})).toBe('/elsewhere/bin/tool');
  expect(programOf('/usr/bin/tool', root, root, {})).toBe('/usr/bin/tool');
  expect(programOf('tool', root, root, withPath(tool('home/clone/app/bin')))).toBeNull();
});

test('without a PATH, the system folders are searched', () => {
  expect(findProgram('sh', root, {})).toMatch(/^\/(?:usr\/)?bin\/sh$/);
});

test('the PATH of child processes contains no folder of the project', () => {
  const env = { ...withPath(tool('home/clone/app/bin'), '', 'bin', '/usr/bin', '/bin'), A: '1' };
  expect(withoutProjectPath(env, root)).toEqual({ ...env, PATH: '/usr/bin:/bin' });
});
