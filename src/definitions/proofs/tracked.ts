// What a walk through a workflow has to track: the variables that conditions read, and whether
// steps were done whose outputs are used later; each only as long as it can matter. So the state
// stays small even in a workflow of a thousand entries.

import type { Condition } from '../../core/conditions.ts';
import { type DeclaredVariable, RESERVED_VARIABLES } from '../../core/variables.ts';
import { type Job, ownSteps, type Step, stepsOf, type Workflow } from '../../core/workflow.ts';
import {
  type Alike,
  alikeIn,
  comparisonsIn,
  freeValues,
  type Origin,
  onlyTruthiness,
  possibleValues,
  UNSET,
} from './domains.ts';
import { isLoop, type WorkflowSpots } from './spots.ts';

export interface TrackedVariable {
  readonly name: string;
  readonly origin: Origin;
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
  readByRuns: readonly string[] = [],
): Tracked {
  const { workflow, lastUse } = layout;
  const conditions = conditionsOf(layout);
  const comparisons = comparisonsIn(conditions.map(({ condition }) => condition));
  const until = new Map<string, number>();
  const later = (name: string, leaf: number) =>
    until.set(name, Math.max(until.get(name) ?? -1, lastUse(leaf)));
  for (const { condition, leaf } of conditions) {
    for (const { name } of condition.variables) later(name, leaf);
  }
  for (const { entry, leaf } of layout.spots) {
    if (entry.kind === 'run') for (const name of readByRuns) later(name, leaf);
  }
  const origins = originsIn(job, workflow);
  const variables = [...until].map(([name, last]): TrackedVariable => {
    const origin = origins(name);
    const compared = comparisons.get(name) ?? [];
    const given = origin.kind === 'free' ? freeValues(name, compared) : [];
    return {
      name,
      origin,
      atStart: startValues(name, origin, compared, given),
      alike: 'declared' in origin ? alikeIn(origin.declared, compared) : NONE_ALIKE,
      given,
      until: last,
    };
  });
  const reportsOf = ({ reports = [] }: Step): readonly ReportValues[] =>
    reports.flatMap((declared) => {
      const last = until.get(declared.name);
      if (last === undefined) return [];
      const compared = comparisons.get(declared.name) ?? [];
      const values = possibleValues(declared, compared);
      const alike = alikeIn(declared, compared);
      const mayBeMissing = !declared.required && declared.default === null;
      const { name } = declared;
      return [{ name, values: mayBeMissing ? [...values, UNSET] : values, alike, until: last }];
    });
  const reports = new Map(stepsOf(workflow).map((step) => [step.id, reportsOf(step)]));
  return {
    variables,
    reports: ({ id }) => reports.get(id) ?? [],
    doneUntil: doneIn(layout, conditions),
    allAlike: allAlikeIn(variables, [...reports.values()].flat()),
  };
}

const NONE_ALIKE: Alike = new Map();

function allAlikeIn(
  variables: readonly TrackedVariable[],
  reports: readonly ReportValues[],
): Tracked['allAlike'] {
  const byName = new Map<string, Alike[]>();
  for (const { name, alike } of [...variables, ...reports]) {
    if (alike.size > 0) byName.set(name, [...(byName.get(name) ?? []), alike]);
  }
  return (name, value) => [
    value,
    ...(byName.get(name) ?? []).flatMap((alike) => alike.get(value) ?? []),
  ];
}

function startValues(
  name: string,
  origin: Origin,
  compared: Parameters<typeof possibleValues>[1],
  given: readonly unknown[],
): readonly unknown[] {
  switch (origin.kind) {
    case 'input':
    case 'input_and_report': {
      const { declared } = origin;
      const values = possibleValues(declared, compared);
      return declared.required || declared.default !== null ? values : [...values, UNSET];
    }
    case 'reserved': {
      if (origin.value !== null) return [origin.value];
      const text = possibleValues(textCalled(name), compared);
      return name === 'instance_id' ? [null, ...text] : text;
    }
    case 'free':
      return [UNSET, ...given];
    default:
      return [UNSET];
  }
}

function textCalled(name: string): DeclaredVariable {
  const rest = { description: '', enum: null, pattern: null, required: true, default: null };
  return { name, type: 'string', ...rest };
}

/** Where the variables of a workflow come from. */
function originsIn(job: Job, workflow: Workflow): (name: string) => Origin {
  const steps = stepsOf(workflow);
  const reported = new Set(steps.flatMap(({ reports = [] }) => reports.map(({ name }) => name)));
  const elsewhere = declaredIn(job);
  return (name) => {
    const declared = workflow.inputs?.find((input) => input.name === name);
    if (declared !== undefined) {
      return { kind: reported.has(name) ? 'input_and_report' : 'input', declared };
    }
    if (reported.has(name)) return { kind: 'report' };
    if (RESERVED_VARIABLES.includes(name)) {
      const known = name === 'job_name' ? job.name : name === 'workflow_name' && workflow.name;
      return { kind: 'reserved', value: known || null };
    }
    return elsewhere.has(name) ? { kind: 'elsewhere' } : { kind: 'free' };
  };
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

function doneIn(
  { spots, lastUse, workflow }: WorkflowSpots,
  conditions: readonly { condition: Condition; leaf: number }[],
): (stepId: string) => number {
  const until = new Map<string, number>();
  const later = (id: string, leaf: number) =>
    until.set(id, Math.max(until.get(id) ?? -1, lastUse(leaf)));
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
  const reporters = new Map<string, string[]>();
  for (const { id, reports = [] } of stepsOf(workflow)) {
    for (const { name, required, default: initial } of reports) {
      if (!required && initial === null) reporters.set(name, [...(reporters.get(name) ?? []), id]);
    }
  }
  for (const { condition, leaf } of conditions) {
    for (const { name } of condition.variables) {
      if (!reporters.has(name) || !onlyTruthiness(condition, name)) continue;
      for (const id of reporters.get(name) ?? []) later(id, leaf);
    }
  }
  return (id) => until.get(id) ?? -1;
}
