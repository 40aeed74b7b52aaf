import type { CriteriaProblem } from './model.ts';
type Path = readonly (string | number)[];
/** A copy of the schema that the library can be trusted with. */
export declare function prepareSchema(schema: Readonly<Record<string, unknown>>, path: Path, problems: CriteriaProblem[]): Record<string, unknown>;
export {};
