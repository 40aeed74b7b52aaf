export declare const getWorkflows: import("./operation.ts").Operation<Record<string, never>, {
    jobs: {
        name: string;
        summary: string;
        description: string | null;
        workflows: {
            name: string;
            summary: string;
        }[];
    }[];
    errors: {
        job_name: string;
        job_dir: string;
        error: string;
    }[];
    warnings: {
        job_name: string;
        job_dir: string;
        warning: string;
    }[];
}>;
