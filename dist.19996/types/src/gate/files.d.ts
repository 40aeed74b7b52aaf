export type Found = 
/** `path` is relative to the project root, with `/`, as it is stored and shown. */
{
    readonly kind: 'file';
    readonly path: string;
    readonly absolute: string;
} | {
    readonly kind: 'problem';
    readonly problem: string;
};
export declare function findFile(root: string, given: string): Promise<Found>;
/** sha256 (hex) of a file's bytes. */
export declare function hashFile(absolute: string): Promise<string>;
/** A file's bytes, or null if there are more than `limit`. */
export declare function readFileUpTo(absolute: string, limit: number): Promise<Buffer | null>;
