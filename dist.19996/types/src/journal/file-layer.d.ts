import { type BigIntStats } from 'node:fs';
export type Kind = 'file' | 'folder' | 'other';
export interface FileFacts {
    readonly kind: Kind;
    /** Tells this file from every other that ever had its name. */
    readonly identity: string;
    readonly size: number;
    /** Changes whenever the file's content changes. */
    readonly version: string;
}
export interface Entry {
    readonly name: string;
    readonly kind: Kind;
}
export interface OpenFile {
    facts(): Promise<FileFacts>;
    /** Fills `into` from `position` on; gives back how much there was. */
    read(into: Buffer, position: number): Promise<number>;
    /** One write at the end of the file; gives back how much was written. */
    write(bytes: Buffer): Promise<number>;
    /** Resolves when the content is on the disk. */
    sync(): Promise<void>;
    close(): Promise<void>;
}
export type OpenFor = 'reading' | 'appending' | 'creating';
export interface FileLayer {
    open(path: string, openFor: OpenFor): Promise<OpenFile>;
    /** Of the name itself, not of what a link points to; null if there is nothing. */
    facts(path: string): Promise<FileFacts | null>;
    /** With all folders above it; gives back the topmost one that was made, if any. */
    makeFolder(path: string): Promise<string | undefined>;
    /** Resolves when the folder's entries are on the disk. */
    syncFolder(path: string): Promise<void>;
    /** What is in a folder; nothing if there is no folder. */
    list(path: string): Promise<Entry[]>;
    /** The new name must not exist. */
    move(from: string, to: string): Promise<void>;
    /** Gives a file a second name; fails if that exists. */
    link(from: string, to: string): Promise<void>;
    removeName(path: string): Promise<void>;
}
export declare const realFileLayer: FileLayer;
/** The system's code of an error (`ENOSPC`), or an empty text. */
export declare function codeOf(error: unknown): string;
export declare function identityOf(stats: BigIntStats): string;
