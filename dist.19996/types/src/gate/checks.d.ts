import type { Evidence } from '../core/session/state.ts';
import type { Check } from '../core/workflow.ts';
import type { GateMember } from './request.ts';
export interface CheckRequest {
    readonly root: string;
    readonly member: GateMember;
    readonly signal: AbortSignal;
}
/** What a check is about: its command, and the files of the step it stands for. */
export declare function checkKey(member: GateMember, check: Check): string;
export declare function runCheck(request: CheckRequest, check: Check): Promise<Evidence>;
/** A check needs the tools of its user, not the keys of an agent. */
export declare function checkEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
