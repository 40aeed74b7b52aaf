import type { OutputDraft, ReviewDraft } from './draft.ts';
import { type Read } from './read-fields.ts';
import { type Node } from './yaml-node.ts';
export declare function isListStyle(root: Node): boolean;
export declare const readListedOutputs: Read<OutputDraft[] | null>;
export declare const readListedCriteria: Read<ReviewDraft[]>;
