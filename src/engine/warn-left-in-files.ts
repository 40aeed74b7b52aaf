// Work that was recorded in files before a database was chosen. Agents do not see it, so they
// get a warning with the command that copies it.

import { Refused } from '../core/refusal.ts';
import { COPY_TO_DATABASE, leftInFiles } from '../journal/left-in-files.ts';
import type { Workspace } from './workspace.ts';

/** A sentence without its full stop; null if there is none. */
export async function workLeftInFiles(workspace: Workspace): Promise<string | null> {
  const streams = await workspace.onlyInFiles().catch((error: unknown) => {
    // A call that needs the database reports that it is unavailable.
    if (error instanceof Refused) return [];
    throw error;
  });
  return leftInFiles(streams);
}

export async function leftInFilesForAgent(workspace: Workspace): Promise<readonly string[]> {
  const left = await workLeftInFiles(workspace);
  return left === null ? [] : [`${left}. Ask your user to run: ${COPY_TO_DATABASE}`];
}
