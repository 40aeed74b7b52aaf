import type { Problem } from './problem.ts';
/** As many as an answer to a caller may carry; more would help nobody. */
export declare const MOST_PROBLEMS = 100;
export declare function report<P extends Problem>(problems: P[], problem: P): void;
export declare function quote(text: string): string;
/** The JSON word for what a value is. */
export declare function kindOf(value: unknown): string;
export declare function isRecord(value: unknown): value is Readonly<Record<string, unknown>>;
