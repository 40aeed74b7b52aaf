// The kinds of stores for the journal, as people write them.

export const STORES = ['files', 'postgres'] as const;
export type StoreWord = (typeof STORES)[number];
