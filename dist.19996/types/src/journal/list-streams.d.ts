import type { FileLayer } from './file-layer.ts';
import type { StreamInfo } from './journal.ts';
export declare function listStreams(root: string, layer: FileLayer, prefix: string): AsyncGenerator<StreamInfo>;
