export type ContainedFile = {
    readonly kind: 'read';
    readonly bytes: Buffer;
} | {
    readonly kind: 'missing';
} | {
    readonly kind: 'outside';
} | {
    readonly kind: 'not-regular';
} | {
    readonly kind: 'too-large';
} | {
    readonly kind: 'unreadable';
    readonly why: string;
};
/** True for `folder` itself and everything below it; both must be resolved already. */
export declare function isInside(folder: string, path: string): boolean;
export declare function readContainedFile(realFolder: string, path: string, mostBytes: number): Promise<ContainedFile>;
export declare function errorCode(error: unknown): string;
/** A system error in words that fit after a colon. */
export declare function systemWords(error: unknown): string;
/** The text of bytes that are UTF-8 (a byte order mark is dropped), or null. */
export declare function decodeUtf8(bytes: Uint8Array): string | null;
