import type { BranchMode } from './branch.ts';
export interface Config {
    readonly agentReviewCommand: string | null;
    readonly timeoutSeconds: number | null;
    readonly maxAttempts: number | null;
    readonly maxParallel: number | null;
    readonly answerWithinSeconds: number | null;
    readonly branch: BranchMode | null;
}
/** Gives the configuration as it is on disk at each call. */
export declare function openConfig(file: string): () => Promise<Config>;
export declare function parseConfig(text: string): Promise<Config>;
