import type { StepDraft } from './draft.ts';
import type { Located } from './read-fields.ts';
export interface Cycle {
    readonly step: StepDraft;
    /** The dependency by which the step gets back to itself. */
    readonly through: Located;
}
export declare function findCycles(byId: ReadonlyMap<string, StepDraft>): Cycle[];
