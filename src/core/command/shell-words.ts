// Splits a command line into simple commands, each a list of words, as a shell would: quotes
// and backslashes are removed, separators end a command. Nothing is expanded. It serves to find
// the files that a line names, so where a shell would stop (an open quote, a stray bracket) it
// continues with what it has.

export interface SimpleCommand {
  /** Files from which it gets its input are words, too. */
  readonly words: readonly string[];
  /** Its input comes from a pipe, a file or another command. */
  readonly isFed: boolean;
  /** The files after `<`. */
  readonly inputs: readonly string[];
}

const SEPARATORS = ';&|()`\n';
const MAX_DOCUMENTS = 16;
/** More separators in a row than any shell takes. */
const MAX_BETWEEN = 16;
const NOTHING = /(?!)/;
/** Between two commands: `|`, `|&` and `| (`, but not `||`. */
const PIPE = /(?<!\|)\|(?!\|)/;
const GROUP = /^(?:\{|if|while|until|for|case|select)$/;

export function simpleCommands(line: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  let escapable = NOTHING;
  /** What the next word is, if a redirection is before it. */
  let next: 'input' | 'output' | null = null;
  let inputs: string[] = [];
  let hasInput = false;
  /** The separators since the last command. */
  let between = '';
  /** A pipe leads into a group, whose end is not looked for. */
  let inGroup = false;

  const endWord = () => {
    if (word === null) return;
    if (next !== 'output') words.push(word);
    if (next === 'input') inputs.push(word);
    next = null;
    word = null;
  };
  const endCommand = () => {
    endWord();
    next = null;
    if (words.length > 0) {
      const isPiped = PIPE.test(between);
      inGroup ||= isPiped && (between.includes('(') || GROUP.test(words[0] ?? ''));
      commands.push({ words, isFed: hasInput || isPiped || inGroup, inputs });
      between = '';
    }
    words = [];
    inputs = [];
    hasInput = false;
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
      if (between.length < MAX_BETWEEN) between += char;
    } else if (char === '<' || char === '>') {
      // `2>` is one operator, and so is `>&`.
      if (word !== null && /^\d+$/.test(word)) word = null;
      endWord();
      const isCopy = line[at + 1] === '&';
      if (isCopy) at++;
      // A file that is written to is not run; one that an interpreter reads is.
      const isFile = line[at - 1] !== '<' && line[at + 1] !== '<';
      hasInput ||= char === '<' && !isCopy;
      next = isCopy || char === '>' ? 'output' : isFile ? 'input' : null;
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
