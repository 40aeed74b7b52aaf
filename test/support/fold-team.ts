// A team that applies numbered events, as a reader of the journal does.

import { emptyTeam, evolveTeam } from '../../src/core/team/evolve.ts';
import type { Team, TeamEvent } from '../../src/core/team/state.ts';

export interface Fold {
  readonly team: Team;
  /** Applies the event with this number; false if the team already has it. */
  apply(seq: number, event: TeamEvent): boolean;
}

export function foldTeam(): Fold {
  const team = emptyTeam();
  return {
    team,
    apply(seq, event) {
      if (seq <= team.seq) return false;
      if (seq > team.seq + 1) throw new Error(`Event ${seq} cannot follow event ${team.seq}`);
      evolveTeam(team, event);
      return true;
    },
  };
}
