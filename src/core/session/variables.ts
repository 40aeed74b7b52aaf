// The declared variables of a session: the reports of a submission, and what is removed from the
// context when the session goes back. Inputs keep the values given at the start; only a report of
// the same name replaces one.

import type { Context } from '../conditions.ts';
import { nulsInContext } from '../nul-characters.ts';
import type { PatternBudget } from '../pattern-budget.ts';
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
import { byCompletion, progressOfAll } from './progress.ts';
import type { Json, Session } from './state.ts';

export interface ReadReports {
  /** By step, for the steps that declare reports. */
  readonly byStep: ReadonlyMap<string, VariableValues>;
  /** Names all problems; null if there are none. */
  readonly refusal: Refusal | null;
}

/** Separates reports from outputs, for steps whose reports may be given in `outputs`. */
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

/** The newest value of each reported variable. */
export function allReports(session: Session): VariableValues {
  return Object.assign({}, ...byCompletion(session).map(({ reports }) => reports));
}

/** The value of a step's argument: its newest report, else the input. */
export function argumentValue(session: Session, name: string): VariableValue | null {
  const newest = progressOfAll(session)
    .filter(({ reports }) => Object.hasOwn(reports, name))
    .sort((one, other) => other.completedSeq - one.completedSeq)[0];
  const values = newest?.reports ?? session.inputs;
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null;
}

/** Judges the context of a call: the reports of the steps that it submits, and all else. */
export function* readReports(
  steps: readonly Step[],
  context: Context,
  budget: PatternBudget,
): Generator<undefined, ReadReports, undefined> {
  const byStep = new Map<string, VariableValues>();
  const problems = new Set<string>();
  for (const { id, reports } of steps) {
    if (reports === undefined) continue;
    const judged = yield* judgeVariables('report', reports, context, budget);
    byStep.set(id, judged.values);
    for (const problem of [...judged.missing, ...judged.wrong]) problems.add(problem);
  }
  const reported = new Set(steps.flatMap(({ reports = [] }) => reports.map(({ name }) => name)));
  const others = Object.entries(context).filter(([name]) => !reported.has(name));
  for (const problem of nulsInContext(Object.fromEntries(others))) problems.add(problem);
  return { byStep, refusal: problems.size === 0 ? null : reportsInvalid([...problems], steps) };
}

function reportsInvalid(problems: readonly string[], steps: readonly Step[]): Refusal {
  const declared = steps.flatMap((step): readonly DeclaredVariable[] => step.reports ?? []);
  const next =
    declared.length === 0
      ? 'call finished_step again without them.'
      : `call finished_step again with the reports in context: ${describeVariables(declared)}.`;
  return refuse('reports_invalid', problems.join('\n'), next);
}

/** What a call adds to the context: its reports, and everything else except the run's inputs. */
export function contextOfCall(
  session: Session,
  given: Context,
  reported: Iterable<VariableValues>,
): Context {
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(session.inputs, name));
  return Object.assign(Object.fromEntries(others), ...reported);
}

/** The context without the reports of these steps: older values count again. */
export function contextWithout(session: Session, stepIds: readonly string[]): Context {
  const steps = byCompletion(session);
  const voided = new Set(stepIds);
  const isVoid = (id: string) => voided.has(id) || voided.has(itemOf(id)?.stepId ?? '');
  const gone = new Set(
    steps.flatMap(({ stepId, reports }) => (isVoid(stepId) ? Object.keys(reports) : [])),
  );
  const kept = steps.filter(({ stepId }) => !isVoid(stepId)).map(({ reports }) => reports);
  const older: VariableValues = Object.assign({}, session.inputs, ...kept);
  return Object.fromEntries(
    Object.entries(session.context).flatMap(([name, value]) => {
      if (!gone.has(name)) return [[name, value]];
      return Object.hasOwn(older, name) ? [[name, older[name]]] : [];
    }),
  );
}
