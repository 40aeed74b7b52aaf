import type { FileLayer } from './file-layer.ts';
export interface Folders {
    /** Throws if a link, or anything but a folder, stands where a folder should. */
    check(path: string): Promise<void>;
    /** Makes the folder, and the journal's own with its `.gitignore`. */
    make(path: string): Promise<void>;
    /** Resolves when every name in the folder, and the folder's own, is on the disk. */
    makeDurable(path: string): Promise<void>;
}
export declare function openFolders(root: string, layer: FileLayer): Folders;
