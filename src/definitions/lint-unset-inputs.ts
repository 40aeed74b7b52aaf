// Finds required inputs of nested workflows that are taken from a variable which is not set on
// every path to the `run`: the call that leads there would be refused.

import type { Issue } from '../core/issue.ts';
import type { PatternBudget } from '../core/pattern-budget.ts';
import type { DeclaredVariable } from '../core/variables.ts';
import type { Job, Workflow } from '../core/workflow.ts';
import type { PlacedRun } from './jobs/placed-runs.ts';
import { unsetAtRun } from './proofs/unset-at-run.ts';
import { waysToSet } from './proofs/ways-to-set.ts';
import { quote } from './wording.ts';

export interface UnsetInput {
  readonly severity: 'problem' | 'warning';
  readonly issue: Issue;
}

/** `from`: the workflow with the `run`; `declared`: the inputs of the other one. */
export function lintUnsetInputs(
  { name: run, job: target, workflow, inputs }: PlacedRun,
  job: Job,
  from: Workflow,
  declared: readonly DeclaredVariable[],
  budget: PatternBudget,
): readonly UnsetInput[] {
  return (inputs ?? []).flatMap(({ input, path, at }): UnsetInput[] => {
    const isRequired = declared.some(({ name, required }) => name === input.name && required);
    if (!isRequired || !('from' in input)) return [];
    const unset = unsetAtRun(job, from, run, input.from, budget);
    if (unset === null) return [];
    const { isNever, proof } = unset;
    const gives = `${quote(run)} of workflow ${quote(from.name)} gives ${quote(input.name)}, a required input of ${target}/${workflow}, the value of ${quote(input.from)}`;
    const when = isNever ? 'set on no path to it' : 'not set on every path to it';
    const message = `${gives}, which is ${when}${waysToSet(input.from, [from], isNever)}`;
    const severity = isNever ? 'problem' : 'warning';
    return [{ severity, issue: { code: 'unset_variable', path, at, message, proof } }];
  });
}
