import type { OpenFile } from './file-layer.ts';
import { type Folded, type FoldState } from './fold.ts';
/** `expected` is how many bytes there should be: a hint that saves memory and a read. */
export declare function scan(file: OpenFile, from: FoldState, expected: number): AsyncGenerator<Folded, void, undefined>;
