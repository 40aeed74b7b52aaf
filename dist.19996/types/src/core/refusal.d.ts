export interface Refusal {
    /** A stable word such as `job_not_found`; programs may rely on it. */
    readonly code: string;
    readonly message: string;
    /** What the caller can do now, or null when nothing can be done. */
    readonly next: string | null;
}
export declare class Refused extends Error {
    readonly name = "Refused";
    readonly refusal: Refusal;
    constructor(refusal: Refusal);
}
export declare function refuse(code: string, message: string, next?: string | null): Refusal;
