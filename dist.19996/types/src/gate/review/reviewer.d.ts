import type { Review } from '../../core/workflow.ts';
import { type ReviewAnswer } from './answer.ts';
export type Reviewer = {
    readonly kind: 'claude';
} | {
    readonly kind: 'command';
    readonly command: string;
};
export interface ReviewRequest {
    readonly root: string;
    readonly review: Review;
    readonly payload: string;
    readonly baseSeconds: number;
    readonly signal: AbortSignal;
}
/** `fault`: the reviewer said nothing that counts, for a reason that is told. */
export type ReviewOutcome = {
    readonly kind: 'verdict';
    readonly answer: ReviewAnswer;
    readonly milliseconds: number;
} | {
    readonly kind: 'fault';
    readonly reason: string;
};
export declare function runReview(reviewer: Reviewer, request: ReviewRequest): Promise<ReviewOutcome>;
/** Large submissions get more time, the configured base at least. */
export declare function timeoutSeconds(base: number, bytes: number): number;
export declare function reviewInstructions(review: Review): string;
