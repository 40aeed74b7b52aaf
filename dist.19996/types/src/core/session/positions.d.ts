import type { Step, Workflow } from '../workflow.ts';
import { type Context, type Position, type Session } from './state.ts';
export interface Arrival {
    /** Null when no entry is left: the workflow is complete. */
    readonly position: Position | null;
    /** Every step passed over on the way because its `when` was false. */
    readonly skipped: readonly string[];
}
/** The first entry from `index` on that has a member to do. */
export declare function arrive(workflow: Workflow, index: number, context: Context, visit: number): Arrival;
/** The entry at which a session stands, as the definition is written now. */
export interface Standing {
    readonly entryIndex: number;
    /** Members to be done in this visit, in file order. */
    readonly members: readonly Step[];
}
/**
 * Finds the session's entry in the definition. Members that the edit removed are
 * dropped; members that it added join if their `when` holds. Null: the step is gone.
 */
export declare function standing(session: Session, workflow: Workflow): Standing | null;
export declare function entryIndexOf(workflow: Workflow, stepId: string): number;
export declare function stepIdsOf(workflow: Workflow): string[];
