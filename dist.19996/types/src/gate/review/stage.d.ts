import type { Evidence, FailedMember } from '../../core/session/state.ts';
import type { GateMember, GateRequest } from '../request.ts';
import { type FailedReview } from '../verdict.ts';
import { type Reviewer } from './reviewer.ts';
export interface Reviewed {
    readonly passed: readonly GateMember[];
    readonly failed: readonly FailedMember[];
    readonly failedReviews: readonly FailedReview[];
    readonly evidence: readonly Evidence[];
    /** Members without a verdict, and why there is none. */
    readonly voided: readonly string[];
    readonly faults: readonly string[];
}
export declare function reviewMembers(request: GateRequest, reviewer: Reviewer, members: readonly GateMember[]): Promise<Reviewed>;
