// Judges the conditions of a workflow one by one, without the paths to them, if there are too many
// paths to walk. This finds less, but every finding is true.

import { type Condition, holds } from '../../core/conditions.ts';
import type { Hints } from '../../core/nearest.ts';
import type { PatternBudget } from '../../core/pattern-budget.ts';
import type { Job, Workflow } from '../../core/workflow.ts';
import { loopsOf, stepsOf } from '../../core/workflow.ts';
import { quote } from '../wording.ts';
import { contextsOf } from './domains.ts';
import type { Finding, FoundAt } from './finding.ts';
import { proof } from './judge-whens.ts';
import { neverEqual } from './never-equal.ts';
import { spotsOf } from './spots.ts';
import { trackedIn } from './tracked.ts';

const MAX_CONTEXTS = 4096;

export function judgeConditions(
  job: Job,
  workflow: Workflow,
  hints: Hints,
  budget: PatternBudget,
): readonly Finding[] {
  const tracked = trackedIn(job, spotsOf(workflow), budget);
  const values = new Map(
    tracked.variables.map(({ name, atStart }) => [name, new Set<unknown>(atStart)]),
  );
  for (const step of stepsOf(workflow)) {
    for (const report of tracked.reports(step)) {
      for (const value of report.values) values.get(report.name)?.add(value);
    }
  }
  /** With all values that these represent. */
  const allOf = (name: string) =>
    [...(values.get(name) ?? [])].flatMap((value) => tracked.allAlike(name, value));
  const judge = (condition: Condition, who: string, at: FoundAt): readonly Finding[] => {
    if (canHold(condition, values)) return [];
    const says = 'no possible values of its variables meet it';
    const why = neverEqual(condition, allOf, hints);
    const message = `${who} never holds${why}`;
    return [{ code: 'never_holds', severity: 'problem', at, message, proof: proof(says, null) }];
  };
  return [
    ...stepsOf(workflow).flatMap(({ id, when }) =>
      when === null
        ? []
        : judge(when, `The condition of step ${quote(id)}`, {
            kind: 'when',
            step: id,
            variable: null,
          }),
    ),
    ...loopsOf(workflow).flatMap(({ name, until }) =>
      until.kind !== 'when'
        ? []
        : judge(until.condition, `The until of loop ${quote(name)}`, {
            kind: 'until',
            workflow: workflow.name,
            loop: name,
            variable: null,
          }),
    ),
  ];
}

function canHold(condition: Condition, values: ReadonlyMap<string, ReadonlySet<unknown>>): boolean {
  const options = condition.variables.map(
    ({ name }) => [name, [...(values.get(name) ?? [])]] as const,
  );
  const contexts = contextsOf(options, MAX_CONTEXTS);
  return contexts === null || contexts.some((context) => holds(condition, context));
}
