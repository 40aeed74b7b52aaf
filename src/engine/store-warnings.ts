// Work that agents do not see because it is not in their workspace of the database: it was recorded
// in files before a database was chosen, or under the id of another folder.

import { Refused } from '../core/refusal.ts';
import { otherFolderWarning } from '../environment/workspace-id.ts';
import { COPY_TO_DATABASE, leftInFiles } from '../journal/left-in-files.ts';
import type { Workspace } from './workspace.ts';

/** A sentence without its full stop; null if there is none. */
export async function workLeftInFiles(workspace: Workspace): Promise<string | null> {
  return leftInFiles((await workspace.onlyInFiles().catch(unavailable)) ?? []);
}

/** A call that needs the database reports that it is unavailable. */
function unavailable(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}

export async function storeWarningsForAgent(workspace: Workspace): Promise<readonly string[]> {
  const left = await workLeftInFiles(workspace);
  const database = await workspace.database().catch(unavailable);
  const other = database && otherFolderWarning(workspace.paths, database.workspace);
  return [
    ...(left === null ? [] : [`${left}. Ask your user to run: ${COPY_TO_DATABASE}`]),
    ...(other === null ? [] : [`${other}.`]),
  ];
}
