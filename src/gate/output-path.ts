// Whether a path submitted by an agent may be used, for an output or for an input that is a file.
// A path counts by its real target: links are followed and must end at a regular file inside the
// project.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { hasControl, onOneLine, shown } from '../core/wording.ts';
import { pathInside } from '../files/inside.ts';
import { realRootOf } from '../files/real-root.ts';

export type CheckedPath =
  /** `path` is relative to the project root, with `/`, as stored and shown. */
  | { readonly kind: 'file'; readonly path: string; readonly absolute: string }
  | { readonly kind: 'problem'; readonly problem: string; readonly isMissing?: true };

/** No system opens a longer one, and taking apart megabytes of path takes seconds. */
const MAX_PATH = 4096;

export async function checkOutputPath(root: string, given: string): Promise<CheckedPath> {
  if (given.length > MAX_PATH) return notFound(given.slice(0, MAX_PATH));
  if (given.trim() === '') return problem('path is empty');
  const realRoot = realRootOf(root);
  const absolute = path.resolve(root, given);
  const relative = pathInside(root, absolute) ?? pathInside(realRoot, absolute);
  // Checked before touching the disk, so that callers cannot probe for files elsewhere.
  if (relative === null) return problem(`'${shownPath(given)}' is outside the project root`);
  // Lists for commands have one path per line, and questions to people name paths: a line break in
  // one would make it two, and an escape sequence would hide what is shown.
  if (hasControl(relative)) {
    return problem(`'${shownPath(given)}' has control characters in its path; rename it`);
  }
  try {
    const real = realpathSync.native(path.join(realRoot, relative));
    if (pathInside(realRoot, real) === null)
      return problem(`'${shownPath(given)}' is outside the project root`);
    const info = statSync(real);
    if (!info.isFile()) return problem(`'${shownPath(given)}' is not a regular file`);
  } catch {
    return notFound(given);
  }
  return {
    kind: 'file',
    path: relative.split(path.sep).join('/'),
    absolute: path.join(realRoot, relative),
  };
}

function shownPath(given: string): string {
  return shown(onOneLine(given));
}

function notFound(given: string): CheckedPath {
  return { ...problem(`file not found at '${shownPath(given)}'`), isMissing: true };
}

function problem(text: string) {
  return { kind: 'problem', problem: text } as const;
}
