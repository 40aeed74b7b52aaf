// When a call is one that was heard before: an agent that got no answer, or lost its
// context, says the same thing again, and must get the same answer and no second effect.

import { type AcceptedMember, type Json, progressOf, type Session } from './state.ts';

/** A `finished_step` call as it arrived. */
export interface Call {
  readonly outputs: Json;
  readonly notes: string | null;
  readonly stepId: string | null;
}

/** The call that was accepted last, once more. */
export function isRepeat(session: Session, call: Call): boolean {
  const last = session.lastAccepted;
  if (last === null || last.notes !== call.notes) return false;
  if (call.stepId !== null && !last.stepIds.includes(call.stepId)) return false;
  return sameJson(last.outputs, call.outputs);
}

/** A member that was accepted before, with these very files. */
export function alreadyAccepted(
  session: Session,
  member: AcceptedMember,
  notes: string | null,
): boolean {
  const before = progressOf(session.progress, member.step_id);
  if (before === undefined || before.completedAt === null || before.notes !== notes) return false;
  return sameJson(before.outputs, member.outputs) && sameJson(before.files, member.files);
}

/** Values nested beyond what can be written are like no other. */
export function sameJson(a: unknown, b: unknown): boolean {
  try {
    return canonical(a) === canonical(b);
  } catch {
    return false;
  }
}

/** Equal values give equal text, whatever the order of their keys; nulls count as absent. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(
          Object.entries(each)
            .filter(([, inner]) => inner !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : each,
  );
}
