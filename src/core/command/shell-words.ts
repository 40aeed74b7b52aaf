// A command line as a list of simple commands, each a list of words, the way a shell would
// read it: quotes and backslashes are taken off, separators end a command. Nothing is
// expanded. It is made to find the files that a line names, so where a shell would be
// stricter (an open quote, a stray bracket) it goes on with what is there.

export interface SimpleCommand {
  readonly words: readonly string[];
}

const SEPARATORS = ';&|()`\n';

export function simpleCommands(line: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
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

  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"' && /["\\$`]/.test(line[at + 1] ?? '')) {
        word += line[++at] as string;
      } else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < line.length) {
      at++;
      // A backslash before a line break joins two lines.
      if (line[at] !== '\n') word = (word ?? '') + line[at];
    } else if (char === '#' && word === null) {
      while (at + 1 < line.length && line[at + 1] !== '\n') at++;
    } else if (SEPARATORS.includes(char)) {
      // `$(` begins a command, and the sign before it belongs to nothing.
      if (char === '(' && word === '$') word = null;
      endCommand();
    } else if (char === '<' || char === '>') {
      endWord();
      // What is written to is not run; what is read by an interpreter is.
      dropNext = char === '>';
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word = (word ?? '') + char;
    }
  }
  endCommand();
  return commands;
}
