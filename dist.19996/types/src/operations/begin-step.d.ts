import { type Session } from '../core/session/state.ts';
import type { Edition } from './edition.ts';
export interface ExpectedOutput {
    readonly name: string;
    readonly type: 'file' | 'files';
    readonly description: string;
    readonly required: boolean;
    readonly syntax_for_finished_step_tool: string;
}
export interface StepReview {
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
}
export interface StepBriefing {
    readonly step_id: string;
    readonly step_inputs: readonly StepInput[];
    readonly step_expected_outputs: readonly ExpectedOutput[];
    readonly step_reviews: readonly StepReview[];
    readonly step_quality_criteria: readonly string[];
    readonly step_instructions: string;
}
export interface BeginStep extends StepBriefing {
    readonly session_id: string;
    readonly branch_name: string;
    readonly job_dir: string;
    readonly common_job_info: string;
    /** The other steps of a concurrent entry. */
    readonly concurrent_steps: readonly StepBriefing[];
}
/** Refused when the step or its instructions are gone. */
export declare function beginStep(session: Session, edition: Edition): Promise<BeginStep>;
