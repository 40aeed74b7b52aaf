export declare const abortWorkflow: import("./operation.ts").Operation<{
    explanation: string;
    session_id?: string | null | undefined;
}, {
    aborted_workflow: string;
    aborted_step: string;
    explanation: string;
    resumed_workflow: string | null;
    resumed_step: string | null;
}>;
