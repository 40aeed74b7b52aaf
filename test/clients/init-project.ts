// A project to be set up, a home of its own and a PATH on which `deepwork` is the built
// command, or is not.

import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { command } from '../support/command.ts';
import { BINARY } from '../support/connect.ts';
import { type Project, projectAt } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const ALL = 'claude,codex,gemini,opencode,cursor,vscode';

export interface Setting extends Project {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  init(...args: string[]): Promise<Ran>;
  /** Every path in the project with its kind, mode and content. */
  snapshot(): Record<string, string>;
}

export interface SettingOptions {
  /** The name of the project's folder. */
  readonly name?: string;
  /** False: `deepwork` is not on the PATH. */
  readonly isInstalled?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

export function newSetting({
  name = 'project',
  isInstalled = true,
  files = {},
}: SettingOptions = {}): Setting {
  const folder = tempFolder('home', 'bin', 'programs');
  const project = projectAt(path.join(folder, name));
  mkdirSync(project.root);
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  const bin = path.join(folder, isInstalled ? 'bin' : 'programs');
  if (isInstalled) symlinkSync(BINARY, path.join(bin, 'deepwork'));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const home = path.join(folder, 'home');
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  return {
    ...project,
    home,
    env,
    init: (...args) => command(['init', ...args], { cwd: project.root, env }),
    snapshot: () => snapshotOf(project.root),
  };
}

/** The files in the project, without folders and links. */
export const filesOf = (setting: Setting): string[] =>
  Object.entries(setting.snapshot()).flatMap(([file, content]) =>
    content.startsWith('100') ? [file] : [],
  );

function snapshotOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => name !== '.git' && !name.startsWith('.git/'))
      .map((name) => {
        const file = path.join(root, name);
        const stats = lstatSync(file);
        const mode = stats.mode.toString(8);
        if (stats.isSymbolicLink()) return [name, `link ${readlinkSync(file)}`];
        return [name, stats.isFile() ? `${mode} ${readFileSync(file, 'base64')}` : mode];
      }),
  );
}
