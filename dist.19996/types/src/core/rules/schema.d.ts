import type { CompiledSchema, CriteriaProblem } from './model.ts';
/** A schema that was met in a rule, and the place for its compiled form. */
export interface FoundSchema {
    readonly schema: Readonly<Record<string, unknown>>;
    readonly path: Path;
    readonly compiled: CompiledSchema;
}
type Path = readonly (string | number)[];
export declare function compileSchema(found: FoundSchema, problems: CriteriaProblem[]): Promise<void>;
export {};
