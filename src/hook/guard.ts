// Which files an agent's file tools may not write: what deepwork keeps for itself. An agent that
// edits the journal, a readable copy or the record of what a person trusted would be its own
// judge. Commands in a shell are not looked at (docs/security.md says why); this stops the edit
// that an agent makes because it seems the shortest way.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../files/inside.ts';

export interface Guarded {
  /** Or one file. */
  readonly folder: string;
  /** What it holds, in words. */
  readonly what: string;
  /** What to do instead. */
  readonly instead: string;
}

const CALL_TOOLS = 'Hand in work with finished_step; deepwork records it by itself.';

/** What no project opens for its agents. */
export function guardedFolders(project: string, home: string): readonly Guarded[] {
  const own = path.join(project, '.deepwork');
  return [
    { folder: path.join(own, 'journal'), what: "deepwork's journal", instead: CALL_TOOLS },
    { folder: path.join(own, 'tmp'), what: "deepwork's record of runs", instead: CALL_TOOLS },
    ...['trust.d', 'signing.key'].map((name) => ({
      folder: path.join(home, '.deepwork', name),
      what: 'the record of what a person trusts',
      instead: 'Ask your user to run `deepwork trust`.',
    })),
  ];
}

/** Why a write is refused, or null if it is not. */
export function refusedWrite(
  writes: readonly string[],
  cwd: string,
  guarded: readonly Guarded[],
): string | null {
  for (const file of writes) {
    const written = realPlaceOf(path.resolve(cwd, file));
    const found = guarded.find(({ folder }) => isInside(realPlaceOf(folder), written));
    if (found !== undefined) {
      return `deepwork: ${file} belongs to ${found.what} and is not edited by agents. ${found.instead}`;
    }
  }
  return null;
}

/** Where a path really leads, links resolved as far as the path exists. */
function realPlaceOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const above = path.dirname(file);
    return above === file ? file : path.join(realPlaceOf(above), path.basename(file));
  }
}
