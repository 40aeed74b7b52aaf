export const MAX_PIECES: number;
export function referenceWork(): number;
