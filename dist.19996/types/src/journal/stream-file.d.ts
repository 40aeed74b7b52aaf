import { type FileFacts, type FileLayer, type OpenFile, type OpenFor } from './file-layer.ts';
export interface StreamFile {
    readonly file: OpenFile;
    readonly facts: FileFacts;
}
/** Null if there is no file of that name. */
export declare function openStreamFile(layer: FileLayer, stream: string, path: string, openFor: OpenFor): Promise<StreamFile | null>;
export declare function closeQuietly(file: OpenFile): Promise<void>;
