import type { Condition } from './conditions.ts';
import type { Problem } from './problem.ts';
export declare function parseCondition(value: unknown): {
    condition: Condition | null;
    problems: Problem[];
};
