import type { Job } from '../core/workflow.ts';
import { type ContainedFile } from './contained-file.ts';
import { type Stamped } from './file-stamp.ts';
import { type Findings, type Position } from './finding.ts';
export type LoadedJob = {
    readonly kind: 'job';
    readonly job: Job;
    readonly warnings: string[];
} | {
    readonly kind: 'broken';
    readonly declaredName: string | null;
    readonly problems: string[];
};
/** All that is known of one `job.yml` after reading it. */
export interface JobFile {
    readonly dir: string;
    /** Null when there are problems. */
    readonly job: Job | null;
    readonly declaredName: string | null;
    readonly nameAt: Position;
    readonly problems: Findings;
    readonly warnings: Findings;
    /** The instruction files it depends on, as they were just before they were read. */
    readonly instructionFiles: readonly {
        readonly path: string;
        readonly stamped: Stamped;
    }[];
    /** False when a passing trouble such as a missing permission had a part in it. */
    readonly lasting: boolean;
}
export declare const JOB_FILE = "job.yml";
export declare function loadJob(dir: string): Promise<LoadedJob>;
export declare function describeJobFile(file: JobFile): LoadedJob;
/** A `job.yml` may be a link, but only to a place within its jobs folder. */
export declare function readJobBytes(dir: string): Promise<ContainedFile>;
export declare function parseJobFile(dir: string, file: ContainedFile): Promise<JobFile>;
