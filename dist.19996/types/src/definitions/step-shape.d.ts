import type { StepDraft } from './draft.ts';
import { type Read, type ShapeReport } from './read-fields.ts';
import { type Node, type Path } from './yaml-node.ts';
/** Problems of a parser that knows only values: the path leads to the place. */
export declare function addForeignProblems(problems: readonly {
    readonly path: Path;
    readonly message: string;
}[], node: Node, path: Path, to: ShapeReport): void;
export declare const readStep: Read<StepDraft>;
export declare const readStepOfListStyle: Read<StepDraft>;
