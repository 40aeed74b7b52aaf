// Workflows for the simulation: plain data, small enough to be printed in a failing history and
// read by the reference model without any of the product's code. `toWorkflow` converts one for the
// decider.

import { parseCondition } from '../../src/core/conditions-parse.ts';
import type { Step, Workflow } from '../../src/core/workflow.ts';

export interface PlainOutput {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly required: boolean;
}

/** Conditions simple enough to judge at a glance. */
export type PlainCondition =
  | { readonly var: string }
  | { readonly var: string; readonly equals: string }
  | { readonly var: string; readonly gte: number }
  | { readonly not: PlainCondition };

export interface PlainStep {
  readonly id: string;
  readonly outputs: readonly PlainOutput[];
  readonly when: PlainCondition | null;
  readonly reviewed: boolean;
}

/** A job with one workflow, in one of its versions. */
export interface PlainJob {
  readonly name: string;
  readonly workflow: string;
  /** In place of the content hash. */
  readonly inUse: string;
  readonly entries: readonly (readonly PlainStep[])[];
}

const made = new WeakMap<PlainJob, Workflow>();

export function toWorkflow(job: PlainJob): Workflow {
  const before = made.get(job);
  if (before !== undefined) return before;
  const workflow: Workflow = {
    name: job.workflow,
    summary: `What ${job.workflow} is for`,
    entries: job.entries.map((entry) => ({ kind: 'steps', steps: entry.map(toStep) })),
  };
  made.set(job, workflow);
  return workflow;
}

export function toStep(step: PlainStep): Step {
  return {
    id: step.id,
    name: step.id,
    description: `What ${step.id} is for`,
    instructions: { kind: 'file', file: `steps/${step.id}.md` },
    inputs: [],
    outputs: step.outputs.map((output) => ({ ...output, description: 'A file', rules: null })),
    reviews: step.reviewed
      ? [{ runEach: 'step', criteria: [{ name: 'good', text: 'Is it good?' }], guidance: null }]
      : [],
    checks: [],
    when: step.when === null ? null : toCondition(step.when),
  };
}

function toCondition(condition: PlainCondition) {
  const { condition: parsed, problems } = parseCondition(condition);
  if (parsed === null) throw new Error(`not a condition: ${JSON.stringify(problems)}`);
  return parsed;
}

/**
 * A step in a few words, for tests that are written by hand: `plainStep('a', 'x!', 'y*')`
 * declares x as a required file (`!`) and y as optional files (`*`); `z*!` is both.
 */
export function plainStep(id: string, ...outputs: string[]): PlainStep {
  return {
    id,
    outputs: outputs.map((text) => ({
      name: text.replace(/[!*]+$/, ''),
      type: /\*!?$/.test(text) ? 'files' : 'file',
      required: text.endsWith('!'),
    })),
    when: null,
    reviewed: false,
  };
}

export function plainJob(...entries: (PlainStep | readonly PlainStep[])[]): PlainJob {
  return {
    name: 'job',
    workflow: 'flow',
    inUse: 'edition-1',
    entries: entries.map((entry) => ('id' in entry ? [entry] : entry)),
  };
}
