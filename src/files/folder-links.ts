// Checks the symbolic links on a path of a project. A repository may contain any of our folders,
// or one above it, as a link. That is fine if the link ends inside the project; otherwise it must
// not be read, written or swept.
//
// Checked before each use, because a checkout can replace a folder by a link while the server
// runs. Plain folders cost one lstat for each part of the path; only a link is resolved. A
// program with the same rights could swap a folder between this check and the use; a
// repository cannot.

import { lstatSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { isInside, pathInside } from './inside.ts';
import { realRootOf } from './real-root.ts';
import { errorCode } from './system-errors.ts';

/** The problem with a path's target, in words; null if it may be used. */
export type ProblemOf = (path: string) => string | null;

export type LinkCheck =
  /** Inside, not existing yet, or a place that only a person can have chosen. */
  | { readonly kind: 'allowed' }
  /** `link` is the path of the link at fault. */
  | { readonly kind: 'outside' | 'nowhere' | 'circle'; readonly link: string };

const ALLOWED: LinkCheck = { kind: 'allowed' };

/**
 * Checks all links of a path, including its last part. A path that is not below the root by
 * its own text was chosen by a person, not by the repository: it is allowed. `plain` contains
 * paths just found to be no links; new ones are added.
 */
export function checkLinks(root: string, path: string, plain = new Set<string>()): LinkCheck {
  const relative = pathInside(root, path);
  if (relative === null || relative === '') return ALLOWED;
  let at = root;
  for (const part of relative.split(sep)) {
    at += sep + part;
    if (plain.has(at)) continue;
    try {
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (stats === undefined) return ALLOWED;
      if (!stats.isSymbolicLink()) {
        plain.add(at);
        continue;
      }
    } catch {
      // Below a file, or not accessible: using it fails anyway.
      return ALLOWED;
    }
    const end = endOf(at);
    if (end === 'circle' || end === 'nowhere') return { kind: end, link: at };
    if (!isInside(realRootOf(root), end)) return { kind: 'outside', link: at };
    at = end;
  }
  return ALLOWED;
}

const WORDS = {
  outside: 'outside the project',
  nowhere: 'nowhere',
  circle: 'in a circle',
} as const;

/** The problem with a path, as a sentence without a full stop; null if there is none. */
export function linkProblem(root: string, path: string, plain?: Set<string>): string | null {
  const check = checkLinks(root, path, plain);
  if (check.kind === 'allowed') return null;
  const name = pathInside(root, check.link) ?? pathInside(realRootOf(root), check.link);
  const shown = (name ?? check.link).split(sep).join('/');
  return `${printable(shown)} is a symbolic link that leads ${WORDS[check.kind]}`;
}

const MAX_NAME_LENGTH = 300;

/** The name comes from the repository and must not fake lines or colours in a terminal. */
function printable(name: string): string {
  const plain = name.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH)}…` : plain;
}

/** The target of a link. Messages never reveal it. */
function endOf(link: string): string | 'nowhere' | 'circle' {
  try {
    return realpathSync.native(link);
  } catch (error) {
    return errorCode(error) === 'ELOOP' ? 'circle' : 'nowhere';
  }
}
