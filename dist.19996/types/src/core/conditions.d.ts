import { type Variable } from './conditions-values.ts';
export { parseCondition } from './conditions-parse.ts';
export type Context = Readonly<Record<string, unknown>>;
export interface Condition {
    /** The JSON as written. */
    readonly source: Readonly<Record<string, unknown>>;
    readonly clauses: readonly Clause[];
    /** Every variable that any clause reads, once each, sorted by name. */
    readonly variables: readonly Variable[];
}
/** One demand of a condition; a list of clauses holds when each of them does. */
export type Clause = {
    readonly operator: 'truthy';
    readonly variable: Variable;
} | {
    readonly operator: 'equals' | 'not_equals';
    readonly variable: Variable;
    readonly operand: unknown;
} | {
    readonly operator: 'gt' | 'gte' | 'lt' | 'lte';
    readonly variable: Variable;
    readonly operand: number;
} | {
    readonly operator: 'and' | 'or';
    readonly members: readonly (readonly Clause[])[];
} | {
    readonly operator: 'not';
    readonly member: readonly Clause[];
};
export declare function holds(condition: Condition, context: Context): boolean;
export declare function variablesOf(condition: Condition): string[];
/** The variables that the condition reads and the context does not have, sorted. */
export declare function missingVariables(condition: Condition, context: Context): string[];
