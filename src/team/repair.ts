// What `deepwork repair` does: an unreadable state file is moved aside and written anew
// from the journal; a journal that was damaged, and therefore set aside, is begun anew
// with what the state file shows. Nothing is deleted.

import { importFrom } from '../core/team/found-state.ts';
import type { TeamCommands } from './team-commands.ts';

export interface Repaired {
  /** Where the unreadable state file is now. */
  readonly stateFile: string | null;
  /** What was set aside of the journal; the team went on from the state file. */
  readonly journal: readonly string[];
}

export async function repairTeam(desk: TeamCommands): Promise<Repaired> {
  const { store, file, clock } = desk;
  const stateFile = await file.setAside();
  // Damage is found by reading, which sets the stream aside.
  await store.load().catch(() => {});
  const journal = await store.damaged();
  if (journal.length > 0) {
    const at = clock();
    await store.begin({
      type: 'imported',
      at,
      data: importFrom((await file.readWhole()).found, at),
    });
  }
  if ((await store.load()).seq > 0) await desk.show();
  return { stateFile, journal };
}
