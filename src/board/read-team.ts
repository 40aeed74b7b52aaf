// Reads the team from the journal without changing it, continuing where the last call stopped.

import { keyedMutex } from '../async/keyed-mutex.ts';
import { emptyTeam, evolveTeam } from '../core/team/evolve.ts';
import type { Team, TeamEvent } from '../core/team/state.ts';
import type { JournalReader, ReadPlace } from '../journal/reader.ts';
import { TEAM_STREAM } from '../team/store.ts';

export interface ReadTeam {
  readonly team: Team;
  /** Why the journal of the team cannot be trusted; null if it can, or there is none. */
  readonly damage: string | null;
}

/** The next call updates the returned team in place. */
export function openTeamReader(reader: JournalReader): () => Promise<ReadTeam> {
  const inTurn = keyedMutex();
  let team = emptyTeam();
  let place: ReadPlace | null = null;

  async function read(): Promise<ReadTeam> {
    if (place !== null && (await reader.version(TEAM_STREAM)) === place.version) {
      return { team, damage: null };
    }
    const result = await reader.readOn(TEAM_STREAM, {
      place,
      restart() {
        team = emptyTeam();
      },
      take(event) {
        evolveTeam(team, event as unknown as TeamEvent);
      },
    });
    place = result.kind === 'read' ? result.place : null;
    if (result.kind === 'read') return { team, damage: null };
    team = emptyTeam();
    return { team, damage: result.kind === 'damaged' ? result.why : null };
  }

  return () => inTurn(TEAM_STREAM, read);
}
