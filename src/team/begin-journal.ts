// Makes a state file that was found the beginning of the team's journal.

import path from 'node:path';
import { type Refusal, refuse } from '../core/refusal.ts';
import { importFrom } from '../core/team/found-state.ts';
import type { Clock } from '../environment/clock.ts';
import type { Look, StateFile } from './state-file.ts';
import type { TeamStore } from './store.ts';

interface Team {
  readonly store: TeamStore;
  readonly file: StateFile;
  readonly clock: Clock;
}

/** Which messages were left behind, and where they are; null if none were. */
export async function beginJournal(
  { store, file, clock }: Team,
  { bytes, found }: Pick<Look, 'bytes' | 'found'>,
): Promise<Refusal | null> {
  const at = clock();
  const data = importFrom(found, at);
  const all = Array.isArray(found.messages) ? found.messages.length : 0;
  const left = all - data.messages.length;
  const kept = left > 0 && bytes !== null ? file.keep(bytes) : null;
  const begun = await store.begin({ type: 'imported', at, data });
  await store.load();
  if (!begun || kept === null) return null;
  return refuse(
    'messages_not_imported',
    `${left} of ${all} messages in .sgai/state.json were not imported: an id has to be a whole number from 1 to 2^53 - 1 that no message before has, and only the newest messages are taken. The file as it was found is kept as .sgai/foreign/${path.basename(kept)}. Tell your user, and make the call again to continue without them.`,
  );
}
