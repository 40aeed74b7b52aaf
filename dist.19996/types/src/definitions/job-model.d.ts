import type { Criteria } from '../core/rules.ts';
import type { Job } from '../core/workflow.ts';
import type { JobDraft, OutputDraft } from './draft.ts';
/** The compiled rules of the outputs that have some. */
export type CompiledRules = ReadonlyMap<OutputDraft, Criteria>;
export interface Edition {
    readonly dir: string;
    readonly hash: string;
}
export declare function makeJob(draft: JobDraft, rules: CompiledRules, { dir, hash }: Edition): Job;
