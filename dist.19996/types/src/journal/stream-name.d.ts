/** Files that were set aside live below this folder; no stream may. */
export declare const DAMAGED = "damaged";
export declare function isStreamName(name: unknown): name is string;
export declare function checkStreamName(name: unknown): void;
export declare function checkSeq(seq: unknown): void;
/** `session/ab12` → `session/ab12.jsonl` */
export declare function fileOf(stream: string): string;
/** `session/ab12.jsonl` → `session/ab12`, or null for a file that is no stream's. */
export declare function streamOf(file: string): string | null;
/** `damaged/session.ab12-20250131T235959123Z-0f1e2d3c.jsonl` */
export declare function setAsideName(stream: string, now: Date, random: string): string;
export declare function isSetAsideOf(stream: string, base: string): boolean;
