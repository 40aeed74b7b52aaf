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
  /** What to tell about variables of a `when` that are not set in the context. */
  readonly unset: readonly string[];
}

/** The first entry from `index` on that has a member to do. */
export function arrive(
  workflow: Workflow,
  index: number,
  context: Context,
  visit: number,
): Arrival {
  const skipped: string[] = [];
  const unset: string[] = [];
  for (let at = index; at < workflow.entries.length; at++) {
    const entry = workflow.entries[at] as Entry;
    const members = entry.filter((step) => isEligible(step, context)).map((step) => step.id);
    const left = entry.map((step) => step.id).filter((id) => !members.includes(id));
    skipped.push(...left);
    for (const step of entry) {
      const names = left.includes(step.id) ? unsetIn(step, context) : null;
      if (names === null) continue;
      unset.push(
        `Step '${step.id}' was skipped: it depends on ${names}, which is not set in \`context\`.`,
      );
    }
    if (members.length > 0) {
      const position = { entryIndex: at, members, skipped: left, visit };
      return { position, skipped, unset: [...unset, ...unsetAhead(workflow, at + 1, context)] };
    }
  }
  return { position: null, skipped, unset };
}

/**
 * Steps that the next move may come to and whose `when` asks for variables that are not
 * set: while the step before them is being done they can still be given.
 */
function unsetAhead(workflow: Workflow, index: number, context: Context): string[] {
  const texts: string[] = [];
  for (const entry of workflow.entries.slice(index)) {
    let isCertain = false;
    for (const step of entry) {
      const names = unsetIn(step, context);
      const runs = isEligible(step, context);
      if (names === null) isCertain ||= runs;
      else {
        texts.push(
          `Step '${step.id}' depends on ${names}, which is not set in \`context\`. Give it as \`context\` with finished_step; otherwise the step ${runs ? 'runs' : 'is skipped'}.`,
        );
      }
    }
    if (isCertain) break;
  }
  return texts;
}

/** The variables of its `when` that are not set, in words; null if there are none. */
function unsetIn({ when }: Step, context: Context): string | null {
  const missing = when === null ? [] : missingVariables(when, context);
  return missing.length === 0 ? null : missing.map((name) => `'${name}'`).join(', ');
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
