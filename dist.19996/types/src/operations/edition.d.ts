import type { Session } from '../core/session/state.ts';
import type { Job, Workflow } from '../core/workflow.ts';
import type { Library } from '../definitions/library.ts';
export interface Edition {
    readonly job: Job;
    readonly workflow: Workflow;
    readonly hash: string;
    readonly warnings: readonly string[];
}
export declare function editionOf(library: Library, session: Session): Promise<Edition>;
export declare function jobNotFound(name: string): import("../core/refusal.ts").Refusal;
export declare function jobBroken(name: string, problems: string): import("../core/refusal.ts").Refusal;
export declare function workflowNotFound(name: string, job: Job): import("../core/refusal.ts").Refusal;
