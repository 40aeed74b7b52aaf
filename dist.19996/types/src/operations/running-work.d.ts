export interface Work {
    /** Aborted when every caller has given up. */
    readonly signal: AbortSignal;
    readonly progress: (message: string) => void;
}
export interface Joining<T> {
    readonly start: (work: Work) => Promise<T>;
    readonly within: number;
    readonly signal: AbortSignal;
    readonly progress: (message: string) => void;
}
export type Ended<T> = {
    readonly kind: 'done';
    readonly value: T;
} | {
    readonly kind: 'still_running';
    readonly doing: string | null;
};
export interface RunningWork<T> {
    join(key: string, joining: Joining<T>): Promise<Ended<T>>;
}
export declare function openRunningWork<T>(): RunningWork<T>;
