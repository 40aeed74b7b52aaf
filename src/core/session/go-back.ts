// Going back to an entry that was reached before: the new position, and the steps whose progress
// it clears. An agent or a person requests it, or a rejection leads to it.

import type { Context } from '../conditions.ts';
import { type RefusedCall, refused } from '../decision.ts';
import { leavesOf, type Place, placeOf, workOf } from '../places.ts';
import type { Workflow } from '../workflow.ts';
import { itemOf } from './for-each.ts';
import { type MoveCommand, movingFrom } from './move-fields.ts';
import { type Moving, returnTo } from './next-entry.ts';
import { type CurrentEntry, currentEntry, passesAt } from './positions.ts';
import { begunSteps } from './progress.ts';
import * as refusals from './refusals.ts';
import type { Position, Session } from './state.ts';

export type GoBackPlan =
  | {
      readonly kind: 'back';
      readonly position: Position;
      /** The target, and all steps begun from there on. */
      readonly invalidated: readonly string[];
      readonly warnings: readonly string[];
    }
  | RefusedCall;

/** `contextAfter` returns the context once these steps have to be done again. */
export function planGoBack(
  session: Session,
  name: string,
  command: MoveCommand,
  contextAfter: (cleared: readonly string[]) => Context = () => session.context,
): GoBackPlan {
  const { workflow } = command.inUse;
  const target = placeOf(workflow, name) ?? placeOfItem(workflow, name);
  if (target === null) return refused(refusals.noSuchStep(workflow, name));
  const here = currentEntry(session, workflow);
  if (isAhead(target, here, session)) return refused(refusals.noForwardJump(session, name));
  const invalidated = clearedBy(session, workflow, target, name);
  const before = movingFrom(session, command);
  // Entries may be skipped on the way, where cleared steps no longer count either.
  const moving: Moving = {
    ...before,
    context: contextAfter(invalidated),
    handedIn: (output) => (invalidated.includes(output.step) ? [] : before.handedIn(output)),
  };
  const { stop, warnings } = returnTo(moving, target, passesAt(target, here?.loops));
  if (stop.kind === 'refused') return stop;
  if (stop.kind !== 'at') return refused(refusals.nothingToGoBackTo(session, name));
  return { kind: 'back', position: stop.position, invalidated, warnings };
}

/** If the current step was removed from the file, its former index decides. */
function isAhead(target: Place, here: CurrentEntry | null, { position }: Session): boolean {
  if (here === null) return target.entryIndex > position.entryIndex;
  return target.order > here.place.order;
}

function clearedBy(
  session: Session,
  workflow: Workflow,
  target: Place,
  name: string,
): readonly string[] {
  const begun = begunSteps(session);
  const known = new Set<string>();
  const cleared: string[] = [];
  for (const { entry, order } of leavesOf(workflow)) {
    for (const id of workOf(entry)) {
      known.add(id);
      if (order >= target.order && (id === name || begun.has(id))) cleared.push(id);
    }
  }
  // Steps that an edit removed from the workflow are not before the target, so they are cleared, too.
  return [...cleared, ...[...begun].filter((id) => !known.has(id))];
}

/** `migrate#3` means its whole `for_each`, as any member means its whole entry. */
function placeOfItem(workflow: Workflow, name: string): Place | null {
  const place = placeOf(workflow, itemOf(name)?.stepId ?? '');
  return place?.entry.kind === 'for_each' ? place : null;
}
