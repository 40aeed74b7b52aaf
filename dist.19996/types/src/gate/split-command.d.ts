/** Null when the text is blank or a quote is not closed. */
export declare function splitCommand(text: string): [string, ...string[]] | null;
