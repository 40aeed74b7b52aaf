// Walking a guide: which step comes next, and what an agent is told about it. Nothing
// is remembered between calls; the caller says what is done and what it knows.

import { type Condition, type Context, holds, missingVariables } from './conditions.ts';
import { applicableMessages, type Criteria, conditionsOf } from './rules.ts';

/** A JSON workflow, compiled. */
export interface Guide {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category: string;
  readonly summary?: string | undefined;
  readonly steps: readonly GuideStep[];
  /** The definition as written. */
  readonly source: unknown;
  readonly file: string;
  /** sha256 (hex) of the file's bytes. */
  readonly hash: string;
}

export interface GuideStep {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly askForFiles?: boolean | undefined;
  readonly requireConfirmation?: boolean | Condition | undefined;
  readonly runCondition?: Condition | undefined;
  readonly criteria: Criteria | null;
  readonly guidance: readonly string[];
  readonly agentRole?: string | undefined;
  readonly modelHint?: string | undefined;
  readonly preface?: string | undefined;
}

/** A step as the walk needs it; a job's step can be walked as well. */
export interface WalkStep {
  readonly id: string;
  /** What is shown of the definition. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly prompt: string;
  readonly modelHint?: string | undefined;
  readonly confirmation: boolean | Condition;
  readonly runCondition: Condition | null;
  readonly criteria: readonly Criteria[];
  /** Criteria in words that no context changes. */
  readonly furtherCriteria: readonly string[];
}

export interface Next {
  readonly step: Readonly<Record<string, unknown>> | null;
  readonly guidance: {
    readonly prompt: string;
    readonly modelHint?: string;
    readonly requiresConfirmation: boolean;
    readonly validationCriteria: readonly string[];
  };
  readonly isComplete: boolean;
  readonly warnings?: readonly string[];
  readonly skippedSteps?: readonly { readonly id: string; readonly condition: unknown }[];
  readonly missingContext?: readonly string[];
}

export function nextStep(
  steps: readonly WalkStep[],
  completed: readonly string[],
  context: Context,
): Next {
  const known = new Set(steps.map((step) => step.id));
  const done = new Set(completed);
  const warnings = completed
    .filter((id) => !known.has(id))
    .map((id) => `Unknown step id in completedSteps: ${id}`);
  const open = steps.filter((step) => !done.has(step.id));
  const applies = (step: WalkStep) =>
    step.runCondition === null || holds(step.runCondition, context);
  const next = open.find(applies);
  const passedOver = next === undefined ? open : open.slice(0, open.indexOf(next));
  const lists = {
    warnings,
    skippedSteps: passedOver.map(({ id, runCondition }) => ({
      id,
      condition: runCondition?.source,
    })),
    missingContext: missing(open, next, context),
  };
  if (next === undefined) {
    const guidance = {
      prompt: 'Workflow complete.',
      requiresConfirmation: false,
      validationCriteria: [],
    };
    return { step: null, guidance, isComplete: true, ...whatIsThere(lists) };
  }
  return {
    step: next.shown,
    guidance: {
      prompt: next.prompt,
      ...(next.modelHint === undefined ? {} : { modelHint: next.modelHint }),
      requiresConfirmation: isConfirmed(next.confirmation, context),
      validationCriteria: criteriaInWords(next, context),
    },
    isComplete: false,
    ...whatIsThere(lists),
  };
}

export function walkStepOf(step: GuideStep): WalkStep {
  const { id, title, prompt, askForFiles, requireConfirmation, runCondition } = step;
  return {
    id,
    shown: {
      id,
      title,
      prompt,
      ...(askForFiles === undefined ? {} : { askForFiles }),
      ...(requireConfirmation === undefined
        ? {}
        : { requireConfirmation: asWritten(requireConfirmation) }),
      ...(runCondition === undefined ? {} : { runCondition: runCondition.source }),
    },
    prompt: composePrompt(step),
    modelHint: step.modelHint,
    confirmation: requireConfirmation ?? false,
    runCondition: runCondition ?? null,
    criteria: step.criteria === null ? [] : [step.criteria],
    furtherCriteria: [],
  };
}

/** Role, guidance and preface, each only if there is one, then the prompt itself. */
function composePrompt(step: GuideStep): string {
  const { agentRole, guidance, preface, prompt } = step;
  const role = agentRole === undefined ? '' : `## Agent Role Instructions\n${agentRole}\n\n`;
  const hints = guidance.map((item) => `- ${item}\n`).join('');
  const section = guidance.length === 0 ? '' : `## Step Guidance\n${hints}\n`;
  return `${role}${section}${preface === undefined ? '' : `${preface} `}${prompt}`;
}

export function criteriaInWords(step: WalkStep, context: Context): string[] {
  return [
    ...step.criteria.flatMap((criteria) => applicableMessages(criteria, context)),
    ...step.furtherCriteria,
  ];
}

export function isConfirmed(confirmation: boolean | Condition, context: Context): boolean {
  return typeof confirmation === 'boolean' ? confirmation : holds(confirmation, context);
}

function asWritten(value: boolean | Condition): unknown {
  return typeof value === 'boolean' ? value : value.source;
}

function missing(
  open: readonly WalkStep[],
  next: WalkStep | undefined,
  context: Context,
): readonly string[] {
  const conditions = open.flatMap(({ runCondition }) =>
    runCondition === null ? [] : [runCondition],
  );
  if (next !== undefined) {
    if (typeof next.confirmation !== 'boolean') conditions.push(next.confirmation);
    conditions.push(...next.criteria.flatMap(conditionsOf));
  }
  const names = conditions.flatMap((condition) => missingVariables(condition, context));
  return [...new Set(names)].sort();
}

/** Lists are told only when there is something in them. */
function whatIsThere<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
): Partial<Lists> {
  return Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list.length > 0),
  ) as Partial<Lists>;
}
