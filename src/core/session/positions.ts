// The current position of a session in a workflow. Definitions may be edited while a session runs,
// so the position is looked up by name at each call; its index alone is not reliable.

import { type Place, placeOf } from '../places.ts';
import type { OutputRef, Step, Workflow } from '../workflow.ts';
import type { AcceptedMember } from './events.ts';
import type { HandedIn } from './facts.ts';
import { itemOf, nextItems } from './for-each.ts';
import { isEligible } from './next-entry.ts';
import { type Arrivals, progressOf } from './progress.ts';
import type { Arrival, LoopPass, Progress, Session } from './state.ts';

/** The session's current entry, in the definition as it is now. */
export interface CurrentEntry {
  readonly place: Place;
  /** The passes of the loops around it, outermost first. */
  readonly loops: readonly LoopPass[];
  /**
   * Members to be done in this arrival, in file order. At a `for_each`, the next items; none at an
   * `approve` or a `run`.
   */
  readonly members: readonly Step[];
}

/**
 * Finds the session's entry in the definition. Members that an edit removed are dropped; members
 * that it added are included if their `when` holds. Null if no current step is left.
 */
export function currentEntry(session: Session, workflow: Workflow): CurrentEntry | null {
  const { position } = session;
  const place = currentPlace(position, workflow);
  if (place === null) return null;
  return {
    place,
    loops: passesAt(place, position.loops),
    members: membersAt(session, place),
  };
}

function currentPlace({ at, members }: Arrival, workflow: Workflow): Place | null {
  if (at !== undefined) {
    const place =
      placeOf(workflow, at.name) ?? placeOf(workflow, itemOf(members[0] ?? '')?.stepId ?? '');
    return place?.entry.kind === at.kind ? place : null;
  }
  for (const id of members) {
    const place = placeOf(workflow, id);
    if (place?.entry.kind === 'steps') return place;
  }
  return null;
}

function membersAt({ position, context }: Session, { entry }: Place): readonly Step[] {
  const { members, skipped, at } = position;
  if (entry.kind === 'for_each' && at?.kind === 'for_each') {
    return nextItems(entry, position, at.items);
  }
  if (entry.kind !== 'steps') return [];
  return entry.steps.filter(
    (step) =>
      members.includes(step.id) || (!skipped.includes(step.id) && isEligible(step, context)),
  );
}

/**
 * The passes of the loops around a place. Loops that the session is in keep their pass; others
 * begin: those that an edit added, or that going back enters.
 */
export function passesAt({ loops }: Place, current: readonly LoopPass[] = []): readonly LoopPass[] {
  return loops.map(({ name }) => current.find((pass) => pass.name === name) ?? { name, pass: 1 });
}

/** The valid submission of an output: that of the call itself, or the one accepted before. */
export function handedInBy(
  session: Arrivals,
  accepted: readonly Pick<AcceptedMember, 'step_id' | 'outputs' | 'files'>[] = [],
): (output: OutputRef) => readonly HandedIn[] {
  return ({ step, output }) => {
    const now = accepted.filter(({ step_id: id }) => isOf(id, step));
    const before = progressOfStep(session, step).filter(
      ({ stepId, completedAt }) =>
        completedAt !== null && !now.some(({ step_id: id }) => id === stepId),
    );
    return [
      ...before.map(({ stepId, outputs, files }) => ({ step_id: stepId, outputs, files })),
      ...now,
    ].flatMap(({ outputs, files }) => {
      const paths = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
      return paths === undefined ? [] : [{ paths, files: only(files, paths) }];
    });
  };
}

/** The step's progress, or that of each of its items. */
export function progressOfStep(session: Arrivals, stepId: string): readonly Progress[] {
  const own = progressOf(session, stepId);
  if (own !== undefined) return [own];
  const { position, earlier } = session;
  const last = [...earlier, position].findLast(
    ({ at, members }) => at?.kind === 'for_each' && isOf(members[0] ?? '', stepId),
  );
  return last?.progress ?? [];
}

function isOf(id: string, stepId: string): boolean {
  return id === stepId || itemOf(id)?.stepId === stepId;
}

function only(files: Readonly<Record<string, string>>, paths: string | readonly string[]) {
  const wanted = [paths].flat();
  return Object.fromEntries(Object.entries(files).filter(([path]) => wanted.includes(path)));
}

/** Where the session is after a call that was bound to an arrival. */
export type Movement = 'ended' | 'moved' | 'next_item' | 'stays';

/** `stepIds`: the steps that the call submitted. An accepted item leads to the next open one. */
export function movementSince(
  session: Session,
  arrival: number,
  stepIds: readonly string[],
): Movement {
  const { status, position } = session;
  if (status !== 'active') return 'ended';
  if (position.arrival !== arrival) return 'moved';
  if (position.at?.kind !== 'for_each' || position.limit !== undefined) return 'stays';
  const isAccepted = (id: string) => {
    const item = progressOf(session, id);
    return item !== undefined && item.completedAt !== null && item.turnedDown !== true;
  };
  return stepIds.length > 0 && stepIds.every(isAccepted) ? 'next_item' : 'stays';
}
