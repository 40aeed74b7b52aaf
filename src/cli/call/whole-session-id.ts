// At a terminal the id of a session may be shortened, as for every other command: to a unique
// beginning, or `last`. An id that fits no run is passed on to the tool, which reports it.

import { loadBundle } from '../../bundles/load-bundle.ts';
import { isRecord } from '../../core/is-record.ts';
import { isSessionId } from '../../core/session/state.ts';
import { refusalOf } from '../answer/answer-outcome.ts';
import type { Io } from '../io.ts';
import { projectOptions } from '../project.ts';

/** The arguments of a call, with the whole id. Refuses a beginning that several runs have. */
export async function withWholeSessionId(
  io: Io,
  given: unknown,
  projectRoot: string,
): Promise<unknown> {
  const id = isRecord(given) ? given.session_id : undefined;
  if (!isRecord(given) || typeof id !== 'string' || isSessionId(id)) return given;
  const board = loadBundle('board').openProjectBoard(projectOptions(io, projectRoot));
  try {
    const { run } = await board.run(id, 'sessions');
    return { ...given, session_id: run.session_id };
  } catch (error) {
    if (refusalOf(error)?.code === 'run_ambiguous') throw error;
    return given;
  }
}
