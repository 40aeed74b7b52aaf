import type { CriteriaProblem, Test } from './model.ts';
import type { FoundSchema } from './schema.ts';
type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;
/** The fields that each type of rule has, beside those that all have. */
export declare const TEST_FIELDS: {
    readonly contains: readonly ['value'];
    readonly regex: readonly ['pattern', 'flags'];
    readonly length: readonly ['min', 'max'];
    readonly schema: readonly ['schema'];
};
export type TestType = keyof typeof TEST_FIELDS;
/** Null if there are problems. A schema is only put aside, to be compiled later. */
export declare function parseTest(type: TestType, fields: Fields, path: Path, problems: CriteriaProblem[], schemas: FoundSchema[]): Test | null;
export {};
