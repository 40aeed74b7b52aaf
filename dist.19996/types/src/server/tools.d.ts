import { type Refusal } from '../core/refusal.ts';
import { type CallContext, type Operation } from '../operations/operation.ts';
import type { Log } from './log.ts';
export interface ListedTool {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: {
        readonly type: 'object';
        readonly [key: string]: unknown;
    };
    readonly outputSchema: {
        readonly type: 'object';
        readonly [key: string]: unknown;
    };
    readonly annotations?: {
        readonly readOnlyHint: true;
    };
}
export interface ToolResult {
    readonly [key: string]: unknown;
    readonly content: {
        readonly type: 'text';
        readonly text: string;
    }[];
    readonly structuredContent: Record<string, unknown>;
    readonly isError?: true;
}
export declare function listTools(): ListedTool[];
export declare function callTool(operation: Operation, given: unknown, context: CallContext, log: Log): Promise<ToolResult>;
export declare function errorResult({ code, message, next }: Refusal): ToolResult;
