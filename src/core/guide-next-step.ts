// Walks a workflow without keeping state: which step comes next, and what the answer says about
// it. The caller passes the completed steps and the context with each call.

import { type Context, holds, missingVariables } from './conditions.ts';
import { composeText, criteriaTexts, needsConfirmation } from './guidance.ts';
import { conditionsOf } from './rules.ts';
import type { Step, TextInstructions } from './workflow.ts';

/** A step whose instructions are text, not a file. */
export interface TextStep extends Step {
  readonly instructions: TextInstructions;
}

export function nextStep<S extends TextStep>(
  steps: readonly S[],
  completed: readonly string[],
  context: Context,
) {
  const known = new Set(steps.map((step) => step.id));
  const done = new Set(completed);
  const open = steps.filter((step) => !done.has(step.id));
  const next = open.find(({ when }) => when === null || holds(when, context)) ?? null;
  const skipped = next === null ? open : open.slice(0, open.indexOf(next));
  return {
    step: next,
    guidance:
      next === null
        ? { prompt: 'Workflow complete.', requiresConfirmation: false, validationCriteria: [] }
        : {
            prompt: composeText(next.instructions),
            ...(next.modelHint && { modelHint: next.modelHint }),
            requiresConfirmation: needsConfirmation(next.confirmation ?? false, context),
            validationCriteria: criteriaTexts(next, context),
          },
    isComplete: next === null,
    ...withoutEmpty({
      warnings: completed
        .filter((id) => !known.has(id))
        .map((id) => `Unknown step id in completedSteps: ${id}`),
      skippedSteps: skipped.flatMap(({ id, when }) =>
        when === null ? [] : [{ id, condition: when.source }],
      ),
      missingContext: missingContext(open, next, context),
    }),
  };
}

/** The variables that the open steps and the next step's rules read and the context lacks. */
function missingContext(
  open: readonly Step[],
  next: Step | null,
  context: Context,
): readonly string[] {
  const conditions = open.flatMap(({ when }) => (when === null ? [] : [when]));
  if (next !== null) {
    const { confirmation = false, outputs } = next;
    if (typeof confirmation !== 'boolean') conditions.push(confirmation);
    for (const { rules } of outputs) if (rules !== null) conditions.push(...conditionsOf(rules));
  }
  const names = conditions.flatMap((condition) => missingVariables(condition, context));
  return [...new Set(names)].sort();
}

function withoutEmpty<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
): Partial<Lists> {
  return Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list.length > 0),
  ) as Partial<Lists>;
}
