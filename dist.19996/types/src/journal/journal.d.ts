/** What a decider produced. Whatever belongs together is in one event. */
export interface NewEvent {
    readonly type: string;
    /** UTC, ISO 8601. The journal records time, it never reads a clock. */
    readonly at: string;
    /** Plain JSON. */
    readonly data: Readonly<Record<string, unknown>>;
}
export interface StoredEvent extends NewEvent {
    /** 1, 2, 3 … without gap or repeat. */
    readonly seq: number;
    /** sha256 (hex) over this event and, through `prev`, all before it. */
    readonly hash: string;
    /** The hash of the event before; 64 zeros for the first. */
    readonly prev: string;
}
export interface Appended {
    readonly kind: 'appended';
    /** As it was stored: a copy, cleaned by JSON, that shares nothing with what was given. */
    readonly event: StoredEvent;
}
/** Somebody else committed first; nothing of ours was recorded. */
export interface Conflict {
    readonly kind: 'conflict';
}
export interface StreamInfo {
    readonly stream: string;
    /** Changes whenever the stream changes; equal versions mean equal content. */
    readonly version: string;
}
export interface Journal {
    /** Events after `afterSeq`, oldest first. A stream that does not exist has none. */
    read(stream: string, afterSeq: number): AsyncIterable<StoredEvent>;
    /**
     * Commits one event, durably, if the stream's last sequence number is `expectedSeq`.
     * If it throws, the stream is as it was; only when the disk failed while making the
     * event durable may the event be there all the same, as after a crash: read to know.
     */
    append(stream: string, expectedSeq: number, event: NewEvent): Promise<Appended | Conflict>;
    /** Every stream whose name starts with `prefix`, in name order. */
    streams(prefix: string): AsyncIterable<StreamInfo>;
    /** The version of one stream, or null if it does not exist: a cheap "did it change?". */
    version(stream: string): Promise<string | null>;
    /**
     * Calls back with a stream's name after it changed, several changes at once being
     * told once. A change may be told twice. Watching does not keep the process alive.
     */
    watch(prefix: string, onChange: (stream: string) => void): Unsubscribe;
    /** What was set aside of this stream because it was damaged, oldest first. */
    damaged(stream: string): Promise<string[]>;
}
export type Unsubscribe = () => void;
/** Thrown when a stream was altered or lost bytes in its middle. */
export declare class StreamDamaged extends Error {
    readonly name = "StreamDamaged";
    readonly stream: string;
    /** 1-based line of the first proof of damage. */
    readonly line: number;
    readonly reason: string;
    /** Where the untouched bytes are kept now, relative to the journal's folder. */
    readonly setAside: string;
    constructor(stream: string, line: number, reason: string, setAside: string);
}
