import type { Outputs } from '../core/session/state.ts';
import type { Submitted } from '../core/session/submission.ts';
/** Outputs of one member whose files were found; paths are relative to the root. */
export interface MemberOutputs {
    readonly outputs: Outputs;
    /** sha256 by path: what exactly was handed in. */
    readonly files: Readonly<Record<string, string>>;
}
export type Inspection = {
    readonly kind: 'found';
    readonly member: MemberOutputs;
} | {
    readonly kind: 'problems';
    readonly problems: readonly string[];
};
export declare function inspectOutputs(root: string, submitted: Submitted): Promise<Inspection>;
