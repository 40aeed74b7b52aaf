export interface Problem {
    /** Keys and indexes from the root of the value that was parsed. */
    readonly path: readonly (string | number)[];
    readonly message: string;
}
