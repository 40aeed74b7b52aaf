export interface ServerOptions {
    /** The project that the server works in; made absolute. */
    readonly projectRoot: string;
    /** False: reviews are not asked for. Rules still hold. */
    readonly enableQualityGate?: boolean;
    /** Seconds that one review may take, before it grows with the size of the files. */
    readonly qualityGateTimeout?: number;
    readonly qualityGateMaxAttempts?: number;
    /** `claude`: reviews by the Claude CLI. Null: self-review. */
    readonly externalRunner?: 'claude' | null;
    /** Reviews by any command. */
    readonly agentReviewCommand?: string | null;
    readonly maxParallelReviews?: number;
    readonly gitBranch?: 'create' | 'checkout' | 'off';
    /** Where bundled jobs are; null for none. */
    readonly standardJobsDir?: string | null;
}
/** The part of an MCP server that its user needs. */
export interface DeepworkServer {
    connect(transport: unknown): Promise<void>;
    close(): Promise<void>;
}
export declare function createServer(options: ServerOptions): DeepworkServer;
export { createServer as create_server };
