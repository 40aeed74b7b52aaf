import type { Views } from './views.ts';
export interface EndedIndex {
    has(id: string, version: string): Promise<boolean>;
    add(id: string, version: string, endedAt: string): void;
    /** Ids of the sessions that ended last, newest first. */
    newest(count: number): Promise<string[]>;
    save(): Promise<void>;
}
export declare function openEndedIndex(folder: string, views: Views): EndedIndex;
