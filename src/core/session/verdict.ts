// Decides a submission that the gate has judged: ONE event that says which members were accepted,
// which failed, what ran, and where the session goes next.

import type { Context } from '../conditions.ts';
import { commit, refused, unchanged } from '../decision.ts';
import { actorIfNew, withoutReserved } from './decide.ts';
import type { AcceptedMember, Evidence, FailedMember, SessionDecision } from './events.ts';
import { decideLate, isPast } from './late-calls.ts';
import { type CallCommand, definitionIfNew, moveBy, movingFrom } from './move-fields.ts';
import { leaveEntry } from './next-entry.ts';
import { type CurrentEntry, currentEntry } from './positions.ts';
import { isCompleted } from './progress.ts';
import { alreadyAccepted, sentBy } from './repeats.ts';
import type { Session } from './state.ts';
import { stillToSubmit } from './submission.ts';

export interface VerdictCommand extends CallCommand {
  readonly context: Context;
  readonly accepted: readonly AcceptedMember[];
  readonly failed: readonly FailedMember[];
  readonly evidence: readonly Evidence[];
  readonly voided: readonly string[];
  /** Why reviews ended without a verdict. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export function decideVerdict(session: Session, command: VerdictCommand): SessionDecision {
  const { at, by, arrival, call, accepted, failed, evidence, voided, inUse } = command;
  if (isPast(session, arrival)) {
    const first = (accepted[0] ?? failed[0])?.step_id ?? voided[0] ?? call.stepId;
    return decideLate(session, command, first ?? '');
  }
  const here = currentEntry(session, inUse.workflow);
  if (here === null) return refused(inUse.stepGone(session));
  // Everything is accepted already, and a loop waits for a person.
  if (session.position.limit !== undefined) return unchanged();
  const acceptedIds = accepted.map((member) => member.step_id);
  const judgedIds = [...failed.map((member) => member.step_id), ...voided];
  const open = openAfter(session, here, acceptedIds, judgedIds);
  const nothingNew = accepted.every((member) => alreadyAccepted(session, member, call.notes));
  const nothingRan = judgedIds.length === 0 && evidence.length === 0;
  if (nothingNew && nothingRan && open.length > 0) return unchanged();

  // The context of an accepted call applies at once, also to the conditions of this move.
  const context = accepted.length > 0 ? withoutReserved(command.context) : {};
  const data = {
    ...actorIfNew(session, by),
    arrival,
    ...definitionIfNew(session, command),
    accepted,
    sent: sentBy(call),
    ...(failed.length > 0 && { failed }),
    ...(evidence.length > 0 && { evidence }),
    ...(voided.length > 0 && { voided }),
    ...(command.warnings.length > 0 && { warnings: command.warnings }),
    ...(Object.keys(context).length > 0 && { context }),
  };
  if (open.length > 0) {
    const judged = accepted.length > 0 || failed.length > 0;
    const findings = [...failed.map(({ feedback }) => feedback), ...command.faults];
    const feedback = judged
      ? stayingFeedback(session, here, { open, findings, judgedIds, acceptedIds })
      : session.position.feedback;
    return commit({
      type: 'judged',
      at,
      data: { ...data, position: null, ...(feedback !== null && { feedback }) },
    });
  }
  const moving = movingFrom(session, command, { context, accepted });
  const onward = leaveEntry(moving, here.place, here.loops);
  const move = moveBy(onward, command);
  if (move.kind === 'refused') return move;
  return commit({ type: 'judged', at, data: { ...data, ...move.data } });
}

/** A member that was submitted again and failed is open again, even if it was accepted before. */
function openAfter(
  session: Session,
  { members }: CurrentEntry,
  acceptedIds: readonly string[],
  judgedIds: readonly string[],
): readonly string[] {
  const isOpen = (id: string, isDone: boolean) =>
    judgedIds.includes(id) || !(isDone || acceptedIds.includes(id));
  const { at, progress } = session.position;
  if (at?.kind === 'for_each') {
    return progress
      .filter(({ stepId, completedAt }) => isOpen(stepId, completedAt !== null))
      .map(({ stepId }) => stepId);
  }
  return members.map(({ id }) => id).filter((id) => isOpen(id, isCompleted(session, id)));
}

interface Staying {
  readonly open: readonly string[];
  readonly findings: readonly string[];
  readonly judgedIds: readonly string[];
  readonly acceptedIds: readonly string[];
}

/** What was accepted, and why the session stays at its entry: findings, open members. */
function stayingFeedback(
  { position }: Session,
  { members }: CurrentEntry,
  { open, findings, judgedIds, acceptedIds }: Staying,
): string | null {
  const found = findings.filter((finding) => finding !== '');
  // Items are independent: other open items are the next step, not a finding about this one.
  if (position.at?.kind === 'for_each') return found.length === 0 ? null : found.join('; ');
  const missing = members.filter(({ id }) => open.includes(id) && !judgedIds.includes(id));
  const staying = [...found, ...(missing.length > 0 ? [stillToSubmit(members, missing)] : [])].join(
    '; ',
  );
  // If something has to be fixed, only that is reported.
  if (findings.length > 0) return staying;
  const names = acceptedIds.map((id) => `'${id}'`).join(', ');
  const verb = acceptedIds.length === 1 ? 'is' : 'are';
  return names === '' ? staying : `${names} ${verb} accepted. ${staying}`;
}
