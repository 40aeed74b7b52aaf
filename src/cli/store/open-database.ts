// The database that a project's config or the environment names, for the commands about it.

import type { PostgresStore } from '../../board/stores-of-project.ts';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { refusedWith } from '../../core/refusal.ts';
import type { Io } from '../io.ts';

export async function requireDatabase(io: Io, projectRoot: string): Promise<PostgresStore> {
  const found = await loadBundle('board').openDatabaseOfProject(projectRoot, io.env, false);
  if (found !== null) return found;
  throw refusedWith(
    'no_database',
    'No database is configured: the journal is kept in files',
    'set DEEPWORK_DATABASE_URL, or `store` in .deepwork/config.yml and run `deepwork trust`.',
  );
}
