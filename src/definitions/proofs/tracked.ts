// What a walk through a workflow has to track: the variables that conditions read, and whether
// steps were done whose outputs are used later; each only as long as it can matter. So the state
// stays small even in a workflow of a thousand entries.

import type { Clause, Condition } from '../../core/conditions.ts';
import { addTo } from '../../core/groups.ts';
import type { PatternBudget } from '../../core/pattern-budget.ts';
import { type DeclaredVariable, RESERVED_VARIABLES } from '../../core/variables.ts';
import { type Job, ownSteps, type Step, stepsOf, type Workflow } from '../../core/workflow.ts';
import {
  type Alike,
  alikeIn,
  comparisonsIn,
  freeValues,
  onlyTruthiness,
  possibleValues,
  UNSET,
} from './domains.ts';
import { isLoop, type WorkflowSpots } from './spots.ts';

export interface TrackedVariable {
  readonly name: string;
  /** Its possible values when the workflow begins. */
  readonly atStart: readonly unknown[];
  /** The other values that each of these represents. */
  readonly alike: Alike;
  /** Values that an agent may give for it with any call; none if it is declared. */
  readonly given: readonly unknown[];
  /** The last leaf at which it matters. */
  readonly until: number;
}

export interface Tracked {
  readonly variables: readonly TrackedVariable[];
  /** The possible values of a step's reports; `UNSET` if one may be omitted. */
  readonly reports: (step: Step) => readonly ReportValues[];
  /** The last leaf at which it matters whether the step was done; -1: nowhere. */
  readonly doneUntil: (stepId: string) => number;
  /** The steps for which a variable is an optional report. */
  readonly optionalReporters: (name: string) => readonly string[];
  /** A value of a variable, and all others that it represents. */
  readonly allAlike: (name: string, value: unknown) => readonly unknown[];
}

export interface ReportValues {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly alike: Alike;
  readonly until: number;
}

/** Every condition of a workflow, with the leaf at which it is evaluated. */
function conditionsOf({ spots }: WorkflowSpots): { condition: Condition; leaf: number }[] {
  return spots.flatMap((spot) => {
    const { entry } = spot;
    if (isLoop(spot)) {
      const { until } = spot.entry;
      return until.kind === 'when' ? [{ condition: until.condition, leaf: spot.lastLeaf }] : [];
    }
    return ownSteps(entry).flatMap(({ when }) =>
      when === null ? [] : [{ condition: when, leaf: spot.leaf }],
    );
  });
}

/** `readByRuns`: variables that are also read at every nested run. */
export function trackedIn(
  job: Job,
  layout: WorkflowSpots,
  budget: PatternBudget,
  readByRuns: readonly string[] = [],
): Tracked {
  const { workflow, lastUse } = layout;
  const conditions = conditionsOf(layout);
  const comparisons = comparisonsIn(conditions.map(({ condition }) => condition));
  const { until, later } = openUses(lastUse);
  for (const { condition, leaf } of conditions) {
    for (const { name } of condition.variables) later(name, leaf);
  }
  for (const { entry, leaf } of layout.spots) {
    if (entry.kind === 'run') for (const name of readByRuns) later(name, leaf);
  }
  const variables = [...until].map(([name, last]): TrackedVariable => {
    const compared = comparisons.get(name) ?? [];
    const input = workflow.inputs?.find((each) => each.name === name);
    // An agent may give any value for an undeclared variable with any call, or none.
    const given = isUndeclared(job, name) ? freeValues(name, compared) : [];
    const atStart =
      input === undefined
        ? (reservedValues(job, workflow, name, compared, budget) ?? [UNSET, ...given])
        : valuesOrUnset(input, compared, budget);
    const alike = input === undefined ? NONE_ALIKE : alikeIn(input, compared, budget);
    return { name, atStart, alike, given, until: last };
  });
  const reportsOf = ({ reports = [] }: Step): readonly ReportValues[] =>
    reports.flatMap((declared) => {
      const last = until.get(declared.name);
      if (last === undefined) return [];
      const { name } = declared;
      const compared = comparisons.get(name) ?? [];
      const values = valuesOrUnset(declared, compared, budget);
      return [{ name, values, alike: alikeIn(declared, compared, budget), until: last }];
    });
  const reports = new Map(stepsOf(workflow).map((step) => [step.id, reportsOf(step)]));
  const reporters = new Map<string, string[]>();
  for (const { id, reports = [] } of stepsOf(workflow)) {
    for (const { name } of reports.filter(mayBeOmitted)) {
      addTo(reporters, name, id);
    }
  }
  const optionalReporters = (name: string) => reporters.get(name) ?? [];
  return {
    variables,
    reports: ({ id }) => reports.get(id) ?? [],
    doneUntil: doneIn(layout, conditions, optionalReporters),
    optionalReporters,
    allAlike: allAlikeIn(variables, [...reports.values()].flat()),
  };
}

/** By name: the last leaf at which it can be used. */
function openUses(lastUse: WorkflowSpots['lastUse']) {
  const until = new Map<string, number>();
  const later = (name: string, leaf: number) =>
    until.set(name, Math.max(until.get(name) ?? -1, lastUse(leaf)));
  return { until, later };
}

const NONE_ALIKE: Alike = new Map();

function allAlikeIn(
  variables: readonly TrackedVariable[],
  reports: readonly ReportValues[],
): Tracked['allAlike'] {
  const byName = new Map<string, Alike[]>();
  for (const { name, alike } of [...variables, ...reports]) {
    if (alike.size > 0) addTo(byName, name, alike);
  }
  return (name, value) => [
    value,
    ...(byName.get(name) ?? []).flatMap((alike) => alike.get(value) ?? []),
  ];
}

export function mayBeOmitted({ required, default: initial }: DeclaredVariable): boolean {
  return !required && initial === null;
}

function valuesOrUnset(
  declared: DeclaredVariable,
  compared: readonly Clause[],
  budget: PatternBudget,
): readonly unknown[] {
  const values = possibleValues(declared, compared, budget);
  return mayBeOmitted(declared) ? [...values, UNSET] : values;
}

/** The values of a variable that is always set; null if the variable is not reserved. */
function reservedValues(
  job: Job,
  workflow: Workflow,
  name: string,
  compared: readonly Clause[],
  budget: PatternBudget,
): readonly unknown[] | null {
  if (!RESERVED_VARIABLES.includes(name)) return null;
  if (name === 'job_name') return [job.name];
  if (name === 'workflow_name') return [workflow.name];
  const rest = { description: '', enum: null, pattern: null, required: true, default: null };
  const texts = possibleValues({ name, type: 'string', ...rest }, compared, budget);
  return name === 'instance_id' ? [null, ...texts] : texts;
}

const known = new WeakMap<Job, ReadonlySet<string>>();

/** Every variable that the job declares anywhere; cached, because every condition needs it. */
export function declaredIn(job: Job): ReadonlySet<string> {
  const before = known.get(job);
  if (before !== undefined) return before;
  const names = new Set([
    ...job.workflows.flatMap(({ inputs = [] }) => inputs.map(({ name }) => name)),
    ...job.steps.flatMap(({ reports = [] }) => reports.map(({ name }) => name)),
  ]);
  known.set(job, names);
  return names;
}

export function isUndeclared(job: Job, name: string): boolean {
  return !declaredIn(job).has(name) && !RESERVED_VARIABLES.includes(name);
}

function doneIn(
  { spots, lastUse }: WorkflowSpots,
  conditions: readonly { condition: Condition; leaf: number }[],
  optionalReporters: Tracked['optionalReporters'],
): (stepId: string) => number {
  const { until, later } = openUses(lastUse);
  for (const { entry, leaf, lastLeaf } of spots) {
    for (const { inputs } of ownSteps(entry)) {
      for (const input of inputs) if (input.kind === 'file') later(input.fromStep, leaf);
    }
    if (entry.kind === 'approve') for (const { step } of entry.show) later(step, leaf);
    if (entry.kind === 'for_each') later(entry.items.step, leaf);
    if (entry.kind === 'loop' && entry.until.kind === 'rules') {
      later(entry.until.output.step, lastLeaf);
    }
  }
  // For an optional report it matters whether its step was done.
  for (const { condition, leaf } of conditions) {
    for (const { name } of condition.variables) {
      if (!onlyTruthiness(condition, name)) continue;
      for (const id of optionalReporters(name)) later(id, leaf);
    }
  }
  return (id) => until.get(id) ?? -1;
}
