import type { Refusal } from '../refusal.ts';
import type { Step, Workflow } from '../workflow.ts';
import { type AcceptedMember, type Context, type Decision, type Evidence, type FailedMember, type Json, type Owner, type Session } from './state.ts';
import { type Submitted } from './submission.ts';
/** A definition as it was read for this command. */
export interface Edition {
    readonly workflow: Workflow;
    readonly hash: string;
}
export interface StartCommand {
    readonly at: string;
    readonly id: string;
    readonly owner: Owner;
    readonly parentId: string | null;
    readonly jobName: string;
    readonly jobDir: string;
    readonly goal: string;
    readonly instanceId: string | null;
    readonly context: Context;
    readonly branchName: string;
    readonly edition: Edition;
}
export declare function decideStart(command: StartCommand): Decision;
/** A `finished_step` call as it arrived. */
export interface Call {
    readonly outputs: Json;
    readonly notes: string | null;
    readonly stepId: string | null;
}
export type Hearing = {
    readonly kind: 'run';
    readonly visit: number;
    readonly members: readonly Step[];
    readonly submitted: readonly Submitted[];
} | {
    readonly kind: 'repeat';
} | {
    readonly kind: 'refused';
    readonly refusal: Refusal;
};
/** Understands a call before any work is done for it: what it submits, or why not. */
export declare function hear(session: Session, workflow: Workflow, call: Call): Hearing;
export interface ReviewCommand {
    readonly at: string;
    readonly by: Owner;
    readonly visit: number;
    readonly review: string;
    readonly stepIds: readonly string[];
}
export declare function decideReview(session: Session, command: ReviewCommand): Decision;
export interface SettleCommand {
    readonly at: string;
    readonly by: Owner;
    /** The visit that the call was bound to on arrival. */
    readonly visit: number;
    readonly call: Call;
    readonly context: Context;
    readonly accepted: readonly AcceptedMember[];
    readonly failed: readonly FailedMember[];
    readonly evidence: readonly Evidence[];
    readonly voided: readonly string[];
    /** Why reviews came to no verdict. */
    readonly faults: readonly string[];
    readonly edition: Edition;
}
export declare function decideSettle(session: Session, command: SettleCommand): Decision;
export interface GoBackCommand {
    readonly at: string;
    readonly by: Owner;
    readonly stepId: string;
    readonly edition: Edition;
}
export declare function decideGoBack(session: Session, command: GoBackCommand): Decision;
export declare function decideAdopt(session: Session, command: {
    at: string;
    owner: Owner;
}): Decision;
export declare function decideAbort(session: Session, command: {
    at: string;
    by: Owner;
    explanation: string;
}): Decision;
/** The call that was accepted last, once more. */
export declare function isRepeat(session: Session, call: Call): boolean;
