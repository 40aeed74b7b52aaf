/** One command that would run, and where it is written. */
export interface TrustedCommand {
    readonly job: string;
    readonly step: string;
    readonly name: string;
    readonly run: string;
}
export interface Trust {
    isTrusted(commands: readonly TrustedCommand[]): Promise<boolean>;
    grant(commands: readonly TrustedCommand[]): Promise<void>;
}
export declare function openTrust(root: string, 
/** For automation: somebody who may has said so for this run. */
trusted: boolean, file?: string): Trust;
