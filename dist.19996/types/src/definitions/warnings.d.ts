import type { JobDraft } from './draft.ts';
import { type Findings, type Position } from './finding.ts';
export declare function warnAbout(draft: JobDraft, directory: string, positionOf: (offset: number) => Position): Findings;
