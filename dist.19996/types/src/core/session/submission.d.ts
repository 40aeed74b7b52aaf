import { type Refusal } from '../refusal.ts';
import type { Output, Step } from '../workflow.ts';
import type { Json } from './state.ts';
/** One output as a caller names it: bare, or `step.name` where members share a name. */
export interface ShownOutput {
    readonly shown: string;
    readonly step: Step;
    readonly output: Output;
    readonly shared: boolean;
}
export interface Submitted {
    readonly step: Step;
    /** By the output's own name; values not yet checked. Null values are left out. */
    readonly outputs: ReadonlyMap<string, unknown>;
}
export type Assignment = {
    readonly kind: 'members';
    readonly submitted: readonly Submitted[];
} | {
    readonly kind: 'refused';
    readonly refusal: Refusal;
};
export declare function shownOutputs(members: readonly Step[]): ShownOutput[];
/** Sorts the outputs of a call to the members that declare them. */
export declare function assignOutputs(members: readonly Step[], done: (stepId: string) => boolean, sent: Json, stepId: string | null): Assignment;
/** What an answer tells a caller who got outputs wrong. */
export declare function describeOutputs(shown: readonly ShownOutput[]): string;
