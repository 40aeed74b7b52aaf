import { type Node, type Path } from './yaml-node.ts';
export interface ShapeReport {
    add(path: Path, at: number, problem: string): void;
    /** Enough has been reported: readers of long lists stop. */
    full(): boolean;
}
export type Read<T> = (node: Node, path: Path, to: ShapeReport) => T;
/** A text and where it stands; empty when the file has nothing usable there. */
export interface Located {
    readonly value: string;
    readonly at: number;
}
export interface Field<T> {
    readonly read: Read<T>;
    readonly required: boolean;
    /** What stands in for a field that is not there, given where its map begins. */
    readonly absent: (at: number) => T;
}
export declare const emptyText: (at: number) => Located;
export declare const none: () => null;
export declare function required<T>(read: Read<T>, absent: (at: number) => T): Field<T>;
export declare function optional<T, A>(read: Read<T>, absent: (at: number) => A): Field<T | A>;
export declare const anyText: Read<Located>;
export declare const text: Read<Located>;
export declare const id: Read<Located>;
export declare const version: Read<Located>;
export declare const shortText: Read<Located>;
export declare function oneOf(...allowed: readonly string[]): Read<Located>;
export declare const boolean: Read<boolean>;
/** Null when the node is no list at all, so that nobody takes it for an empty one. */
export declare function list<T>(read: Read<T>, least?: number): Read<T[] | null>;
export interface Named<T> {
    readonly name: Located;
    readonly value: T;
}
/** A map whose keys are names chosen by the author; null when the node is no map. */
export declare function namedValues<T>(read: Read<T>, least?: number): Read<Named<T>[] | null>;
type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = {
    readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};
/** A map with a fixed set of keys. `hints` says where keys that do not belong here went. */
export declare function closedMap<F extends Fields>(fields: F, hints?: ReadonlyMap<string, string>): Read<ValuesOf<F>>;
export {};
