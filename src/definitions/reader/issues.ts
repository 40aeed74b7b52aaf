// Collects the issues of a file. Readers add them by path; after the file has been read, each gets
// its position. A hostile file can have a hundred thousand issues: only the first ones are kept,
// the rest are counted.

import type { Issue, IssueCode, Path, TextPosition } from '../../core/issue.ts';
import type { Proof } from '../../core/proof.ts';
import { onOneLine } from '../../core/wording.ts';
import { locate, pointerTo, type Target } from '../source/node.ts';
import type { Source } from '../source/source.ts';
import { cut } from '../wording.ts';

/** Everything found in one file. */
export interface Issues {
  readonly kept: readonly Issue[];
  /** How many more were found; checks stop early, so there may be others. */
  readonly left: number;
  /** Readers stopped because the limit was reached, even if no more were found. */
  readonly stopped?: boolean | undefined;
}

export interface Report {
  /** `at`: the key or the value at the path, or an offset in the text. */
  add(code: IssueCode, path: Path, message: string, at?: Target | number, proof?: Proof): void;
  /** The limit is reached: readers of long lists stop. */
  full(): boolean;
}

export interface IssueLog extends Report {
  /** Including those that are only counted. */
  readonly found: number;
  /** In the order in which they were found. */
  close(source: Source): Issues;
}

export interface Bounds {
  readonly maxIssues: number;
  /** Characters of a message. */
  readonly maxLength: number;
}

const BOUNDS: Bounds = { maxIssues: 1000, maxLength: 1000 };
export const TEXT_START: TextPosition = { line: 1, column: 1 };
export const NO_ISSUES: Issues = { kept: [], left: 0 };

export function openIssueLog(bounds: Partial<Bounds> = {}): IssueLog {
  const { maxIssues, maxLength } = { ...BOUNDS, ...bounds };
  const kept: (Omit<Issue, 'at'> & { readonly at: Target | number })[] = [];
  let found = 0;
  let stopped = false;
  return {
    get found() {
      return found;
    },
    add(code, path, message, at = 'value', proof) {
      found += 1;
      if (kept.length >= maxIssues) return;
      // Cut first, because it may be a megabyte, and again, because escapes are longer.
      const short = cut(onOneLine(cut(message, maxLength)), maxLength);
      kept.push({ code, path, message: short, at, ...(proof && { proof }) });
    },
    full: () => {
      stopped ||= kept.length >= maxIssues;
      return stopped;
    },
    close: ({ root, positionOf }) => ({
      kept: kept.map(({ at, ...issue }) => {
        const nearest = typeof at === 'number' || root === null ? 0 : locate(root, issue.path, at);
        return { ...issue, at: positionOf(typeof at === 'number' ? at : nearest) };
      }),
      left: found - kept.length,
      stopped,
    }),
  };
}

/** Readers report in the order of their keys; people read a file from top to bottom. */
export function inFileOrder({ kept, ...counts }: Issues): Issues {
  const byPlace = (one: Issue, other: Issue) =>
    one.at.line - other.at.line || one.at.column - other.at.column;
  return { kept: [...kept].sort(byPlace), ...counts };
}

export function joinIssues(...parts: readonly Issues[]): Issues {
  const all = parts.flatMap(({ kept }) => kept);
  const kept = all.slice(0, BOUNDS.maxIssues);
  return {
    kept,
    left: parts.reduce((sum, { left }) => sum + left, all.length - kept.length),
    stopped: parts.some(({ stopped }) => stopped),
  };
}

const WARNINGS: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'name_differs',
  'no_workflows',
  'unused_step',
  'empty_instructions',
  'unknown_placeholder',
  'no_effect',
  'no_version',
  'shell_signs',
  'misnamed_file',
]);

/** Odd, but valid. */
export function isWarning({ code }: Issue): boolean {
  return WARNINGS.has(code);
}

/** The path that a message is about: for an unknown key, the map that contains it. */
export function pathOfIssue({ code, path }: Issue): Path {
  return code === 'unknown_key' ? path.slice(0, -1) : path;
}

const MAX_PATH_PARTS = 16;

/** Prefixes each message with its path, in the notation of the format. */
export function withPlaces({ kept, ...counts }: Issues, write: (place: Path) => string): Issues {
  const placed = kept.map((issue) => {
    const parts = pathOfIssue(issue);
    const place = parts
      .slice(0, MAX_PATH_PARTS)
      .map((part) => (typeof part === 'number' ? part : cut(part, 60)));
    if (parts.length > MAX_PATH_PARTS) place.push('…');
    const written = onOneLine(write(place));
    const message = written === '' ? issue.message : `${written}: ${issue.message}`;
    return { ...issue, message: cut(message, BOUNDS.maxLength) };
  });
  return { kept: placed, ...counts };
}

/** The single issue of a file that cannot be read at all. */
export function oneIssue(code: IssueCode, message: string, at: TextPosition = TEXT_START): Issues {
  const log = openIssueLog();
  log.add(code, [], message, 0);
  return log.close({ root: null, faults: [], positionOf: () => at });
}

/** An issue in answers for programs. */
export interface Problem extends TextPosition {
  /** JSON Pointer. */
  readonly path: string;
  readonly message: string;
}

export function problemOf({ at, path, message }: Issue): Problem {
  return { ...at, path: pointerTo(path), message };
}

type Written = Pick<Issue, 'at' | 'message'>;

/** An issue as a line of text. */
export function writeIssue({ message, at }: Written): string {
  return `${message} (line ${at.line}, column ${at.column})`;
}

/** Leaves room, within a message of 4 KiB, for the text before the problems. */
const MAX_BYTES = 3800;

/** One line for each issue that fits into an answer; the last line counts the others. */
export function writeIssues(
  issues: Omit<Issues, 'kept'> & { readonly kept: readonly Written[] },
): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const issue of issues.kept) {
    const line = writeIssue(issue);
    bytes += Buffer.byteLength(line) + 1;
    // A message is far shorter than this, so there is always a first line.
    if (bytes > MAX_BYTES) break;
    lines.push(line);
  }
  const left = issues.kept.length + issues.left - lines.length;
  // There may be more than were counted.
  const atLeast = issues.left > 0 || issues.stopped ? 'at least ' : '';
  if (left > 0) lines.push(`and ${atLeast}${left} more ${left === 1 ? 'problem' : 'problems'}`);
  return lines;
}
