import { Server } from '@modelcontextprotocol/server';
import type { Owner } from '../core/session/state.ts';
import type { Workspace } from '../operations/workspace.ts';
import type { Log } from './log.ts';
export interface McpOptions {
    readonly workspace: Workspace;
    readonly owner: Owner;
    readonly log: Log;
    /** Told of each call, so that a stop can wait for what runs. */
    readonly running?: (call: Promise<unknown>) => void;
}
export declare function createMcpServer({ workspace, owner, log, running }: McpOptions): Server;
