// What the job tools answer, as agents read it. Types only, so that every module may import them.

import type { Reason } from '../core/session/reasons.ts';
import type { ListedVariable, VariableValue, VariableValues } from '../core/variables.ts';
import type { CriterionResult } from '../gate/criterion-result.ts';
import type { FailedReview } from '../gate/verdict.ts';

interface ExpectedOutput {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  readonly syntax_for_finished_step_tool: string;
  /**
   * The messages of its rules, unless `step_quality_criteria` has them. They describe a text that
   * fails ("There is no section …"), so they must not look like requirements.
   */
  readonly refused_with?: readonly string[];
}

interface StepReview {
  readonly run_each: string;
  readonly quality_criteria: Readonly<Record<string, string>>;
  readonly additional_review_guidance: string | null;
}

export interface StepInput {
  readonly name: string;
  readonly description: string | null;
  readonly from_step: string | null;
  /** The file or files that the earlier step handed in; null if there are none (yet). */
  readonly path: string | readonly string[] | null;
  /** The given or reported value, if it is not a file; null if there is none. */
  readonly value?: VariableValue | null;
}

export interface StepBriefing {
  readonly step_id: string;
  readonly step_inputs: readonly StepInput[];
  readonly step_expected_outputs: readonly ExpectedOutput[];
  /** What to report in `context` of finished_step; left out if there is nothing. */
  readonly step_reports?: readonly ListedVariable[];
  readonly step_reviews: readonly StepReview[];
  readonly step_quality_criteria: readonly string[];
  /** The commands that the server runs on the outputs, by name; left out if there are none. */
  readonly step_checks?: readonly string[];
  readonly step_instructions: string;
  /** How to submit a member of a concurrent entry that has no required outputs. */
  readonly step_submission?: string;
  /** The current item of a `for_each`; left out elsewhere. */
  readonly item?: { readonly index: number; readonly of: number; readonly value: unknown };
  /** Left out if the format of the definition has no such key. */
  readonly requires_confirmation?: boolean;
  readonly model_hint?: string | null;
}

/** The innermost loop around a step. */
export interface LoopBriefing {
  readonly name: string;
  /** Counts from 1, and may exceed `max`. */
  readonly pass: number;
  readonly max: number;
  /** Why there is one more pass; null in the first. */
  readonly said: string | null;
}

export interface BeginStep extends StepBriefing {
  readonly session_id: string;
  readonly branch_name: string;
  readonly job_dir: string;
  readonly common_job_info: string;
  /** What the run was started with; left out if its workflow declares no inputs. */
  readonly inputs?: VariableValues;
  /** The other steps of a concurrent entry, or the next items of a `for_each`. */
  readonly concurrent_steps: readonly StepBriefing[];
  /** Null outside loops; left out if the workflow has none. */
  readonly loop?: LoopBriefing | null;
}

export interface FinishedStepAnswer {
  readonly status: 'needs_work' | 'next_step' | 'workflow_complete';
  /** What the caller has to do, in one word; null unless `needs_work`. */
  readonly reason: Reason | null;
  readonly feedback: string | null;
  readonly failed_reviews: readonly FailedReview[] | null;
  readonly failed_criteria: readonly CriterionResult[] | null;
  readonly begin_step: BeginStep | null;
  readonly summary: string | null;
  readonly all_outputs: Readonly<Record<string, string | readonly string[]>> | null;
  readonly warnings: readonly string[];
}
