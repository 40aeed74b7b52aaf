import type { Job } from '../core/workflow.ts';
export interface Library {
    list(): Promise<JobListing>;
    find(name: string): Promise<FoundJob>;
    /** The job in a directory, given as an absolute path: that of a running session. */
    at(dir: string): Promise<FoundJob>;
    /** How many files have been parsed so far. */
    readonly parsed: number;
}
export interface JobListing {
    readonly jobs: Job[];
    readonly errors: {
        job_name: string;
        job_dir: string;
        error: string;
    }[];
    readonly warnings: {
        job_name: string;
        job_dir: string;
        warning: string;
    }[];
}
export type FoundJob = {
    readonly kind: 'job';
    readonly job: Job;
    readonly warnings: string[];
} | {
    readonly kind: 'broken';
    readonly jobName: string;
    readonly problems: string;
} | {
    readonly kind: 'missing';
};
export declare function openLibrary(options: {
    folders: () => readonly string[];
}): Library;
