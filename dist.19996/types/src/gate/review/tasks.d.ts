import type { Review } from '../../core/workflow.ts';
import type { GateMember } from '../request.ts';
export interface ReviewedFile {
    readonly path: string;
    readonly output: string;
    readonly hash: string;
}
export interface ReviewTask {
    readonly member: GateMember;
    readonly review: Review;
    /** The one file that is looked at, where there is one per task. */
    readonly targetFile: string | null;
    readonly files: readonly ReviewedFile[];
    /** Equal keys ask the same question about the same content. */
    readonly key: string;
}
export declare function reviewTasks(member: GateMember, reviewer: string): ReviewTask[];
/** Reviews that have something to look at: an optional output that was not given has not. */
export declare function applicableReviews(member: GateMember): readonly Review[];
/** How a task is called in progress, history and evidence. */
export declare function taskName({ review, targetFile }: ReviewTask): string;
export declare function keyOf(question: unknown): string;
