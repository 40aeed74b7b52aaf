export type BranchMode = 'create' | 'checkout' | 'off';
/** `deepwork/<job>-<workflow>-<instance or date>`, made legal as a git ref. */
export declare function branchName(jobName: string, workflowName: string, instanceId: string | null, at: string): string;
/** Makes the ref at HEAD (or switches to it); answers with a warning if it could not. */
export declare function prepareBranch(root: string, name: string, mode: BranchMode): Promise<string | null>;
