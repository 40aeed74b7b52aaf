// Work that was recorded in files before a database was chosen. Agents do not see it, so they
// get a warning with the command that copies it.

import { Refused } from '../core/refusal.ts';
import type { Workspace } from './workspace.ts';

const MAX_NAMED = 5;

export async function leftInFiles(workspace: Workspace): Promise<readonly string[]> {
  const streams = await workspace.onlyInFiles().catch((error: unknown) => {
    // A call that needs the database reports that it is unavailable.
    if (error instanceof Refused) return [];
    throw error;
  });
  if (streams.length === 0) return [];
  const named = streams.slice(0, MAX_NAMED).join(', ');
  const more = streams.length > MAX_NAMED ? ` and ${streams.length - MAX_NAMED} more` : '';
  return [
    `Recorded in .deepwork/journal but not in the database, so not visible here: ${named}${more}. Ask your user to run: deepwork store copy --from files --to postgres`,
  ];
}
