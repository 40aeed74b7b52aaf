// Splits a configured command into program and arguments, as a shell would with quotes
// and backslashes, but without a shell: nothing in it is expanded or run.

/** Null if the text is blank or a quote is not closed. */
export function splitCommand(text: string): [string, ...string[]] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"' && /["\\$`]/.test(text[at + 1] ?? '')) {
        word += text[++at] as string;
      } else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < text.length) {
      word = (word ?? '') + text[++at];
    } else if (char.trim() === '') {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== null) words.push(word);
  const [program, ...args] = words;
  return quote !== null || program === undefined ? null : [program, ...args];
}
