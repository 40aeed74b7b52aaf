// Finds the programs that we start: on PATH, but never in the project. A cloned repository
// can contain its own `git` or `claude`, and `npm run` puts the project's `node_modules/.bin`
// first on PATH; neither may decide what we run. Child processes get a PATH without the
// project's folders for the same reason.

import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../files/inside.ts';
import { realPathOf } from '../../files/real-path.ts';
import { homeOf } from '../home.ts';

const WINDOWS = process.platform === 'win32';

/** The absolute path of a program outside the project, or null if there is none. */
export function findProgram(name: string, root: string, env: NodeJS.ProcessEnv): string | null {
  const isOwn = ownedBy(root, env);
  for (const folder of foldersOf(env)) {
    if (isOwn(folder)) continue;
    for (const file of fileNames(name, env)) {
      const candidate = path.join(folder, file);
      if (isProgram(candidate) && !isOwn(candidate)) return candidate;
    }
  }
  return null;
}

/**
 * The program that a command names. A bare name is looked up outside the project; a relative
 * path is resolved from `base`.
 */
export function programOf(
  name: string,
  root: string,
  base: string,
  env: NodeJS.ProcessEnv,
): string | null {
  const isPath = name.includes('/') || (WINDOWS && name.includes('\\'));
  return isPath ? path.resolve(base, name) : findProgram(name, root, env);
}

/** An environment whose PATH contains no folder of the project. */
export function withoutProjectPath(env: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  const isOwn = ownedBy(root, env);
  const kept = foldersOf(env).filter((folder) => !isOwn(folder));
  return {
    ...env,
    [pathVariable(env)]: kept.join(path.delimiter),
    // Windows looks in the current folder first unless this is set.
    ...(WINDOWS ? { NoDefaultCurrentDirectoryInExePath: '1' } : {}),
  };
}

/** The shell, by a path that the environment cannot change. */
export function shellProgram(): string {
  return WINDOWS
    ? path.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'cmd.exe')
    : '/bin/sh';
}

/** What systems use if PATH is not set. */
const DEFAULT_PATH = WINDOWS ? '' : '/usr/bin:/bin';

/** Drops relative and empty entries: they mean the current folder, which is the project's. */
function foldersOf(env: NodeJS.ProcessEnv): string[] {
  const entries = (env[pathVariable(env)] ?? DEFAULT_PATH).split(path.delimiter);
  return entries.filter((entry) => path.isAbsolute(entry));
}

function pathVariable(env: NodeJS.ProcessEnv): string {
  return (WINDOWS && Object.keys(env).find((name) => /^path$/i.test(name))) || 'PATH';
}

function fileNames(name: string, env: NodeJS.ProcessEnv): string[] {
  if (!WINDOWS || path.extname(name) !== '') return [name];
  return (env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';').map((ending) => `${name}${ending}`);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The projects of which scratch projects are copies, by the real path of the copy. */
const originals = new Map<string, string>();

/** What belongs to the project is from now on not started in the copy either. */
export function treatAsCopy(copy: string, project: string): void {
  originals.set(realPathOf(copy), realPathOf(project));
}

/** Whether a path belongs to the project, by its name or by its real target. */
export function ownedBy(root: string, env: NodeJS.ProcessEnv): (file: string) => boolean {
  const project = realPathOf(root);
  const original = originals.get(project);
  const projects = original === undefined ? [project] : [project, original];
  const home = realPathOf(homeOf(env));
  const folders = projects.flatMap((each) => foldersOfProject(each, home));
  const isOwn = (file: string) =>
    folders.some((folder) => isInside(folder, file)) ||
    projects.some((each) => isFromPackages(each, file));
  return (file) => isOwn(path.resolve(file)) || isOwn(realPathOf(file));
}

/**
 * The project and the repositories around it, since a workspace may be one package of a
 * clone. A folder that contains the user's home does not count: programs are installed below
 * it.
 */
function foldersOfProject(project: string, home: string): string[] {
  const repositories = ancestorsOf(project).filter((folder) => exists(path.join(folder, '.git')));
  return [project, ...repositories].filter(
    (folder) => folder !== path.parse(folder).root && !isInside(folder, home),
  );
}

/** `node_modules` of the project or of a folder around it, as npm puts them on PATH. */
function isFromPackages(project: string, file: string): boolean {
  const [before = '', ...after] = file.split(/[\\/]node_modules(?=[\\/]|$)/);
  if (after.length === 0) return false;
  return isInside(before || path.sep, project) || isInside(project, before);
}

function ancestorsOf(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [] : [above, ...ancestorsOf(above)];
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
