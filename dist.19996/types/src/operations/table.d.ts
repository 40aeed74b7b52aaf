import type { Operation } from './operation.ts';
export declare const operations: readonly Operation[];
export declare function findOperation(name: string): Operation | undefined;
