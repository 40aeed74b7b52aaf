export declare const goToStep: import("./operation.ts").Operation<{
    step_id: string;
    session_id?: string | null | undefined;
}, {
    begin_step: import("./begin-step.ts").BeginStep;
    invalidated_steps: readonly string[];
}>;
