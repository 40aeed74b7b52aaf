// Steps with `sub_workflow` in a job with `step_arguments`: what they take, and whether something
// has to be submitted after the nested workflow is complete. The outputs of a workflow in the same
// file have already been judged there, by the same arguments; those of another job are submitted
// and judged here.

import type { ArgumentJob, ArgumentStep, ArgumentWorkflow } from './argument-style.ts';
import type { PlacedRun, PlaceOf } from './placed-runs.ts';

/** By name, and whether it is required. */
type Names = ReadonlyMap<string, boolean>;

export interface SubWorkflows {
  /** The inputs of a workflow: what its steps take and no step before them produces. */
  needed(workflow: ArgumentWorkflow): Names;
  /** What a step takes, including what the workflow that it runs requires. */
  taken(step: ArgumentStep): Names;
  /** Whether outputs have to be submitted, or the work judged, after the nested workflow. */
  needsSubmission(step: ArgumentStep): boolean;
}

export function openSubWorkflows(job: ArgumentJob): SubWorkflows {
  const known = new Map<ArgumentWorkflow, Map<string, boolean>>();

  function needed(workflow: ArgumentWorkflow): Names {
    const before = known.get(workflow);
    if (before !== undefined) return before;
    const needs = new Map<string, boolean>();
    // Set before its steps are visited, because a workflow may run itself.
    known.set(workflow, needs);
    const produced = new Set<string>();
    for (const step of workflow.steps) {
      for (const [name, required] of taken(step)) {
        if (!produced.has(name)) needs.set(name, required || (needs.get(name) ?? false));
      }
      for (const { name } of step.outputs) produced.add(name.value);
    }
    return needs;
  }

  function taken(step: ArgumentStep): Names {
    const names = new Map(step.inputs.map(({ name, required }) => [name.value, required]));
    const sub = workflowInFile(step, job);
    for (const [name, required] of sub === null ? [] : needed(sub)) {
      if (required) names.set(name, true);
    }
    return names;
  }

  function needsSubmission(step: ArgumentStep): boolean {
    const { subWorkflow, outputs, requirements } = step;
    if (subWorkflow === null) return true;
    if (outputs.length === 0 && requirements.length === 0) return false;
    const sub = workflowInFile(step, job);
    if (sub === null || requirements.length > 0) return true;
    const produced = new Map<string, boolean>();
    for (const use of sub.steps.flatMap((each) => each.outputs)) {
      produced.set(use.name.value, use.required || (produced.get(use.name.value) ?? false));
    }
    return outputs.some(({ name, required, review }) => {
      const isCertain = produced.get(name.value);
      return review !== null || isCertain === undefined || (required && !isCertain);
    });
  }

  return { needed, taken, needsSubmission };
}

/** Whether a step runs a workflow of its own file. */
export function isInFile({ subWorkflow }: ArgumentStep, { name }: ArgumentJob): boolean {
  if (subWorkflow === null) return false;
  return subWorkflow.job === null || subWorkflow.job.value === name.value;
}

function workflowInFile(step: ArgumentStep, job: ArgumentJob): ArgumentWorkflow | null {
  if (!isInFile(step, job)) return null;
  const wanted = step.subWorkflow?.workflow.value;
  return job.workflows.find(({ name }) => name.value === wanted) ?? null;
}

/** Every workflow that a step of the file runs. */
export function runsInArguments(job: ArgumentJob, placeOf: PlaceOf): readonly PlacedRun[] {
  return job.workflows.flatMap(({ name: from, steps }) =>
    steps.flatMap(({ name, subWorkflow }) => {
      if (subWorkflow === null) return [];
      const { value: workflow, path } = subWorkflow.workflow;
      const target = { job: (subWorkflow.job ?? job.name).value, workflow };
      const at = placeOf(path, 'value');
      return [{ from: from.value, name: name.value, ...target, path, at, inputs: null }];
    }),
  );
}
