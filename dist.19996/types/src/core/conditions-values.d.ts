/** A variable's name, and the keys to walk when the context has no such key itself. */
export interface Variable {
    readonly name: string;
    readonly segments: readonly string[];
}
export declare function nameVariable(name: string): Variable;
/** The variable's value; undefined when the context does not have it. */
export declare function readVariable(variable: Variable, context: Readonly<Record<string, unknown>>): unknown;
/** Strict equality, by structure for objects and arrays. Ends if one side is a finite tree. */
export declare function sameValue(one: unknown, other: unknown): boolean;
/**
 * Whether a value is JSON of at most `most` values, each counted as often as it is
 * reached. That refuses cycles, and the shared branches by which a few YAML aliases
 * stand for a billion values.
 */
export declare function isJsonWithin(value: unknown, most: number): boolean;
