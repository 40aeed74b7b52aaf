export interface Paths {
    /** The project's root, absolute. */
    readonly root: string;
    readonly config: string;
    readonly journal: string;
    /** Readable views and review files; safe to delete, rebuilt from the journal. */
    readonly tmp: string;
}
export declare function pathsOf(projectRoot: string): Paths;
