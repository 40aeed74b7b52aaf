// Which sessions of a shared journal may be open, without listing all: those that were open when a
// server of this checkout last listed them, those that are marked here, and those that changed since.

import { TEAM_RUNS, WORKFLOW_RUNS } from '../core/run/streams.ts';
import { isSessionId } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { JournalReader } from '../journal/reader.ts';
import type { KnownEnded } from '../sessions/ended-index.ts';
import { readListing } from '../sessions/listing.ts';
import { TEAM_STREAM } from '../team/store.ts';

/** Null if it cannot be determined. Prefetches the streams that will be shown. */
export async function possiblyOpen(
  reader: JournalReader,
  folder: string,
  marked: readonly string[],
  ended: KnownEnded,
): Promise<readonly string[] | null> {
  const listing = readListing(folder);
  if (listing === null) return null;
  const open = [...listing.open, ...marked].filter(isSessionId);
  const names = [...open, ...ended.last].flatMap((id) =>
    [SESSION_STREAMS, WORKFLOW_RUNS, TEAM_RUNS].map((prefix) => prefix + id),
  );
  const wanted = { names: [TEAM_STREAM, ...names], prefix: TEAM_RUNS };
  const found = await reader.changedSince(listing.mark, wanted);
  if (found === null) return null;
  const changed = found
    .filter((stream) => stream.startsWith(SESSION_STREAMS))
    .map((stream) => stream.slice(SESSION_STREAMS.length))
    .filter((id) => isSessionId(id) && !ended.ids.has(id));
  return [...open, ...changed];
}
