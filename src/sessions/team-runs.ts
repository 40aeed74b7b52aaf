// Unattended runs of the team, as `deepwork prune` finds them: each is one stream, without a session
// or views. A run has ended only if it is complete or was aborted; every other one can be resumed,
// however long ago it stopped.

import type { RunEvent } from '../core/run/events.ts';
import { evolveRun, isOver, type RunRecord } from '../core/run/record.ts';
import { TEAM_RUNS } from '../core/run/streams.ts';
import type { Candidate } from './prunable.ts';
import { foldStream, type PruneSource, type ReadStream } from './prune-source.ts';

export interface TeamRun extends Candidate {
  readonly goal: string;
  readonly status: 'active' | 'completed' | 'aborted';
  readonly read: ReadStream;
}

export async function readTeamRuns(
  source: PruneSource,
): Promise<{ readonly found: readonly TeamRun[]; readonly unreadable: readonly string[] }> {
  const found: TeamRun[] = [];
  const unreadable: string[] = [];
  for (const stream of await source.names(TEAM_RUNS)) {
    const folded = await foldStream<RunRecord, RunEvent>(source, stream, evolveRun);
    if (folded === null) unreadable.push(stream);
    else found.push(teamRunOf(folded.state, folded.read));
  }
  return { found, unreadable };
}

function teamRunOf({ id, goal, stop }: RunRecord, read: ReadStream): TeamRun {
  const run = { id, parentId: null, goal, read };
  if (!isOver(stop)) return { ...run, status: 'active', endedAt: null };
  const status = stop.reason === 'complete' ? 'completed' : 'aborted';
  return { ...run, status, endedAt: stop.at };
}
