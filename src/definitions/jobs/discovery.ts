// Finds job directories, in the order in which names are looked up. A job is a subdirectory with a
// `job.yml`. In a folder named by a person, a subdirectory may be a link to anywhere, because
// people share jobs between projects that way; in the project's own folder, only to a place inside
// the project. Requested names are compared with a listing of the folder, never joined into paths.

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  changedTooRecently,
  type Fingerprint,
  NOTHING,
  sameFingerprint,
  takeFingerprint,
} from '../../files/fingerprint.ts';
import type { ProblemOf } from '../../files/folder-links.ts';
import { describeSystemError } from '../../files/system-errors.ts';
import { JOB_FILE, NAME_IT_INSTEAD } from './job-yml.ts';

export interface JobPlace {
  /** The directory's own name. */
  readonly name: string;
  readonly dir: string;
  /** The current state of its `job.yml`. */
  readonly print: Fingerprint;
  /** Why the directory must not be read; null if it may. */
  readonly problem: string | null;
}

interface FolderTrouble {
  readonly folder: string;
  readonly why: string;
}

export interface Discovery {
  readonly places: readonly JobPlace[];
  readonly troubles: readonly FolderTrouble[];
  /** Directories without a job.yml. */
  readonly others: readonly Pick<JobPlace, 'name' | 'dir'>[];
}

const MAX_DIRECTORIES = 10_000;

/** A subdirectory, which may or may not contain a job. */
interface Candidate {
  readonly name: string;
  readonly dir: string;
  readonly file: string;
  readonly isLink: boolean;
}

/** All jobs of the folders, or only those of one name; of each name, the first one. */
export function discoverJobs(
  folders: readonly string[],
  problemOf: ProblemOf,
  only: string | null = null,
  list: typeof listFolder = listFolder,
): Discovery {
  const troubles: FolderTrouble[] = [];
  const taken = new Set<string>();
  const places: JobPlace[] = [];
  const others: Pick<JobPlace, 'name' | 'dir'>[] = [];
  for (const folder of folders) {
    const why = problemOf(folder);
    if (why !== null) {
      troubles.push({ folder, why: `${why}; ${NAME_IT_INSTEAD}` });
      continue;
    }
    for (const { name, dir, file, isLink } of list(folder, troubles)) {
      if (taken.has(name) || (only !== null && name !== only)) continue;
      const problem = isLink ? problemOf(dir) : null;
      // The target of a link out of the project is not accessed at all.
      const print = problem === null ? takeFingerprint(file) : NOTHING;
      // A dangling link counts as present: it was meant to be a job.
      if (problem === null && print.kind === 'absent' && print.link === null) {
        if (!name.startsWith('.')) others.push({ name, dir });
        continue;
      }
      taken.add(name);
      places.push({ name, dir, print, problem });
    }
  }
  return { places, troubles, others };
}

/** Lists a folder again only if its fingerprint shows that an entry was added or removed. */
export function openFolderListing(): typeof listFolder {
  const kept = new Map<string, { print: Fingerprint; candidates: readonly Candidate[] }>();
  return (folder, troubles) => {
    const print = takeFingerprint(folder);
    if (print.kind !== 'present') return listFolder(folder, troubles);
    const before = kept.get(folder);
    if (before !== undefined && sameFingerprint(before.print, print)) return before.candidates;
    const conclusive = !changedTooRecently(print, Date.now());
    const count = troubles.length;
    const candidates = listFolder(folder, troubles);
    if (conclusive && troubles.length === count) kept.set(folder, { print, candidates });
    return candidates;
  };
}

function listFolder(folder: string, troubles: FolderTrouble[]): readonly Candidate[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const found = entries
      .filter((entry) => !entry.isFile())
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    if (found.length > MAX_DIRECTORIES) {
      troubles.push({
        folder,
        why: `only the first ${MAX_DIRECTORIES} directories are read`,
      });
    }
    return found.slice(0, MAX_DIRECTORIES).map((entry) => {
      const dir = join(resolve(folder), entry.name);
      const isLink = entry.isSymbolicLink();
      return { name: entry.name, dir, file: join(dir, JOB_FILE), isLink };
    });
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing) troubles.push({ folder, why: describeSystemError(error) });
    return [];
  }
}
