import type { Job, Step } from '../core/workflow.ts';
export type InstructionsFault = 'not found' | 'outside job directory' | 'not a regular file' | 'not UTF-8' | 'too large' | 'not readable';
export type Instructions = {
    readonly kind: 'text';
    readonly text: string;
} | {
    readonly kind: 'fault';
    readonly fault: InstructionsFault;
};
export declare const MOST_INSTRUCTION_BYTES: number;
/** The text that a step gives to the agent; throws `Refused` when it cannot be had. */
export declare function readInstructions(job: Job, step: Step): Promise<string>;
export declare function describeFault(fault: InstructionsFault, written: string): string;
export declare function openInstructions(dir: string, written: string): Promise<Instructions>;
