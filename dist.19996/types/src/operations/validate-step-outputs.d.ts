export declare const validateStepOutputs: import("./operation.ts").Operation<{
    outputs: unknown[] | Record<string, unknown>;
    session_id?: string | null | undefined;
    step_id?: string | null | undefined;
}, {
    valid: boolean;
    problems: string[];
    not_run: string[];
}>;
