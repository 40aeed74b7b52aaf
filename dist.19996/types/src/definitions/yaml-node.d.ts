export type Node = MapNode | ListNode | ScalarNode;
export interface MapNode {
    readonly kind: 'map';
    /** Offset in the text, as in every node. */
    readonly at: number;
    readonly entries: readonly MapEntry[];
}
export interface MapEntry {
    readonly key: string;
    readonly keyAt: number;
    readonly value: Node;
}
export interface ListNode {
    readonly kind: 'list';
    readonly at: number;
    readonly items: readonly Node[];
}
export interface ScalarNode {
    readonly kind: 'scalar';
    readonly at: number;
    readonly value: string | number | boolean | null;
    /** The text as it stands in the file. */
    readonly written: string;
    /** Written without quotes, block marks and tags. */
    readonly plain: boolean;
}
export type Path = readonly (string | number)[];
export declare function entryOf(node: Node, key: string): MapEntry | null;
/** The value as ordinary JavaScript data, for parsers that know nothing of files. */
export declare function plainValue(node: Node): unknown;
/** Where the value at `path` below `node` begins; as near to it as the tree reaches. */
export declare function locate(node: Node, path: Path): number;
/** What was found, in words, after "expected …, found". */
export declare function describeNode(node: Node): string;
