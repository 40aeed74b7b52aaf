import type { JobDraft } from './draft.ts';
/** Takes a problem and the offset it stands at. */
export interface ReferenceReport {
    add(message: string, at: number): void;
    full(): boolean;
}
export declare function checkBeforeInstructions(draft: JobDraft, to: ReferenceReport): void;
export declare function checkAfterInstructions(draft: JobDraft, to: ReferenceReport): void;
