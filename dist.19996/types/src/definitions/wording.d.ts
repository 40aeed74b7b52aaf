export declare function cut(text: string, most: number): string;
export declare function onOneLine(text: string): string;
/** A value as it stands in a message: in single quotes, at most a short line long. */
export declare function quote(text: string, most?: number): string;
/** The first names of a list, and how many were left out. */
export declare function nameList(names: readonly string[], most?: number): string;
/** The allowed word that a misspelt one was most likely meant to be, or null. */
export declare function nearest(word: string, allowed: readonly string[]): string | null;
