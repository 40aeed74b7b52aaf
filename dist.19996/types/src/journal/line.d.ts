import type { NewEvent, StoredEvent } from './journal.ts';
/** The longest text of one event, without tab and newline. */
export declare const MAX_RECORD_BYTES: number;
/** `prev` of the first event. */
export declare const NO_HASH: string;
export declare const TAB = 9;
export declare const NEWLINE = 10;
/** An event that passed every check, turned into text before anything is touched. */
export type Checked = string & {
    readonly checked: unique symbol;
};
export interface Line {
    /** Tab, text, newline: what goes to disk in one write. */
    readonly bytes: Buffer;
    readonly hash: string;
}
export declare function checkEvent(event: NewEvent): Checked;
export declare function writeLine(event: Checked, seq: number, prev: string): Line;
/** Whether the text between tab and newline is exactly what its hash says. */
export declare function isIntact(text: Buffer): boolean;
/** The event in an intact text, or null if something else was given a hash. */
export declare function readEvent(text: Buffer): StoredEvent | null;
