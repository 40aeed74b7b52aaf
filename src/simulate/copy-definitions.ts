// Copies a project's files into the scratch project. Only regular files and folders: a link that
// leads out of the project could be read or written through later, so it is left out, like devices
// and pipes. A link that stays inside is copied as its target.

import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../files/inside.ts';
import { realPathOf } from '../files/real-path.ts';

const EXCLUDED = new Set(['.git', 'node_modules', '.sgai']);
/** Entries of `.deepwork` that are state, or that the scratch project has of its own. */
const EXCLUDED_OWN = new Set(['journal', 'tmp', 'archive', 'worktrees', 'config.yml']);

/** `all`: not only `.deepwork`. */
export function copyDefinitions(projectRoot: string, to: string, all: boolean): void {
  const from = realPathOf(projectRoot);
  /** Folders that links led to. Each is followed once, so that circular links end. */
  const followed = new Set<string>();

  function isWanted(name: string): boolean {
    const parts = name.split(path.sep);
    if (parts[0] === '.deepwork') return !EXCLUDED_OWN.has(parts[1] ?? '');
    return !parts.some((part) => EXCLUDED.has(part));
  }

  /** `source` is the real path of what the project calls `name`. */
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
    const end = targetOf(link);
    if (end === null || !isInside(from, end) || !isWanted(path.relative(from, end))) return;
    if (lstatSync(end).isDirectory()) {
      // A link to one of its own parents would never end.
      if (isInside(end, path.join(from, name)) || followed.has(end)) return;
      followed.add(end);
    }
    copy(end, name);
  }

  copy(all ? from : path.join(from, '.deepwork'), all ? '' : '.deepwork');
  mkdirSync(path.join(to, '.deepwork'), { recursive: true });
}

function targetOf(link: string): string | null {
  try {
    return realpathSync.native(link);
  } catch {
    return null;
  }
}
