import type { JobDraft } from './draft.ts';
import { type ShapeReport } from './read-fields.ts';
import { type Node } from './yaml-node.ts';
/** Where a file shows that it is written in a dialect that cannot be run, or null. */
export declare function foreignDialectAt(root: Node): number | null;
export declare function readShape(root: Node, to: ShapeReport): JobDraft;
