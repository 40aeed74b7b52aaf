// The database that a project's config or the environment names, for the commands about it.

import type { PostgresStore } from '../../board/stores-of-project.ts';
import { loadBoard } from '../../bundles/load-engine.ts';
import { Refused, refuse } from '../../core/refusal.ts';

/** Null if the journal is kept in files. */
export async function findDatabase(projectRoot: string): Promise<PostgresStore | null> {
  return loadBoard().openDatabaseOfProject(projectRoot);
}

export async function openDatabase(projectRoot: string): Promise<PostgresStore> {
  const found = await findDatabase(projectRoot);
  if (found !== null) return found;
  throw new Refused(
    refuse(
      'no_database',
      'No database is configured: the journal is kept in files',
      'set DEEPWORK_DATABASE_URL, or `store` in .deepwork/config.yml and run `deepwork trust`.',
    ),
  );
}
