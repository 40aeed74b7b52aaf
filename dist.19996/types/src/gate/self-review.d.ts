import type { Step } from '../core/workflow.ts';
import type { MemberOutputs } from './outputs.ts';
export interface ReviewFile {
    readonly name: string;
    readonly text: string;
}
export declare function selfReviewFile(sessionId: string, step: Step, member: MemberOutputs, notes: string | null): ReviewFile;
/** What the agent is told to do with the file. */
export declare function selfReviewFeedback(file: string): string;
