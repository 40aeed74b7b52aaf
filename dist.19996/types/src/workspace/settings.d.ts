import type { BranchMode } from './branch.ts';
import type { Config } from './config.ts';
export type Reviewer = {
    readonly kind: 'off';
} | {
    readonly kind: 'self';
} | {
    readonly kind: 'claude';
} | {
    readonly kind: 'command';
    readonly command: string;
};
export interface Settings {
    readonly reviewer: Reviewer;
    readonly timeoutSeconds: number;
    readonly maxAttempts: number;
    readonly maxParallel: number;
    /** How long one call may keep its client waiting. */
    readonly answerWithinSeconds: number;
    readonly branch: BranchMode;
}
/** Options given to `createServer` or as flags; undefined means not given. */
export interface Overrides {
    readonly enableQualityGate?: boolean | undefined;
    readonly agentReviewCommand?: string | null | undefined;
    readonly externalRunner?: 'claude' | null | undefined;
    readonly qualityGateTimeout?: number | undefined;
    readonly qualityGateMaxAttempts?: number | undefined;
    readonly maxParallelReviews?: number | undefined;
    readonly gitBranch?: BranchMode | undefined;
}
export declare function settle(given: Overrides, config: Config): Settings;
