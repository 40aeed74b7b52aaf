import type { StoredEvent } from './journal.ts';
export interface FoldState {
    /** Of the last accepted event; 0 before the first. */
    readonly seq: number;
    readonly hash: string;
    /** Where the bytes begin that are not judged yet. */
    readonly offset: number;
    /** How many newlines stand before `offset`. */
    readonly line: number;
}
export interface Damage {
    /** 1-based. */
    readonly line: number;
    readonly reason: string;
}
export interface Folded {
    readonly events: readonly StoredEvent[];
    /** Lines and fragments that do not count. */
    readonly voids: number;
    readonly state: FoldState;
    readonly damage: Damage | null;
}
export declare const START: FoldState;
/**
 * Folds `bytes`, which begin at `state.offset`. Bytes behind the new state's offset
 * belong to a line that has no end yet. `atEnd` says that the file ends with `bytes`.
 */
export declare function fold(state: FoldState, bytes: Buffer, atEnd: boolean): Folded;
