import type { ReviewedFile } from './tasks.ts';
export declare function reviewPayload(root: string, files: readonly ReviewedFile[], notes: string | null, maxInlineFiles: number): Promise<string>;
