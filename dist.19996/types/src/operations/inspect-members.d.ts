import { type Submitted } from '../core/session/submission.ts';
import type { Step } from '../core/workflow.ts';
import type { GateMember } from '../gate/request.ts';
export interface Heard {
    readonly members: readonly Step[];
    readonly submitted: readonly Submitted[];
}
/** Members with their files, or every problem with them. */
export declare function lookAtMembers(root: string, { members, submitted }: Heard): Promise<{
    members: GateMember[];
    problems: string[];
}>;
/** The same, where a problem is an error of the call. */
export declare function inspectMembers(root: string, heard: Heard): Promise<GateMember[]>;
