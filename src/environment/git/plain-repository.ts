// Whether a repository consists of its own files and folders, without links or pipes in their
// place. An archive can contain a `.git` with links into another repository of the user; git
// would follow them, show what is there, and write through them. A pipe would block git until
// its deadline, at every call.

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';

const MAX_SMALL_BYTES = 1024 * 1024;
/** What git opens to locate a repository. */
const SMALL_FILES = ['HEAD', 'config', 'commondir'];
/** `packed-refs` grows with the repository. */
const ALTERNATES = 'objects/info/alternates';
const FILES = ['packed-refs', ALTERNATES];
const FOLDERS = ['refs', 'refs/heads', 'objects', 'objects/info', 'objects/pack', 'reftable'];

/** What is not plain in a repository's folder, or null. */
export function repositoryProblem(gitDir: string): string | null {
  for (const name of [...SMALL_FILES, ...FILES]) {
    const file = path.join(gitDir, name);
    const stats = statsOf(file);
    if (stats === null) continue;
    if (!stats.isFile()) return `${file} is not a regular file`;
    if (SMALL_FILES.includes(name) && stats.size > MAX_SMALL_BYTES) return `${file} is too large`;
  }
  for (const name of FOLDERS) {
    const folder = path.join(gitDir, name);
    if (statsOf(folder)?.isDirectory() === false) return `${folder} is not a folder`;
  }
  return null;
}

/** The file that names other repositories, of which git reads the objects as well; null: none. */
export function alternatesOf(commonDir: string): string | null {
  const file = path.join(commonDir, ALTERNATES);
  return statsOf(file) === null ? null : file;
}

/** A link among the objects, through which git would read those of other repositories; null: none. */
export function linkAmongObjects(commonDir: string): string | null {
  const objects = path.join(commonDir, 'objects');
  const linkIn = (folder: string) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const link = entries.find((each) => each.isSymbolicLink());
    return { entries, link: link === undefined ? null : path.join(folder, link.name) };
  };
  const { entries, link } = linkIn(objects);
  for (const each of entries) {
    const inside = each.isDirectory() ? linkIn(path.join(objects, each.name)).link : null;
    if (inside !== null) return inside;
  }
  return link;
}

/**
 * Whether an object is stored in the repository's own files. Git also follows linked folders
 * and reads the repositories that `alternates` names.
 */
export function holdsObject(commonDir: string, id: string): boolean {
  const objects = path.join(commonDir, 'objects');
  const packs = path.join(objects, 'pack');
  const fan = path.join(objects, id.slice(0, 2));
  return (
    alternatesOf(commonDir) === null &&
    statsOf(objects)?.isDirectory() === true &&
    (statsOf(packs) === null || hasOnlyFiles(packs)) &&
    statsOf(fan)?.isDirectory() !== false &&
    statsOf(path.join(fan, id.slice(2)))?.isFile() !== false
  );
}

function hasOnlyFiles(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every((entry) => entry.isFile());
}

/** Throws if it cannot be examined: that must not count as absent here. */
function statsOf(file: string): Stats | null {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null;
}
