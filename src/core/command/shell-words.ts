// Splits a command line into simple commands, each a list of words, as a shell would: quotes
// and backslashes are removed, separators end a command. Nothing is expanded. It serves to find
// the files that a line names, so where a shell would stop (an open quote, a stray bracket) it
// continues with what it has.

export interface SimpleCommand {
  readonly words: readonly string[];
}

const SEPARATORS = ';&|()`\n';
const MAX_DOCUMENTS = 16;
const NOTHING = /(?!)/;

export function simpleCommands(line: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  let escapable = NOTHING;
  let dropNext = false;

  const endWord = () => {
    if (word === null) return;
    if (!dropNext) words.push(word);
    dropNext = false;
    word = null;
  };
  const endCommand = () => {
    endWord();
    dropNext = false;
    if (words.length > 0) commands.push({ words });
    words = [];
  };

  const isDocument = hereDocuments(line);
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && escapable.test(line[at + 1] ?? '')) {
        word += line[++at] as string;
      } else word += char;
    } else if ((char === '"' || char === "'") && !isDocument(at)) {
      quote = char;
      // `$'it\'s'`
      const before: string = word ?? '';
      const isAnsi = char === "'" && before.endsWith('$');
      escapable = isAnsi ? /['"\\]/ : char === '"' ? /["\\$`]/ : NOTHING;
      word = isAnsi ? before.slice(0, -1) : before;
    } else if (char === '\\' && at + 1 < line.length) {
      at++;
      // A backslash before a line break joins two lines.
      if (line[at] !== '\n') word = (word ?? '') + line[at];
    } else if (char === '#' && word === null) {
      while (at + 1 < line.length && line[at + 1] !== '\n') at++;
    } else if (char === '&' && line[at + 1] === '>') {
      endWord();
    } else if (SEPARATORS.includes(char)) {
      // `$(` begins a command; drop the `$` before it.
      if (char === '(' && word === '$') word = null;
      endCommand();
    } else if (char === '<' || char === '>') {
      // `2>` is one operator, and so is `>&`.
      if (word !== null && /^\d+$/.test(word)) word = null;
      endWord();
      const isCopy = line[at + 1] === '&';
      if (isCopy) at++;
      // A file that is written to is not run; one that an interpreter reads is.
      dropNext = isCopy || char === '>';
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word = (word ?? '') + char;
    }
  }
  endCommand();
  return commands;
}

/** Whether a position is in the text of a `<<END`, where quotes have no meaning. */
function hereDocuments(line: string): (at: number) => boolean {
  const ranges: { readonly from: number; readonly to: number }[] = [];
  for (const { index, 1: dash, 2: end = '' } of line.matchAll(
    /(?<!<)<<(-?)[ \t]*["'\\]?([\w.-]+)/g,
  )) {
    const from = line.indexOf('\n', Math.max(index, ranges.at(-1)?.to ?? 0));
    if (from === -1) break;
    let to = from + 1;
    for (const text of line.slice(to).split('\n')) {
      if ((dash === '-' ? text.replace(/^\t+/, '') : text) === end) break;
      to += text.length + 1;
    }
    ranges.push({ from, to });
    if (ranges.length >= MAX_DOCUMENTS) break;
  }
  return (at) => ranges.some(({ from, to }) => at >= from && at < to);
}
