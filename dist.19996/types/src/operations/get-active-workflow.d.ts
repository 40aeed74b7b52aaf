import type { Session } from '../core/session/state.ts';
import { type BeginStep } from './begin-step.ts';
interface CompletedStep {
    readonly step_id: string;
    readonly completed_at: string | null;
    readonly outputs: Session['progress'][string]['outputs'];
    readonly notes: string | null;
}
export declare const getActiveWorkflow: import("./operation.ts").Operation<{
    session_id?: string | null | undefined;
}, {
    orphans: readonly import("../sessions/stacks.ts").Orphan[];
    active: boolean;
    session_id: string | null;
    goal: string | null;
    begin_step: BeginStep | null;
    completed_steps: CompletedStep[];
    last_feedback: string | null;
    truncated: boolean;
}>;
export {};
