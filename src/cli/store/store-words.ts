// What the journal can be kept in, as people write it.

export const STORES = ['files', 'postgres'] as const;
export type StoreWord = (typeof STORES)[number];
