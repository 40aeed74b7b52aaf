// The way back to an entry that was reached before: what is done again, and what that clears. An
// agent asks for it, or a person, or a person's rejection.

import type { Context } from '../conditions.ts';
import { leavesOf, type Place, placeOf, workOf } from '../places.ts';
import type { Refusal } from '../refusal.ts';
import type { Workflow } from '../workflow.ts';
import { itemOf } from './for-each.ts';
import { type MoveCommand, movingFrom } from './move.ts';
import { type Moving, returnTo } from './onward.ts';
import { type CurrentEntry, currentEntry, passesBackTo } from './positions.ts';
import { begunSteps } from './progress.ts';
import * as refusals from './refusals.ts';
import type { Position, Session } from './state.ts';

export type WayBack =
  | {
      readonly kind: 'back';
      readonly position: Position;
      /** The target, and what was begun from there on, by step. */
      readonly invalidated: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** `contextAfter`: what the context is once these steps have to be done again. */
export function wayBack(
  session: Session,
  name: string,
  command: MoveCommand,
  contextAfter: (cleared: readonly string[]) => Context = () => session.context,
): WayBack {
  const { workflow } = command.inUse;
  const target = placeOf(workflow, name) ?? placeOfItem(workflow, name);
  if (target === null) return no(refusals.noSuchStep(workflow, name));
  const here = currentEntry(session, workflow);
  if (isAhead(target, here, session)) return no(refusals.noForwardJump(session, name));
  const invalidated = clearedBy(session, workflow, target, name);
  const before = movingFrom(session, command);
  // The way may pass over entries: what is cleared no longer counts there either.
  const moving: Moving = {
    ...before,
    context: contextAfter(invalidated),
    handedIn: (output) => (invalidated.includes(output.step) ? [] : before.handedIn(output)),
  };
  const { stop, warnings } = returnTo(moving, target, passesBackTo(target, here));
  if (stop.kind === 'refused') return stop;
  if (stop.kind !== 'at') return no(refusals.nothingToGoBackTo(session, name));
  return { kind: 'back', position: stop.position, invalidated, warnings };
}

/** When the current step left the file, anywhere up to where it stood is back. */
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
  // What an edit removed from the workflow is not before the target, so it goes as well.
  return [...cleared, ...[...begun].filter((id) => !known.has(id))];
}

/** `migrate#3` goes back to all of its `for_each`, as a member goes to its whole entry. */
function placeOfItem(workflow: Workflow, name: string): Place | null {
  const place = placeOf(workflow, itemOf(name)?.stepId ?? '');
  return place?.entry.kind === 'for_each' ? place : null;
}

function no(refusal: Refusal): WayBack {
  return { kind: 'refused', refusal };
}
