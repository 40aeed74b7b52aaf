// Recognizes a call that was received before: an agent that got no answer, or lost its context,
// repeats it, and must get the same answer without a second effect.

import type { Context } from '../conditions.ts';
import { sameJson } from '../same-json.ts';
import type { AcceptedMember, Judged, SentCall } from './events.ts';
import { progressOf } from './progress.ts';
import type { AcceptedCall, Json, Progress, Session } from './state.ts';

/** A `finished_step` call as it arrived. */
export interface Call {
  readonly outputs: Json;
  /** The outputs as recorded: paths inside the project are relative. */
  readonly recorded?: Json;
  readonly notes: string | null;
  readonly stepId: string | null;
  /** Absent if reports are not read. */
  readonly context?: Context;
}

/** What is recorded of an accepted call, to recognize its repeat. */
export function sentBy({ outputs, recorded = outputs, notes, context = {} }: Call): SentCall {
  return { outputs: recorded, notes, ...(Object.keys(context).length > 0 && { context }) };
}

/** Whether it equals the last accepted call. */
export function isRepeat(session: Session, call: Call): boolean {
  return session.lastAccepted !== null && isSameCall(session.lastAccepted, call);
}

/**
 * The newest accepted call that equals this one. With several clients of one agent it need not be
 * the last: another client may have submitted more before the first one repeats its call.
 */
export function acceptedAsBefore(session: Session, call: Call): AcceptedCall | null {
  const { lastAccepted, earlierAccepted } = session;
  if (lastAccepted !== null && isSameCall(lastAccepted, call)) return lastAccepted;
  return earlierAccepted.findLast((before) => isSameCall(before, call)) ?? null;
}

function isSameCall(accepted: AcceptedCall, call: Call): boolean {
  if (accepted.notes !== call.notes) return false;
  if (call.stepId !== null && !accepted.stepIds.includes(call.stepId)) return false;
  const { outputs, recorded = outputs, context = {} } = call;
  if (!sameJson(accepted.context, context)) return false;
  return sameJson(accepted.outputs, recorded);
}

type AcceptedCalls = Pick<Session, 'lastAccepted' | 'earlierAccepted'>;

/** How many accepted calls, besides the last, are recognized if repeated. */
const MAX_EARLIER_ACCEPTED = 15;

/** The remembered calls after one was accepted. */
export function callsAfter(
  { seq, lastAccepted: last, earlierAccepted: earlier }: Session,
  submitted: readonly string[],
  {
    arrival,
    sent: { outputs, notes, context = {} },
    warnings = [],
  }: Pick<Judged['data'], 'arrival' | 'sent' | 'warnings'>,
  process: string,
): AcceptedCalls {
  if (submitted.length === 0) return { lastAccepted: last, earlierAccepted: earlier };
  // Members without required outputs are submitted one by one, each with the same outputs.
  const goesOn =
    last?.arrival === arrival &&
    last.notes === notes &&
    JSON.stringify([last.outputs, last.context]) === JSON.stringify([outputs, context]);
  const stepIds = goesOn ? [...last.stepIds, ...submitted] : submitted;
  const isNext = !goesOn && last !== null;
  return {
    lastAccepted: { stepIds, arrival, outputs, notes, context, warnings, seq: seq + 1, process },
    earlierAccepted: isNext ? [...earlier.slice(1 - MAX_EARLIER_ACCEPTED), last] : earlier,
  };
}

/** Whether the member was accepted before with exactly these files. */
export function alreadyAccepted(
  session: Session,
  member: AcceptedMember,
  notes: string | null,
): boolean {
  const before = progressOf(session, member.step_id);
  if (before === undefined || !isSameWork(before, member)) return false;
  // A call without notes does not remove earlier ones.
  return notes === null || before.notes === notes;
}

/**
 * The notes of a member whose accepted call has none: those of the call before, if it submitted
 * the same. The verdict of a self-review comes in a second call, which need not repeat the notes
 * of the first.
 */
export function notesKept(before: Progress, member: AcceptedMember): string | null {
  if (isSameWork(before, member)) return before.notes;
  const { selfReview } = before;
  if (selfReview === null || selfReview.notes === null) return null;
  const paths = (files: AcceptedMember['files']) => Object.keys(files).sort();
  return sameJson(paths(selfReview.files), paths(member.files)) ? selfReview.notes : null;
}

function isSameWork(before: Progress, { outputs, files, reports = {} }: AcceptedMember): boolean {
  if (before.completedAt === null) return false;
  return (
    sameJson(before.outputs, outputs) &&
    sameJson(before.files, files) &&
    sameJson(before.reports, reports)
  );
}
