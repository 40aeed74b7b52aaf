export interface Position {
    /** Both count from 1. */
    readonly line: number;
    readonly column: number;
}
export interface Finding extends Position {
    readonly message: string;
}
/** Everything found in one file, in the order in which it is told. */
export interface Findings {
    readonly kept: readonly Finding[];
    /** How many more were told; checks stop early, so there may be still more. */
    readonly left: number;
}
export interface FindingLog extends Findings {
    add(message: string, at: Position): void;
    /** Counts findings that were made elsewhere and not kept. */
    pass(count: number): void;
    /** Nothing more will be kept: a check may stop early. */
    full(): boolean;
}
export declare function openFindingLog(most?: number): FindingLog;
export declare function writeFinding(finding: Finding): string;
/** One line each, as many as fit into an answer; the last line counts the others. */
export declare function writeFindings(findings: Findings): string[];
