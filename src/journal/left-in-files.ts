// Streams that were recorded in files before a database was chosen. No one sees them any more, so
// agents and people get a warning with the command that copies them.

import type { FileLayer } from './file-layer.ts';
import { openNames } from './list-streams.ts';
import type { PostgresStore } from './postgres/store.ts';

export const COPY_TO_DATABASE = 'deepwork store copy --from files --to postgres';
const MAX_NAMED = 5;

/** Compares names only. What was found in the database is not looked up again. */
export function openOnlyInFiles(folder: string, layer: FileLayer) {
  const namesIn = openNames(folder, layer);
  let copied: readonly string[] = [];
  return async (database: Pick<PostgresStore, 'missing'> | null): Promise<readonly string[]> => {
    if (database === null) return [];
    const names = await namesIn('');
    if (names.length === 0 || names === copied) return [];
    const missing = await database.missing(names);
    if (missing.length === 0) copied = names;
    return missing;
  };
}

/** A sentence without its full stop; null if there are none. */
export function leftInFiles(streams: readonly string[]): string | null {
  if (streams.length === 0) return null;
  const named = streams.slice(0, MAX_NAMED).join(', ');
  const more = streams.length > MAX_NAMED ? ` and ${streams.length - MAX_NAMED} more` : '';
  return `Recorded in .deepwork/journal but not in the database, so not visible here: ${named}${more}`;
}
