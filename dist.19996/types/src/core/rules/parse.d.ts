import type { Criteria, CriteriaProblem } from './model.ts';
export declare function parseCriteria(value: unknown): Promise<{
    criteria: Criteria | null;
    problems: CriteriaProblem[];
}>;
