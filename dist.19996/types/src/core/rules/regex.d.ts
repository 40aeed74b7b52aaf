export type CompiledRegex = {
    readonly kind: 'regex';
    readonly regex: RegExp;
} | {
    readonly kind: 'problem';
    readonly field: 'pattern' | 'flags';
    readonly message: string;
};
/** A rule's regex: leading groups such as `(?i)`, known from other languages, become flags. */
export declare function compileRegex(written: string, flags: string): CompiledRegex;
/** A pattern of a JSON Schema: Unicode-aware if it can be, as many real ones cannot. */
export declare function compileSchemaPattern(pattern: string): CompiledRegex;
/** Whether a regex finds something; sticky and global ones start afresh each time. */
export declare function matches(regex: RegExp, text: string): boolean;
