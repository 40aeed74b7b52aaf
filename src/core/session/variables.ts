// The declared variables of a session: what a submission reports, and what of the context
// goes when work goes back. Inputs stay as they were given at the start; only a report of the
// same name is newer than an input.

import type { Context } from '../conditions.ts';
import { type Refusal, refuse } from '../refusal.ts';
import {
  type DeclaredVariable,
  describeVariables,
  judgeVariables,
  type VariableValue,
  type VariableValues,
} from '../variables.ts';
import type { Step } from '../workflow.ts';
import { itemOf } from './for-each.ts';
import { progressOfAll } from './progress.ts';
import type { Json, Session } from './state.ts';

export interface ReadReports {
  /** By step; of the steps that declare some. */
  readonly byStep: ReadonlyMap<string, VariableValues>;
  /** Of everything that is wrong with them; null: nothing is. */
  readonly refusal: Refusal | null;
}

/** Reports that came among the outputs of a call, where that is how they are written. */
export function splitReports(
  members: readonly Step[],
  sent: Json,
): { readonly outputs: Json; readonly reported: Readonly<Record<string, Json>> } {
  const names = new Set(
    members.flatMap(({ reports = [], reportsInOutputs = false }) =>
      reportsInOutputs ? reports.map(({ name }) => name) : [],
    ),
  );
  if (names.size === 0 || typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { outputs: sent, reported: {} };
  }
  const [reported, outputs] = [true, false].map((isReport) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => names.has(name) === isReport)),
  ) as [Record<string, Json>, Record<string, Json>];
  return { outputs, reported };
}

/** Everything that was reported; of each variable the newest value. */
export function allReports(session: Session): VariableValues {
  const steps = Object.values(progressOfAll(session));
  const inOrder = steps.sort((one, other) => one.completedSeq - other.completedSeq);
  return Object.assign({}, ...inOrder.map(({ reports }) => reports));
}

/** The value of an argument that a step takes: the newest report of it, or else the input. */
export function argumentValue(session: Session, name: string): VariableValue | null {
  const newest = Object.values(progressOfAll(session))
    .filter(({ reports }) => Object.hasOwn(reports, name))
    .sort((one, other) => other.completedSeq - one.completedSeq)[0];
  const values = newest?.reports ?? session.inputs;
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null;
}

/** Judges what the context of a call reports for the steps that it submits. */
export function readReports(steps: readonly Step[], context: Context): ReadReports {
  const byStep = new Map<string, VariableValues>();
  const problems = new Set<string>();
  for (const { id, reports } of steps) {
    if (reports === undefined) continue;
    const judged = judgeVariables('report', reports, context);
    byStep.set(id, judged.values);
    for (const problem of [...judged.missing, ...judged.wrong]) problems.add(problem);
  }
  return { byStep, refusal: problems.size === 0 ? null : reportsInvalid([...problems], steps) };
}

function reportsInvalid(problems: readonly string[], steps: readonly Step[]): Refusal {
  const declared = steps.flatMap((step): readonly DeclaredVariable[] => step.reports ?? []);
  return refuse(
    'reports_invalid',
    problems.join('\n'),
    `call finished_step again with the reports in context: ${describeVariables(declared)}.`,
  );
}

/** What a call adds to the context: everything but the run's inputs, and what it reports. */
export function contextOfCall(
  session: Session,
  given: Context,
  reported: Iterable<VariableValues>,
): Context {
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(session.inputs, name));
  return Object.assign(Object.fromEntries(others), ...reported);
}

/** The context after the reports of these steps are void: older values count again. */
export function contextWithout(session: Session, stepIds: readonly string[]): Context {
  const steps = Object.values(progressOfAll(session));
  const voided = new Set(stepIds);
  const isVoid = (id: string) => voided.has(id) || voided.has(itemOf(id)?.stepId ?? '');
  const gone = new Set(
    steps.flatMap(({ stepId, reports }) => (isVoid(stepId) ? Object.keys(reports) : [])),
  );
  if (gone.size === 0) return session.context;
  const kept = steps
    .filter(({ stepId }) => !isVoid(stepId))
    .sort((one, other) => one.completedSeq - other.completedSeq)
    .map(({ reports }) => reports);
  const older: VariableValues = Object.assign({}, session.inputs, ...kept);
  return Object.fromEntries(
    Object.entries(session.context).flatMap(([name, value]) => {
      if (!gone.has(name)) return [[name, value]];
      return Object.hasOwn(older, name) ? [[name, older[name]]] : [];
    }),
  );
}
