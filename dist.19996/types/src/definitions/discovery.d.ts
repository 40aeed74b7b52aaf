import { type Stamped } from './file-stamp.ts';
export interface JobPlace {
    /** The directory's own name. */
    readonly name: string;
    readonly dir: string;
    /** The state of its `job.yml` at this moment. */
    readonly stamped: Stamped;
}
export interface FolderTrouble {
    readonly folder: string;
    readonly why: string;
}
export interface Discovery {
    readonly places: readonly JobPlace[];
    readonly troubles: readonly FolderTrouble[];
}
/** All jobs of the folders (or those of one name), the first of each name only. */
export declare function discoverJobs(folders: readonly string[], only?: string | null): Promise<Discovery>;
