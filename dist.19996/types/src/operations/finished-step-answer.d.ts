import type { Session } from '../core/session/state.ts';
import { allOutputs } from '../core/session/view.ts';
import type { CriterionResult, FailedReview } from '../gate/verdict.ts';
import { type BeginStep } from './begin-step.ts';
import type { Edition } from './edition.ts';
export interface FinishedStepAnswer {
    readonly status: 'needs_work' | 'next_step' | 'workflow_complete';
    readonly feedback: string | null;
    readonly failed_reviews: readonly FailedReview[] | null;
    readonly failed_criteria: readonly CriterionResult[] | null;
    readonly begin_step: BeginStep | null;
    readonly summary: string | null;
    readonly all_outputs: ReturnType<typeof allOutputs> | null;
    readonly warnings: readonly string[];
}
export interface Outcome {
    readonly session: Session;
    /** Null when the session is over: there is no step to begin. */
    readonly edition: Edition | null;
    readonly visit: number;
    readonly failedReviews?: readonly FailedReview[];
    readonly failedCriteria?: readonly CriterionResult[];
}
export declare function answerFor(outcome: Outcome): Promise<FinishedStepAnswer>;
export declare function needsWork(feedback: string, more?: Partial<FinishedStepAnswer>): FinishedStepAnswer;
