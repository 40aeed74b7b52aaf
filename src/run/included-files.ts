// `.worktreeinclude`: files that are not committed and that the work needs, such as `.env`. The file
// lists one path per line. They are copied into the worktree of a run.

import { cpSync, existsSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { shown } from '../core/wording.ts';
import { linkProblem } from '../files/folder-links.ts';
import { isInside, pathInside } from '../files/inside.ts';
import { readSmallBytes, readSmallText } from '../files/read-contained.ts';
import { realPathOf } from '../files/real-path.ts';

export const INCLUDE_FILE = '.worktreeinclude';
const MAX_INCLUDE_BYTES = 64 * 1024;
/** A larger copy counts as changed. */
const MAX_COMPARED_BYTES = 16 * 1024 * 1024;

/** Copies them. Returns a warning for each line that names nothing to copy. */
export function copyIncluded(root: string, place: string): string[] {
  const warnings: string[] = [];
  for (const name of includedNames(root)) {
    const [from, to] = [path.resolve(root, name), path.resolve(place, name)];
    const problem = problemOf(root, place, name);
    if (problem !== null) warnings.push(`${INCLUDE_FILE}: ${problem}`);
    if (problem !== null) continue;
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(from, to, {
      recursive: true,
      // What is committed is there already, perhaps with another content.
      force: false,
      filter: (file, copy) => isPlain(lstatSync(file)) && !isOther(copy),
    });
  }
  return warnings;
}

function problemOf(root: string, place: string, name: string): string | null {
  const from = path.resolve(root, name);
  const named = `'${shown(name)}'`;
  if (!isIncludable(root, from)) return `${named} is not copied: ${ELSEWHERE}`;
  if (!existsSync(from)) return `there is no ${named}${/[*?[]/.test(name) ? PATTERN : ''}`;
  // A link, here or in the worktree, could lead out of the project.
  const link = linkProblem(place, path.resolve(place, name));
  if (link !== null) return `${named} is not copied: ${link}`;
  const isInProject = isIncludable(realPathOf(root), realPathOf(from));
  return isInProject ? null : `${named} is not copied: ${ELSEWHERE}`;
}

const ELSEWHERE = 'it has to be inside the project, and not in .git or .deepwork';
const PATTERN = ' (name each path; patterns are not supported)';

/** Whether this file of the worktree is still the copy of the one in the main checkout. */
export function isIncludedCopy(root: string, place: string, name: string): boolean {
  const from = path.resolve(root, name);
  const isIncluded = includedNames(root).some((each) => isInside(path.resolve(root, each), from));
  if (!isIncluded || !isIncludable(root, from)) return false;
  const [before, now] = [from, path.resolve(place, name)].map((file) =>
    readSmallBytes(file, MAX_COMPARED_BYTES),
  );
  return before != null && now != null && before.equals(now);
}

function includedNames(root: string): readonly string[] {
  const text = readSmallText(path.join(root, INCLUDE_FILE), MAX_INCLUDE_BYTES) ?? '';
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^\/+|\/+$/g, ''))
    .filter((name) => name !== '' && !name.startsWith('#'));
}

/** Inside the project, and neither in `.git` nor in `.deepwork`. */
function isIncludable(root: string, file: string): boolean {
  const [first = ''] = (pathInside(root, file) ?? '').split(path.sep);
  return first !== '' && !/^\.(?:git|deepwork)$/i.test(first);
}

/** Links and devices are not copied. */
function isPlain(facts: Stats): boolean {
  return facts.isFile() || facts.isDirectory();
}

/** Nothing is copied through a link that the repository has there. */
function isOther(copy: string): boolean {
  const facts = lstatSync(copy, { throwIfNoEntry: false });
  return facts !== undefined && !isPlain(facts);
}
