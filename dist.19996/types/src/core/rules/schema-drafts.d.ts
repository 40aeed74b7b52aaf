import type { Ajv, ValidateFunction } from 'ajv';
export interface Draft {
    /** The metaschema, compiled. */
    readonly isSchema: ValidateFunction;
    /** A fresh instance, so that schemas of equal `$id` do not meet and nothing piles up. */
    open(): Ajv;
}
declare const DRAFTS: readonly ["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"];
type DraftId = (typeof DRAFTS)[number];
export declare const KNOWN_DRAFTS = "http://json-schema.org/draft-07/schema# and https://json-schema.org/draft/2020-12/schema";
/** The draft that a schema names, draft-07 if it names none, null if it is not known. */
export declare function draftOf(schema: Readonly<Record<string, unknown>>): DraftId | null;
export declare function openDraft(id: DraftId): Promise<Draft>;
export {};
