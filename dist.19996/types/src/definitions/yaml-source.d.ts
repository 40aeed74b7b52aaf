import type { Position } from './finding.ts';
import type { Node } from './yaml-node.ts';
export interface YamlSource {
    /** Null when the document is empty, or too damaged to be looked at. */
    readonly root: Node | null;
    readonly problems: readonly YamlProblem[];
    positionOf(offset: number): Position;
}
export interface YamlProblem {
    readonly message: string;
    readonly at: number;
}
export declare function readYaml(text: string): Promise<YamlSource>;
