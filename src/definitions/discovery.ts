// Which job directories there are, in the order in which names are looked up. A job is
// a subdirectory that holds a `job.yml`; a subdirectory may be a link, because people
// share jobs between projects that way. Names come from listing a folder and are
// compared, never joined into a path that somebody asked for.

import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSettled } from '../core/settled.ts';
import { systemWords } from './contained-file.ts';
import { type Stamped, stampFiles } from './file-stamp.ts';
import { JOB_FILE } from './job-yml.ts';

export interface JobPlace {
  /** The directory's own name. */
  readonly name: string;
  readonly dir: string;
  /** The state of its `job.yml` at this moment. */
  readonly stamped: Stamped;
}

export interface FolderTrouble {
  readonly folder: string;
  readonly why: string;
}

export interface Discovery {
  readonly places: readonly JobPlace[];
  readonly troubles: readonly FolderTrouble[];
}

const MOST_DIRECTORIES = 10_000;

/** All jobs of the folders (or those of one name), the first of each name only. */
export async function discoverJobs(
  folders: readonly string[],
  only: string | null = null,
  list: typeof listFolder = listFolder,
): Promise<Discovery> {
  const troubles: FolderTrouble[] = [];
  const listings = folders.map((folder) => list(folder, troubles));
  const candidates = listings.flatMap((names, index) => {
    const folder = resolve(folders[index] ?? '');
    const wanted = only === null ? names : names.filter((name) => name === only);
    return wanted.map((name) => ({ name, dir: join(folder, name) }));
  });
  const stamps = stampFiles(candidates.map(({ dir }) => join(dir, JOB_FILE)));
  const taken = new Set<string>();
  const places: JobPlace[] = [];
  for (const [index, { name, dir }] of candidates.entries()) {
    const stamped = stamps[index] ?? { kind: 'absent' };
    if (taken.has(name) || !isThere(dir, stamped)) continue;
    taken.add(name);
    places.push({ name, dir, stamped });
  }
  return { places, troubles };
}

/** A link to nothing is there: somebody meant a job to be. */
function isThere(dir: string, stamped: Stamped): boolean {
  if (stamped.kind !== 'absent') return true;
  try {
    return lstatSync(join(dir, JOB_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Lists a folder again only when its own stamp says that something came or went. */
export function openListing(): typeof listFolder {
  const kept = new Map<string, { key: string; names: string[] }>();
  return (folder, troubles) => {
    const [stamped] = stampFiles([folder]);
    if (stamped?.kind !== 'present') return listFolder(folder, troubles);
    const { key, changedAt } = stamped.stamp;
    const before = kept.get(folder);
    if (before?.key === key) return before.names;
    const settled = isSettled(changedAt, Date.now());
    const told = troubles.length;
    const names = listFolder(folder, troubles);
    if (settled && troubles.length === told) kept.set(folder, { key, names });
    return names;
  };
}

function listFolder(folder: string, troubles: FolderTrouble[]): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isFile())
      .map((entry) => entry.name)
      .sort();
    if (names.length > MOST_DIRECTORIES) {
      troubles.push({
        folder,
        why: `only the first ${MOST_DIRECTORIES} directories are looked at`,
      });
    }
    return names.slice(0, MOST_DIRECTORIES);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing) troubles.push({ folder, why: systemWords(error) });
    return [];
  }
}
