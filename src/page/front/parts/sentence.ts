// The server's errors are a message and what to do next, written for one line of a terminal. The
// page shows each as a sentence of its own.

export interface TextPart {
  readonly text: string;
  readonly isCode: boolean;
}

/** A plain first word gets a capital letter, the end a full stop; names and paths stay as they are. */
export function asSentence(text: string): string {
  const begun = text
    .trim()
    .replace(/^[a-z]+(?=[\s,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?:…]$/.test(begun) || begun === '' ? begun : `${begun}.`;
}

/** Text in backticks is code; a lone backtick is a character. */
export function partsOf(text: string): TextPart[] {
  return text
    .split(/(`[^`\n]+`)/)
    .filter((part) => part !== '')
    .map((part) => {
      const isCode = part.length > 2 && part.startsWith('`') && part.endsWith('`');
      return { text: isCode ? part.slice(1, -1) : part, isCode };
    });
}
