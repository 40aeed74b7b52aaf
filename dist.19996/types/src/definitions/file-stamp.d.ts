export interface Stamp {
    /** Equal keys mean the same file, unchanged. */
    readonly key: string;
    /** Later of the two change times, in milliseconds. */
    readonly changedAt: number;
}
export type Stamped = {
    readonly kind: 'present';
    readonly stamp: Stamp;
} | {
    readonly kind: 'absent';
} | {
    readonly kind: 'failed';
    readonly error: NodeJS.ErrnoException;
};
/** The stamps of all paths, in their order. */
export declare function stampFiles(paths: readonly string[]): Promise<Stamped[]>;
export declare function sameStamp(a: Stamped | undefined, b: Stamped | undefined): boolean;
