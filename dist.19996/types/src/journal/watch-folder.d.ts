import type { StreamInfo, Unsubscribe } from './journal.ts';
export declare function watchFolder(root: string, listStreams: () => AsyncIterable<StreamInfo>, changed: (stream: string) => void): Unsubscribe;
