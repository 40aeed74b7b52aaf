import type { Condition, Context } from './conditions.ts';
import type { Criteria } from './rules/model.ts';
export type { Criteria, CriteriaProblem, Failure, Verdict } from './rules/model.ts';
export { parseCriteria } from './rules/parse.ts';
export { validateText } from './rules/validate.ts';
/** The messages of the rules that apply under a context, in file order. */
export declare function applicableMessages(criteria: Criteria, context: Context): string[];
/** The conditions of all rules, in file order: what the criteria want to know of a context. */
export declare function conditionsOf(criteria: Criteria): Condition[];
