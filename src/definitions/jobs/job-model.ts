// Builds the common model from a parsed job after all checks have passed.

import type { Criteria } from '../../core/rules.ts';
import type { Input, Job, Step, Workflow } from '../../core/workflow.ts';
import type { EntryParts, ParsedUntilRules } from './entries/parsed-entry.ts';
import type { ParsedJob } from './parsed-job.ts';
import type { ParsedInput, ParsedOutput, ParsedStep } from './parsed-step.ts';

/** The compiled rules, of the outputs and loops that have some. */
export type CompiledRules = ReadonlyMap<ParsedOutput | ParsedUntilRules, Criteria>;

export interface JobOrigin {
  readonly dir: string;
  readonly hash: string;
}

export function makeJob(parsed: ParsedJob, rules: CompiledRules, { dir, hash }: JobOrigin): Job {
  const steps = (parsed.steps ?? []).map((step) => makeStep(step, rules));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const parts: EntryParts = { step: (id) => byId.get(id), rules: (until) => rules.get(until) };
  const workflows = (parsed.workflows ?? []).map(
    (workflow): Workflow => ({
      name: workflow.name.value,
      summary: workflow.summary,
      entries: workflow.entries.map((entry) => entry.make(parts)),
      ...(workflow.inputs !== null && { inputs: workflow.inputs }),
    }),
  );
  return {
    name: parsed.name.value,
    version: parsed.version.value,
    summary: parsed.summary.value,
    description: parsed.description,
    commonInfo: parsed.commonInfo,
    dir,
    hash,
    steps,
    workflows,
  };
}

function makeStep(parsed: ParsedStep, rules: CompiledRules): Step {
  return {
    id: parsed.id.value,
    name: parsed.name,
    description: parsed.description,
    instructions: { kind: 'file', file: parsed.instructionsFile.value },
    inputs: parsed.inputs.map(makeInput),
    outputs: (parsed.outputs ?? []).map((output) => ({
      name: output.name.value,
      type: output.type,
      description: output.description,
      required: output.required,
      rules: rules.get(output) ?? null,
      lint: output.lint,
    })),
    reviews: parsed.reviews.map(({ runEach, criteria, guidance }) => ({
      runEach: runEach.value,
      criteria,
      guidance,
    })),
    checks: parsed.checks.map(({ name, run, timeoutSeconds }) => ({
      name: name.value,
      run,
      timeoutSeconds,
    })),
    ...(parsed.reports !== null && { reports: parsed.reports }),
    when: parsed.when,
  };
}

function makeInput(parsed: ParsedInput): Input {
  if (parsed.kind === 'asked') {
    return { kind: 'asked', name: parsed.name, description: parsed.description };
  }
  return { kind: 'file', file: parsed.file.value, fromStep: parsed.fromStep.value };
}
