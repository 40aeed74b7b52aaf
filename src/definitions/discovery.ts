// Which job directories there are, in the order in which names are looked up. A job is
// a subdirectory that holds a `job.yml`; a subdirectory may be a link, because people
// share jobs between projects that way. Names come from listing a folder and are
// compared, never joined into a path that somebody asked for.

import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSettled } from '../core/settled.ts';
import { systemWords } from './contained-file.ts';
import { changedAt, type Stamped, sameStamp, stampFile } from './file-stamp.ts';
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

/** A subdirectory, which may or may not hold a job. */
interface Candidate {
  readonly name: string;
  readonly dir: string;
  readonly file: string;
}

/** All jobs of the folders (or those of one name), the first of each name only. */
export function discoverJobs(
  folders: readonly string[],
  only: string | null = null,
  list: typeof listFolder = listFolder,
): Discovery {
  const troubles: FolderTrouble[] = [];
  const taken = new Set<string>();
  const places: JobPlace[] = [];
  for (const folder of folders) {
    for (const { name, dir, file } of list(folder, troubles)) {
      if (taken.has(name) || (only !== null && name !== only)) continue;
      const stamped = stampFile(file);
      if (!isThere(file, stamped)) continue;
      taken.add(name);
      places.push({ name, dir, stamped });
    }
  }
  return { places, troubles };
}

/** A link to nothing is there: somebody meant a job to be. */
function isThere(file: string, stamped: Stamped): boolean {
  if (stamped.kind !== 'absent') return true;
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Lists a folder again only when its own stamp says that something came or went. */
export function openListing(): typeof listFolder {
  const kept = new Map<string, { stamped: Stamped; candidates: readonly Candidate[] }>();
  return (folder, troubles) => {
    const stamped = stampFile(folder);
    if (stamped.kind !== 'present') return listFolder(folder, troubles);
    const before = kept.get(folder);
    if (before !== undefined && sameStamp(before.stamped, stamped)) return before.candidates;
    const settled = isSettled(changedAt(stamped.stamp), Date.now());
    const told = troubles.length;
    const candidates = listFolder(folder, troubles);
    if (settled && troubles.length === told) kept.set(folder, { stamped, candidates });
    return candidates;
  };
}

function listFolder(folder: string, troubles: FolderTrouble[]): readonly Candidate[] {
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
    return names.slice(0, MOST_DIRECTORIES).map((name) => {
      const dir = join(resolve(folder), name);
      return { name, dir, file: join(dir, JOB_FILE) };
    });
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing) troubles.push({ folder, why: systemWords(error) });
    return [];
  }
}
