// Parses settings as clients do: JSON with comments, trailing commas and a byte order mark. A hook
// keeps its client waiting, so it does not load the parser that keeps places. The patterns take one
// pass over any text, because what is never closed extends to the end.

const COMMENTS = /("[^"\\]*(?:\\.?[^"\\]*)*(?:"|$))|\/\/[^\n]*|\/\*.*?(?:\*\/|$)/gs;
const TRAILING_COMMAS = /("[^"\\]*(?:\\.?[^"\\]*)*(?:"|$))|,(?=\s*[}\]])/gs;

/** Undefined if it is not such text. */
export function parseJsonWithComments(text: string): unknown {
  const keepStrings = (_: string, string: string | undefined) => string ?? ' ';
  const plain = text
    .replace(/^\ufeff/, '')
    .replace(COMMENTS, keepStrings)
    .replace(TRAILING_COMMAS, keepStrings);
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
