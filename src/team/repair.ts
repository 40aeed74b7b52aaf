// What `deepwork repair` does: an unreadable state file is moved aside and rewritten from the
// journal; a damaged journal, which was set aside, is started over from the state file.
// Nothing is deleted.

import { beginJournal } from './begin-journal.ts';
import type { TeamCommands } from './team-commands.ts';

export interface Repaired {
  /** The new path of the unreadable state file. */
  readonly stateFile: string | null;
  /** The journal files set aside; the team continues from the state file. */
  readonly journal: readonly string[];
  /** Which messages the state file had that the team continues without; null if none. */
  readonly left: string | null;
}

export async function repairTeam(commands: TeamCommands): Promise<Repaired> {
  const { store, file } = commands;
  const stateFile = await file.setAside('unreadable');
  // Reading finds damage and sets the stream aside.
  await store.load().catch(() => {});
  const journal = await store.damaged();
  const left = journal.length > 0 ? await beginJournal(commands, await file.readWhole()) : null;
  if ((await store.load()).seq > 0) await commands.show();
  return { stateFile, journal, left: left?.message ?? null };
}
