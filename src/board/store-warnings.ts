// What people should know about the database of a project; a command is on a line of its own.

import type { Paths } from '../environment/paths.ts';
import { otherFolderWarning } from '../environment/workspace-id.ts';
import { COPY_TO_DATABASE, leftInFiles } from '../journal/left-in-files.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';

export async function storeWarnings(
  paths: Paths,
  database: PostgresStore | null,
  onlyInFiles: (database: PostgresStore) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (database === null) return [];
  const left = leftInFiles(await onlyInFiles(database));
  const other = otherFolderWarning(paths, database.workspace);
  return [
    ...(left === null ? [] : [`${left}.\nRun: ${COPY_TO_DATABASE}`]),
    ...(other === null ? [] : [`${other}.`]),
  ];
}
