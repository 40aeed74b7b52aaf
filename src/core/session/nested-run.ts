// Records the end of a nested session in the session that started it. The nested session has
// already ended in its own stream; after a crash between the two, the next call records it here.

import { commit, refused, unchanged } from '../decision.ts';
import type { VariableValues } from '../variables.ts';
import type { Entry } from '../workflow.ts';
import { actorIfNew } from './decide.ts';
import type { RunEnded, SessionDecision } from './events.ts';
import { definitionIfNew, type MoveCommand, moveBy, movingFrom } from './move-fields.ts';
import { leaveEntry } from './next-entry.ts';
import { currentEntry } from './positions.ts';
import { noSuchSession } from './refusals.ts';
import type { Outputs, Owner, Session } from './state.ts';

export interface RunEndedCommand extends MoveCommand {
  readonly at: string;
  readonly by: Owner;
  /** The nested session. */
  readonly session: string;
  readonly outcome: /** With its `all_outputs` and the reports of its steps. */
    | {
        readonly kind: 'completed';
        readonly outputs: Outputs;
        readonly reports?: VariableValues;
      }
    | { readonly kind: 'aborted'; readonly reason: string };
}

/** Unchanged if the session does not wait for that one, or no longer. */
export function decideRunEnded(session: Session, command: RunEndedCommand): SessionDecision {
  const { at, by, outcome, inUse } = command;
  if (session.status !== 'active') return refused(noSuchSession(session.id));
  const { position } = session;
  if (position.at?.kind !== 'run' || position.at.session !== command.session) return unchanged();
  // Its end is already recorded, and a loop around it waits for a person.
  if (position.limit !== undefined) return unchanged();
  const data = {
    ...actorIfNew(session, by),
    arrival: position.arrival,
    ...definitionIfNew(session, command),
    name: position.at.name,
    session: command.session,
  };
  if (outcome.kind === 'aborted') {
    if (position.runAborted !== undefined) return unchanged();
    const aborted = outcome.reason;
    return commit({
      type: 'run_ended',
      at,
      data: { ...data, aborted, position: null, feedback: aborted },
    });
  }
  const here = currentEntry(session, inUse.workflow);
  if (here === null) return refused(inUse.stepGone(session));
  const { outputs } = outcome;
  const results = resultsByName(here.place.entry, outcome);
  const accepted = [{ step_id: data.name, outputs, files: {} }];
  const moving = movingFrom(session, command, { accepted, context: results.reports ?? {} });
  const move = moveBy(leaveEntry(moving, here.place, here.loops), command);
  if (move.kind === 'refused') return move;
  return commit({ type: 'run_ended', at, data: { ...data, outputs, ...results, ...move.data } });
}

/** The outputs and reports of the nested run that also count as those of the entry itself. */
function resultsByName(
  entry: Entry,
  { outputs, reports = {} }: Extract<RunEndedCommand['outcome'], { kind: 'completed' }>,
): Pick<RunEnded['data'], 'own' | 'reports'> {
  if (entry.kind !== 'run' || entry.byName === undefined) return {};
  const own = entry.byName.outputs.filter((name) => Object.hasOwn(outputs, name));
  const reported = Object.entries(reports).filter(([name]) => entry.byName?.reports.includes(name));
  return {
    ...(own.length > 0 && { own }),
    ...(reported.length > 0 && { reports: Object.fromEntries(reported) }),
  };
}
