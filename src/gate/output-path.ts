// Whether a path submitted by an agent may be used, for an output or for an input that is a file.
// A path counts by its real target: links are followed and must end at a regular file inside the
// project.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { shown } from '../core/wording.ts';
import { pathInside } from '../files/inside.ts';
import { realRootOf } from '../files/real-root.ts';

export type CheckedPath =
  /** `path` is relative to the project root, with `/`, as stored and shown. */
  | { readonly kind: 'file'; readonly path: string; readonly absolute: string }
  | { readonly kind: 'problem'; readonly problem: string };

export async function checkOutputPath(root: string, given: string): Promise<CheckedPath> {
  if (given.trim() === '') return problem('path is empty');
  if (given.includes('\0'))
    return problem(`file not found at '${shown(given.replaceAll('\0', '\\0'))}'`);
  const realRoot = realRootOf(root);
  const absolute = path.resolve(root, given);
  const relative = pathInside(root, absolute) ?? pathInside(realRoot, absolute);
  // Checked before touching the disk, so that callers cannot probe for files elsewhere.
  if (relative === null) return problem(`'${shown(given)}' is outside the project root`);
  try {
    const real = realpathSync.native(path.join(realRoot, relative));
    if (pathInside(realRoot, real) === null)
      return problem(`'${shown(given)}' is outside the project root`);
    const info = statSync(real);
    if (!info.isFile()) return problem(`'${shown(given)}' is not a regular file`);
  } catch {
    return problem(`file not found at '${shown(given)}'`);
  }
  return {
    kind: 'file',
    path: relative.split(path.sep).join('/'),
    absolute: path.join(realRoot, relative),
  };
}

function problem(text: string): CheckedPath {
  return { kind: 'problem', problem: text };
}
