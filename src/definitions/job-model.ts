// Makes the model that the rest of deepwork runs from a draft in which every check has
// passed. Nothing is decided here.

import type { Criteria } from '../core/rules.ts';
import type { Entry, Input, Job, Step, Workflow } from '../core/workflow.ts';
import type { InputDraft, JobDraft, OutputDraft, StepDraft } from './draft.ts';

/** The compiled rules of the outputs that have some. */
export type CompiledRules = ReadonlyMap<OutputDraft, Criteria>;

export interface Edition {
  readonly dir: string;
  readonly hash: string;
}

export function makeJob(draft: JobDraft, rules: CompiledRules, { dir, hash }: Edition): Job {
  const steps = (draft.steps ?? []).map((step) => makeStep(step, rules));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const workflows = (draft.workflows ?? []).map(
    (workflow): Workflow => ({
      name: workflow.name.value,
      summary: workflow.summary,
      entries: workflow.entries.map(
        (ids): Entry => ids.flatMap(({ value }) => byId.get(value) ?? []),
      ),
    }),
  );
  return {
    name: draft.name.value,
    version: draft.version.value,
    summary: draft.summary.value,
    description: draft.description,
    commonInfo: draft.commonInfo,
    dir,
    hash,
    steps,
    workflows,
  };
}

function makeStep(draft: StepDraft, rules: CompiledRules): Step {
  return {
    id: draft.id.value,
    name: draft.name,
    description: draft.description,
    instructionsFile: draft.instructionsFile.value,
    inputs: draft.inputs.map(makeInput),
    outputs: (draft.outputs ?? []).map((output) => ({
      name: output.name.value,
      type: output.type,
      description: output.description,
      required: output.required,
      rules: rules.get(output) ?? null,
      lint: output.lint,
    })),
    reviews: draft.reviews.map(({ runEach, criteria, guidance }) => ({
      runEach: runEach.value,
      criteria,
      guidance,
    })),
    checks: draft.checks.map(({ name, run, timeoutSeconds }) => ({
      name: name.value,
      run,
      timeoutSeconds,
    })),
    when: draft.when,
  };
}

function makeInput(draft: InputDraft): Input {
  if (draft.kind === 'asked') {
    return { kind: 'asked', name: draft.name, description: draft.description };
  }
  return { kind: 'file', file: draft.file.value, fromStep: draft.fromStep.value };
}
