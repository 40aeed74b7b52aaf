export declare const startWorkflow: import("./operation.ts").Operation<{
    goal: string;
    job_name: string;
    workflow_name: string;
    instance_id?: string | null | undefined;
    context?: Record<string, unknown> | null | undefined;
}, {
    begin_step: import("./begin-step.ts").BeginStep;
    warnings: string[];
}>;
