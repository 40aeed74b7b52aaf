// Where a path of a project really leads. A repository may bring any of our folders, or
// one above it, as a symbolic link; such a link is fine while it ends inside the project,
// and must be neither read, written nor swept through when it does not.
//
// Asked before each use, because a checkout can replace a folder by a link under a living
// server. Plain folders cost one lstat for each part of the path; only a link is resolved.
// What a program with the same rights swaps between this question and the use that follows
// is not seen; a repository cannot do that.

import { lstatSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { isInside, wayInside } from './inside.ts';
import { realRootOf } from './real-root.ts';
import { errorCode } from './system-words.ts';

/** What is wrong with where a path leads, in words; null if it may be used. */
export type ProblemOf = (path: string) => string | null;

export type Leading =
  /** Inside, or to nothing that exists yet, or to where only the person can have pointed. */
  | { readonly kind: 'allowed' }
  /** `link` is the path of the link at fault. */
  | { readonly kind: 'outside' | 'nowhere' | 'circle'; readonly link: string };

const ALLOWED: Leading = { kind: 'allowed' };

/**
 * Judges a path by its links, the last part included. A path that is not below the root by
 * its own text was chosen by a person and not by the repository: it is allowed. `plain` are
 * paths that were seen a moment ago to be there and no links; those found now are added.
 */
export function whereLeads(root: string, path: string, plain = new Set<string>()): Leading {
  const way = wayInside(root, path);
  if (way === null || way === '') return ALLOWED;
  let at = root;
  for (const part of way.split(sep)) {
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
      // Below a file, or closed to us: whatever is tried there fails by itself.
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

/** What is wrong with a path in one sentence without a full stop; null if nothing is. */
export function linkProblem(root: string, path: string, plain?: Set<string>): string | null {
  const leading = whereLeads(root, path, plain);
  if (leading.kind === 'allowed') return null;
  const name = wayInside(root, leading.link) ?? wayInside(realRootOf(root), leading.link);
  const shown = (name ?? leading.link).split(sep).join('/');
  return `${printable(shown)} is a symbolic link that leads ${WORDS[leading.kind]}`;
}

const MAX_NAME_LENGTH = 300;

/** A name comes from the repository, and must not feign lines or colours of a terminal. */
function printable(name: string): string {
  const plain = name.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH)}…` : plain;
}

/** Where a link ends; where it leads is never part of what is said about it. */
function endOf(link: string): string | 'nowhere' | 'circle' {
  try {
    return realpathSync.native(link);
  } catch (error) {
    return errorCode(error) === 'ELOOP' ? 'circle' : 'nowhere';
  }
}
