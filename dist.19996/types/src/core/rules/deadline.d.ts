export type Timed<T> = {
    readonly kind: 'done';
    readonly value: T;
} | {
    readonly kind: 'interrupted';
    readonly reason: string;
};
/** The work may be run again, so it must not matter how often it runs. */
export declare function runWithin<T>(milliseconds: number, work: () => T): Timed<T>;
