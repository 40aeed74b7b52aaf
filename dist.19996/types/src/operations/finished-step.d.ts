import { type FinishedStepAnswer } from './finished-step-answer.ts';
export declare const finishedStep: import("./operation.ts").Operation<{
    outputs: unknown[] | Record<string, unknown>;
    notes?: string | null | undefined;
    quality_review_override_reason?: string | null | undefined;
    session_id?: string | null | undefined;
    step_id?: string | null | undefined;
    context?: Record<string, unknown> | null | undefined;
}, FinishedStepAnswer>;
