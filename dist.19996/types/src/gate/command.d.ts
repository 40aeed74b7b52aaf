export interface CommandRequest {
    /** Program and arguments; `shell` runs the first one as a shell command line. */
    readonly argv: readonly [string, ...string[]];
    readonly shell?: boolean;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly input?: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly output: {
        readonly keep: 'all';
        readonly limit: number;
    } | {
        readonly keep: 'tail';
        readonly limit: number;
    };
}
export type CommandResult = {
    readonly milliseconds: number;
} & ({
    readonly kind: 'exited';
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
} | {
    readonly kind: 'timed_out';
    readonly stdout: string;
    readonly stderr: string;
} | {
    readonly kind: 'too_much_output';
} | {
    readonly kind: 'not_found';
} | {
    readonly kind: 'failed';
    readonly reason: string;
});
export declare class Cancelled extends Error {
    readonly name = "Cancelled";
}
/** For a server that stops: nothing of ours may outlive it. */
export declare function killAllCommands(): void;
export declare function runCommand(request: CommandRequest): Promise<CommandResult>;
