// The progress of a session's steps. Each arrival at an entry keeps the progress of its own
// members; for each step, the last arrival that has it counts.

import { itemOf, stepIdOf } from './for-each.ts';
import { type Arrival, currentStepId, type Progress, type Session } from './state.ts';

export type Arrivals = Pick<Session, 'position' | 'earlier'>;

export function progressOf({ position, earlier }: Arrivals, stepId: string): Progress | undefined {
  const here = progressAt(position, stepId);
  for (let last = earlier.length - 1; here === undefined && last >= 0; last -= 1) {
    const before = progressAt(earlier[last] as Arrival, stepId);
    if (before !== undefined) return before;
  }
  return here;
}

function progressAt(arrival: Arrival, stepId: string): Progress | undefined {
  return arrival.progress[progressIndex(arrival, stepId)];
}

/** -1 if there is none. Items are in order, so a thousand of them need no search. */
export function progressIndex(
  { at, progress }: Pick<Arrival, 'at' | 'progress'>,
  stepId: string,
): number {
  if (at?.kind !== 'for_each') return progress.findIndex((step) => step.stepId === stepId);
  const index = (itemOf(stepId)?.index ?? 0) - 1;
  return progress[index]?.stepId === stepId ? index : -1;
}

export function isCompleted(session: Arrivals, stepId: string): boolean {
  return (progressOf(session, stepId)?.completedAt ?? null) !== null;
}

/** The first member of the entry that is not complete. */
export function openStepId(session: Session): string {
  const { members } = session.position;
  const open = members.find((id) => !isCompleted(session, id));
  return open ?? members[0] ?? currentStepId(session);
}

/** Of every step begun so far, in the order in which they were first begun. */
export function progressOfAll({ position, earlier }: Arrivals): Progress[] {
  const steps = new Map<string, Progress>();
  for (const { progress } of [...earlier, position]) {
    for (const step of progress) steps.set(step.stepId, step);
  }
  return [...steps.values()];
}

/** The same in the order of completion; open steps come first. */
export function byCompletion(session: Arrivals): Progress[] {
  return progressOfAll(session).sort((one, other) => one.completedSeq - other.completedSeq);
}

/** The steps begun so far; the items of a `for_each` count as one step. */
export function begunSteps({ position, earlier }: Arrivals): ReadonlySet<string> {
  const begun = new Set<string>();
  for (const { at, progress } of [...earlier, position]) {
    for (const { stepId } of progress) {
      begun.add(at?.kind === 'for_each' ? stepIdOf(stepId) : stepId);
    }
  }
  return begun;
}
