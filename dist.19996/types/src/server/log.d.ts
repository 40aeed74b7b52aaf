import type { StackItem } from '../sessions/stacks.ts';
export interface Log {
    call(tool: string, stack: readonly StackItem[], outcome: string, milliseconds: number): void;
    fault(tool: string, error: unknown): void;
}
export declare function stderrLog(): Log;
