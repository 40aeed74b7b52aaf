// Makes the model that the rest of deepwork runs from a draft in which every check has
// passed. Nothing is decided here.

import type { Criteria } from '../../core/rules.ts';
import type { Input, Job, Step, Workflow } from '../../core/workflow.ts';
import { makeEntry } from './entry-model.ts';
import type {
  ParsedInput,
  ParsedJob,
  ParsedOutput,
  ParsedStep,
  ParsedUntilRules,
} from './parsed-job.ts';

/** The compiled rules of the outputs and loops that have some. */
export type CompiledRules = ReadonlyMap<ParsedOutput | ParsedUntilRules, Criteria>;

export interface JobOrigin {
  readonly dir: string;
  readonly hash: string;
}

export function makeJob(draft: ParsedJob, rules: CompiledRules, { dir, hash }: JobOrigin): Job {
  const steps = (draft.steps ?? []).map((step) => makeStep(step, rules));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const workflows = (draft.workflows ?? []).map(
    (workflow): Workflow => ({
      name: workflow.name.value,
      summary: workflow.summary,
      entries: workflow.entries.map((entry) => makeEntry(entry, byId, rules)),
      ...(workflow.inputs !== null && { inputs: workflow.inputs }),
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

function makeStep(draft: ParsedStep, rules: CompiledRules): Step {
  return {
    id: draft.id.value,
    name: draft.name,
    description: draft.description,
    instructions: { kind: 'file', file: draft.instructionsFile.value },
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
    ...(draft.reports !== null && { reports: draft.reports }),
    when: draft.when,
  };
}

function makeInput(draft: ParsedInput): Input {
  if (draft.kind === 'asked') {
    return { kind: 'asked', name: draft.name, description: draft.description };
  }
  return { kind: 'file', file: draft.file.value, fromStep: draft.fromStep.value };
}
