// Copies a project's files to where they are played with. Regular files and folders alone: a link
// that leads out of the project would be read or written through later, so it is left out, like
// anything that is no file. A link that stays inside is copied as what it leads to.

import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../files/inside.ts';
import { realPathOf } from '../files/real-path.ts';

/** What changes with every call is not taken along, nor what is only there to be looked up. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.sgai']);
const OWN_LEFT_OUT = new Set(['journal', 'tmp', 'archive', 'worktrees', 'config.yml']);

/** `all`: not only `.deepwork`. */
export function copyDefinitions(projectRoot: string, to: string, all: boolean): void {
  const from = realPathOf(projectRoot);
  /** Folders that links led to: each once, so that links in a circle come to an end. */
  const followed = new Set<string>();

  function isWanted(name: string): boolean {
    const parts = name.split(path.sep);
    if (parts[0] === '.deepwork') return !OWN_LEFT_OUT.has(parts[1] ?? '');
    return !parts.some((part) => LEFT_OUT.has(part));
  }

  /** `source` is where the thing called `name` in the project really is. */
  function copy(source: string, name: string): void {
    const facts = lstatSync(source, { throwIfNoEntry: false });
    if (facts?.isSymbolicLink()) copyTarget(source, name);
    const target = path.join(to, name);
    if (facts?.isFile()) {
      mkdirSync(path.dirname(target), { recursive: true });
      copyFileSync(source, target, constants.COPYFILE_EXCL);
    }
    if (!facts?.isDirectory()) return;
    mkdirSync(target, { recursive: true });
    for (const each of readdirSync(source)) {
      const below = path.join(name, each);
      if (isWanted(below)) copy(path.join(source, each), below);
    }
  }

  function copyTarget(link: string, name: string): void {
    const end = endOf(link);
    if (end === null || !isInside(from, end) || !isWanted(path.relative(from, end))) return;
    if (lstatSync(end).isDirectory()) {
      // The folder it is in, or one above: that would never come to an end.
      if (isInside(end, path.join(from, name)) || followed.has(end)) return;
      followed.add(end);
    }
    copy(end, name);
  }

  copy(all ? from : path.join(from, '.deepwork'), all ? '' : '.deepwork');
  mkdirSync(path.join(to, '.deepwork'), { recursive: true });
}

function endOf(link: string): string | null {
  try {
    return realpathSync.native(link);
  } catch {
    return null;
  }
}
