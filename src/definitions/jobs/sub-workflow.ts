// A step with `sub_workflow` in a job with `step_arguments`: what it takes, and what is left to do
// in it once the other workflow is complete. What a workflow of the same file makes was judged
// there, by the same arguments; what one of another job makes is handed in here, and judged here.

import type { ArgumentJob, ArgumentStep, ArgumentWorkflow } from './argument-style.ts';
import type { WrittenRun } from './parsed-job.ts';

/** By name, and whether it cannot do without. */
type Names = ReadonlyMap<string, boolean>;

export interface SubWorkflows {
  /** What a workflow has to be given: what its steps take and no step before them makes. */
  needed(workflow: ArgumentWorkflow): Names;
  /** What a step takes; one that runs another workflow, also what that cannot do without. */
  taken(step: ArgumentStep): Names;
  /** Whether outputs are to be handed in, or work is to be judged, after the other workflow. */
  isHandedIn(step: ArgumentStep): boolean;
}

export function openSubWorkflows(job: ArgumentJob): SubWorkflows {
  const known = new Map<ArgumentWorkflow, Map<string, boolean>>();

  function needed(workflow: ArgumentWorkflow): Names {
    const before = known.get(workflow);
    if (before !== undefined) return before;
    const needs = new Map<string, boolean>();
    // Set before its steps are looked at: a workflow that runs itself needs nothing more.
    known.set(workflow, needs);
    const made = new Set<string>();
    for (const step of workflow.steps) {
      for (const [name, required] of taken(step)) {
        if (!made.has(name)) needs.set(name, required || (needs.get(name) ?? false));
      }
      for (const { name } of step.outputs) made.add(name.value);
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

  function isHandedIn(step: ArgumentStep): boolean {
    const { subWorkflow, outputs, requirements } = step;
    if (subWorkflow === null) return true;
    if (outputs.length === 0 && requirements.length === 0) return false;
    const sub = workflowInFile(step, job);
    if (sub === null || requirements.length > 0) return true;
    const made = new Map<string, boolean>();
    for (const use of sub.steps.flatMap((each) => each.outputs)) {
      made.set(use.name.value, use.required || (made.get(use.name.value) ?? false));
    }
    return outputs.some(({ name, required, review }) => {
      const isSure = made.get(name.value);
      return review !== null || isSure === undefined || (required && !isSure);
    });
  }

  return { needed, taken, isHandedIn };
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
export function runsInArguments(job: ArgumentJob): readonly WrittenRun[] {
  return job.workflows.flatMap(({ name: from, steps }) =>
    steps.flatMap(({ name, subWorkflow }) => {
      if (subWorkflow === null) return [];
      const { workflow } = subWorkflow;
      const target = { job: (subWorkflow.job ?? job.name).value, workflow: workflow.value };
      return [{ from: from.value, name: name.value, ...target, path: workflow.path }];
    }),
  );
}
