// The jobs as they are on disk at each call. The disk is not watched: a fingerprint of each file
// tells whether the last parse is still valid, so an edit is seen at the next call, and unchanged
// files are not parsed again.
//
// A name means the first directory with that name, else the first job that declares it. A broken
// job keeps its name: it must not be silently replaced by another one.

import { basename, join, resolve } from 'node:path';
import { mapConcurrent } from '../../async/map-concurrent.ts';
import type { Issue } from '../../core/issue.ts';
import type { Job } from '../../core/workflow.ts';
import {
  changedTooRecently,
  type Fingerprint,
  sameFingerprint,
  takeFingerprint,
} from '../../files/fingerprint.ts';
import type { ProblemOf } from '../../files/folder-links.ts';
import type { ContainedFile } from '../../files/read-contained.ts';
import { misnamedJob, misnamedJobIn } from '../misnamed.ts';
import { writeIssue, writeIssues } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import { discoverJobs, type JobPlace, openFolderListing } from './discovery.ts';
import { JOB_FILE, type JobFile, parseJobFile, readJobBytes, unreadableLink } from './job-yml.ts';

export interface Library {
  list(): Promise<JobListing>;
  find(name: string): Promise<FoundJob>;
  /** The job in a directory, for a running session. */
  at(dir: string): Promise<FoundJob>;
  /** How many files have been parsed so far. */
  readonly parsed: number;
}

interface JobListing {
  readonly jobs: Job[];
  readonly errors: { job_name: string; job_dir: string; error: string }[];
  readonly warnings: { job_name: string; job_dir: string; warning: string }[];
}

type FoundJob =
  | { readonly kind: 'job'; readonly job: Job; readonly warnings: string[] }
  | {
      readonly kind: 'broken';
      readonly jobName: string;
      readonly problems: string;
      /** Absolute path of its `job.yml`. */
      readonly file: string;
      /** The same problems, each with its position. */
      readonly issues: readonly Issue[];
    }
  | { readonly kind: 'missing' };

interface Kept {
  readonly file: JobFile;
  readonly print: Fingerprint;
  /** False while a second edit could still leave the same fingerprint as the first. */
  readonly conclusive: boolean;
}

const JOBS_AT_ONCE = 16;

export interface LibraryOptions {
  readonly folders: () => readonly string[];
  /** Called for each folder and each job directory before it is read. */
  readonly problemOf?: ProblemOf;
}

export function openLibrary(options: LibraryOptions): Library {
  const problemOf = options.problemOf ?? (() => null);
  const kept = new Map<string, Kept>();
  const listing = openFolderListing();
  let parsed = 0;

  const parse = async (dir: string, print: Fingerprint, bytes: ContainedFile, readAt: number) => {
    if (bytes.kind === 'read') parsed++;
    const file = await parseJobFile(dir, bytes);
    if (bytes.kind === 'read' && file.lasting) {
      const prints = [print, ...file.dependsOn.map((each) => each.print)];
      const conclusive = !prints.some((each) => changedTooRecently(each, readAt));
      kept.set(dir, { file, print, conclusive });
    } else kept.delete(dir);
    return file;
  };

  /** The last parse of a job, if it is still valid. */
  const recall = (dir: string, print: Fingerprint): JobFile | null => {
    const known = kept.get(dir);
    if (!known?.conclusive || !sameFingerprint(known.print, print)) return null;
    const { dependsOn } = known.file;
    const isSame = dependsOn.every((each) =>
      sameFingerprint(each.print, takeFingerprint(each.path)),
    );
    return isSame ? known.file : null;
  };

  // Concurrent calls for the same state of a file share one parse.
  const parsing = new Map<string, { print: Fingerprint; file: Promise<JobFile> }>();

  const load = async (place: Omit<JobPlace, 'name'>): Promise<JobFile> => {
    const { dir, print, problem } = place;
    if (problem !== null) return parseJobFile(dir, unreadableLink(problem));
    const known = recall(dir, print);
    if (known !== null) return known;
    const running = parsing.get(dir);
    if (running !== undefined && sameFingerprint(running.print, print)) return running.file;
    const readAt = Date.now();
    const begun = {
      print,
      file: readJobBytes(dir, problemOf)
        .then((bytes) => parse(dir, print, bytes, readAt))
        .finally(() => {
          if (parsing.get(dir) === begun) parsing.delete(dir);
        }),
    };
    parsing.set(dir, begun);
    return begun.file;
  };

  return {
    get parsed() {
      return parsed;
    },

    async list() {
      const { places, troubles, others } = discoverJobs(
        options.folders(),
        problemOf,
        null,
        listing,
      );
      const files = await mapConcurrent(places, JOBS_AT_ONCE, load);
      const listed = new Set(places.map(({ dir }) => dir));
      for (const dir of kept.keys()) if (!listed.has(dir)) kept.delete(dir);
      const found = listFiles(places, files);
      for (const { folder, why } of troubles) {
        const error = `Cannot read jobs folder ${quote(folder, 300)}: ${why}`;
        found.errors.push({ job_name: basename(folder), job_dir: folder, error });
      }
      for (const { name, dir } of others) {
        const file = misnamedJobIn(dir);
        if (file === null) continue;
        found.warnings.push({ job_name: name, job_dir: dir, warning: misnamedJob(file) });
      }
      return found;
    },

    async find(name) {
      const folders = options.folders();
      const [place] = discoverJobs(folders, problemOf, name, listing).places;
      if (place) return describe(await load(place));
      const { places } = discoverJobs(folders, problemOf, null, listing);
      const files = await mapConcurrent(places, JOBS_AT_ONCE, load);
      const file = files.find(({ declaredName }) => declaredName === name);
      return file ? describe(file) : { kind: 'missing' };
    },

    async at(dir) {
      const absolute = resolve(dir);
      const problem = problemOf(absolute);
      if (problem !== null) return describe(await parseJobFile(absolute, unreadableLink(problem)));
      const print = takeFingerprint(join(absolute, JOB_FILE));
      if (print.kind === 'absent') return { kind: 'missing' };
      return describe(await load({ dir: absolute, print, problem }));
    },
  };
}

function listFiles(places: readonly JobPlace[], files: readonly JobFile[]): JobListing {
  const listing: JobListing = { jobs: [], errors: [], warnings: [] };
  const dirOfName = new Map(places.map(({ name, dir }) => [name, dir]));
  for (const { declaredName, dir } of files) {
    if (declaredName !== null && !dirOfName.has(declaredName)) dirOfName.set(declaredName, dir);
  }
  for (const file of files) {
    const described = describe(file);
    if (described.kind === 'broken') {
      const { jobName, problems } = described;
      listing.errors.push({ job_name: jobName, job_dir: file.dir, error: problems });
    } else if (described.kind === 'job') {
      const { job, warnings } = described;
      listing.jobs.push(job);
      const other = dirOfName.get(job.name);
      const hidden = other !== undefined && other !== file.dir;
      const all = hidden ? [...warnings, hiddenWarning(file, other)] : warnings;
      for (const warning of all) {
        listing.warnings.push({ job_name: job.name, job_dir: file.dir, warning });
      }
    }
  }
  return listing;
}

function hiddenWarning(file: JobFile, other: string): string {
  const own = quote(basename(file.dir));
  const name = quote(file.declaredName ?? '');
  const message = `Job name ${name} means the job in ${quote(other, 300)}; start this one as ${own}`;
  return writeIssue({ message, at: file.nameAt });
}

function describe(file: JobFile): FoundJob {
  const { job, warnings } = file;
  if (job !== null) return { kind: 'job', job, warnings: warnings.kept.map(writeIssue) };
  return {
    kind: 'broken',
    jobName: basename(file.dir),
    problems: writeIssues(file.answered).join('\n'),
    file: join(file.dir, JOB_FILE),
    issues: file.answered.kept,
  };
}
