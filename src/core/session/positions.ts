// Where a session stands in a workflow, and where it goes next. Definitions may be
// edited while a session runs, so a position is found again by step id at each call
// and never trusted as a bare index.

import { holds, missingVariables } from '../conditions.ts';
import type { Entry, Step, Workflow } from '../workflow.ts';
import { type Context, currentStepId, type Position, type Session } from './state.ts';

export interface Arrival {
  /** Null when no entry is left: the workflow is complete. */
  readonly position: Position | null;
  /** Every step passed over on the way because its `when` was false. */
  readonly skipped: readonly string[];
  /** Of those, what to tell about each whose `when` asks for something that nobody said. */
  readonly unsaid: readonly string[];
}

/** The first entry from `index` on that has a member to do. */
export function arrive(
  workflow: Workflow,
  index: number,
  context: Context,
  visit: number,
): Arrival {
  const skipped: string[] = [];
  const unsaid: string[] = [];
  for (let at = index; at < workflow.entries.length; at++) {
    const entry = workflow.entries[at] as Entry;
    const members = entry.filter((step) => isEligible(step, context)).map((step) => step.id);
    const left = entry.map((step) => step.id).filter((id) => !members.includes(id));
    skipped.push(...left);
    for (const step of entry) if (left.includes(step.id)) unsaid.push(...tellUnsaid(step, context));
    if (members.length > 0) {
      return { position: { entryIndex: at, members, skipped: left, visit }, skipped, unsaid };
    }
  }
  return { position: null, skipped, unsaid };
}

function tellUnsaid({ id, when }: Step, context: Context): string[] {
  const missing = when === null ? [] : missingVariables(when, context);
  if (missing.length === 0) return [];
  const names = missing.map((name) => `'${name}'`).join(', ');
  return [`Step '${id}' was skipped: it depends on ${names}, which no context has told.`];
}

/** The entry at which a session stands, as the definition is written now. */
export interface Standing {
  readonly entryIndex: number;
  /** Members to be done in this visit, in file order. */
  readonly members: readonly Step[];
}

/**
 * Finds the session's entry in the definition. Members that the edit removed are
 * dropped; members that it added join if their `when` holds. Null: the step is gone.
 */
export function standing(session: Session, workflow: Workflow): Standing | null {
  const { members, skipped } = session.position;
  for (const id of [currentStepId(session), ...members]) {
    const entryIndex = entryIndexOf(workflow, id);
    if (entryIndex === -1) continue;
    const entry = workflow.entries[entryIndex] as Entry;
    return {
      entryIndex,
      members: entry.filter(
        (step) =>
          members.includes(step.id) ||
          (!skipped.includes(step.id) && isEligible(step, session.context)),
      ),
    };
  }
  return null;
}

export function entryIndexOf(workflow: Workflow, stepId: string): number {
  return workflow.entries.findIndex((entry) => entry.some((step) => step.id === stepId));
}

export function stepIdsOf(workflow: Workflow): string[] {
  return workflow.entries.flatMap((entry) => entry.map((step) => step.id));
}

function isEligible(step: Step, context: Context): boolean {
  return step.when === null || holds(step.when, context);
}
