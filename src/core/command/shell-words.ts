// Splits a command line into simple commands, each a list of words, as a shell would: quotes
// and backslashes are removed, separators end a command, redirections are kept apart. Nothing is
// expanded. It serves to find the files that a line names, so where a shell would stop (an open
// quote, a stray bracket) it continues with what it has.

export interface SimpleCommand {
  /** Without redirections. `$_` stands for what a command in an unquoted word prints. */
  readonly words: readonly string[];
  /** Its input comes from a pipe or another command, or is in the line. */
  readonly isFed: boolean;
  /** The files after `<` and `<>`. */
  readonly inputs: readonly string[];
  /** The files after `>` and the like. */
  readonly outputs: readonly string[];
  /** What is after `<<<`. */
  readonly texts: readonly string[];
}

const SEPARATORS = ';&|()`\n';
/** More separators in a row than any shell takes. */
const MAX_BETWEEN = 16;
const NOTHING = /(?!)/;
/** Between two commands: `|`, `|&` and `| (`, but not `||`. */
const PIPE = /(?<!\|)\|(?!\|)/;
const GROUP = /^(?:\{|if|while|until|for|case|select)$/;
const GROUP_END = /^(?:\}|fi|done|esac)$/;
const IN_GROUP = /^(?:then|elif|else|do|!|time)$/;
const REDIRECTION = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>/y;
/** `2>` and `{log}>` are one operator. */
const DESCRIPTOR = /^(?:\d+|\{\w+\})$/;
const PRINTED = '$_';
/** What `<(…)` becomes: its name is a number that the shell chooses. */
const CHANNEL = '/dev/fd/63';

type Target = 'input' | 'output' | 'text' | 'end of document' | 'end of indented document';

/** A command whose end is not reached. */
interface Open {
  /** What ends the command around it: null for the line itself. */
  readonly closer: ')' | '`' | null;
  words: string[];
  inputs: string[];
  outputs: string[];
  texts: string[];
  word: string | null;
  /** What the next word is, if a redirection is before it. */
  next: Target | null;
  isFed: boolean;
  /** The separators since the last command. */
  between: string;
  /** Round brackets that are open, and how many were when `((` began a calculation. */
  brackets: number;
  calculation: number;
}

function begin(closer: Open['closer'], between: string): Open {
  return {
    ...{ closer, between, word: null, next: null, isFed: false, brackets: 0, calculation: 0 },
    ...{ words: [], inputs: [], outputs: [], texts: [] },
  };
}

export function simpleCommands(line: string): SimpleCommand[] {
  const commands: { -readonly [key in keyof SimpleCommand]: SimpleCommand[key] }[] = [];
  let open = begin(null, '');
  /** The commands that it is a part of. */
  const outer: Open[] = [];
  let quote: string | null = null;
  let escapable = NOTHING;
  /** Open `${`: what is in them separates nothing. */
  let braces = 0;
  /** A pipe leads into a group, whose end is not looked for. */
  let inGroup = false;
  /** Which command was the next one when each open group began. */
  const groups: number[] = [];
  /** The first command of the group that ended last. */
  let ended = 0;
  /** Documents that begin after this line, and where the text of the last one ends. */
  let documents: Document[] = [];
  let documentEnd = 0;
  let lastLines: ReadonlyMap<string, number> | null = null;

  const endWord = () => {
    const { word, next } = open;
    if (word === null) return;
    if (next === null) open.words.push(word);
    else if (next === 'output') open.outputs.push(word);
    else if (next === 'text') open.texts.push(word);
    else if (next !== 'input') {
      documents.push({ end: word, isIndented: next === 'end of indented document' });
    } else if (word === CHANNEL) open.isFed = true;
    else open.inputs.push(word);
    open.next = null;
    open.word = null;
  };
  const endCommand = () => {
    endWord();
    const { words, inputs, outputs, texts, between } = open;
    if (words.length + inputs.length + outputs.length + texts.length > 0) {
      const isPiped = PIPE.test(between);
      const group = GROUP.test(words[0] ?? '') || between.includes('(');
      inGroup ||= isPiped && group;
      // It changes the input of everything after it.
      inGroup ||= words[0] === 'exec' && inputs.length > 0;
      for (const word of words) {
        if (GROUP.test(word)) groups.push(commands.length);
        else if (GROUP_END.test(word)) ended = groups.pop() ?? 0;
        else if (!IN_GROUP.test(word)) break;
      }
      const isOnlyEnd = words.every((word) => GROUP_END.test(word));
      if (isOnlyEnd && (open.isFed || inputs.length > 0))
        for (const command of commands.slice(ended)) command.isFed = true;
      const isFed = open.isFed || isPiped || inGroup;
      commands.push({ words, inputs, outputs, texts, isFed });
      open.between = '';
    }
    Object.assign(open, { words: [], inputs: [], outputs: [], texts: [] });
    Object.assign(open, { next: null, isFed: false });
  };
  /** Begins a command in a word of this one. */
  const enter = (closer: ')' | '`', stands: string, between = '') => {
    open.word = (open.word ?? '') + stands;
    inGroup ||= PIPE.test(open.between);
    outer.push(open);
    open = begin(closer, between);
  };
  const leave = () => {
    endCommand();
    open = outer.pop() ?? open;
  };
  const separate = (char: string) => {
    endCommand();
    if (open.between.length < MAX_BETWEEN) open.between += char;
  };

  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    const inDocument = at < documentEnd;
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && escapable.test(line[at + 1] ?? '')) {
        open.word += line[++at] as string;
      } else open.word += char;
    } else if ((char === '"' || char === "'") && !inDocument) {
      quote = char;
      // `$'it\'s'`
      const before: string = open.word ?? '';
      const isAnsi = char === "'" && before.endsWith('$');
      escapable = isAnsi ? /['"\\]/ : char === '"' ? /["\\$`]/ : NOTHING;
      open.word = isAnsi ? before.slice(0, -1) : before;
    } else if (char === '\\' && at + 1 < line.length) {
      at++;
      // A backslash before a line break joins two lines.
      if (line[at] !== '\n') open.word = (open.word ?? '') + line[at];
    } else if (char === '{' && !inDocument && line[at - 1] === '$') {
      braces++;
      open.word = (open.word ?? '') + char;
    } else if (braces > 0 && !inDocument) {
      if (char === '}') braces--;
      open.word = (open.word ?? '') + char;
    } else if (char === '#' && open.word === null) {
      while (at + 1 < line.length && line[at + 1] !== '\n') at++;
    } else if (char === '&' && line[at + 1] === '>') {
      endWord();
    } else if (inDocument && SEPARATORS.includes(char)) {
      // Here a bracket may be one that has no other half.
      if (char === '(' && open.word === '$') open.word = null;
      separate(char);
    } else if (char === '(' && open.word?.endsWith('$') === true) {
      open.word = open.word.slice(0, -1);
      enter(')', PRINTED);
    } else if ((char === '<' || char === '>') && line[at + 1] === '(') {
      at++;
      open.isFed ||= char === '<';
      enter(')', CHANNEL, char === '>' ? '|' : '');
    } else if (char === '`' && open.closer !== '`') {
      enter('`', PRINTED);
    } else if (char === open.closer && open.brackets === 0) {
      leave();
    } else if (SEPARATORS.includes(char)) {
      separate(char);
      if (char === '(') {
        groups.push(commands.length);
        open.brackets++;
        if (line[at - 1] === '(') open.calculation ||= open.brackets;
      } else if (char === ')') {
        ended = groups.pop() ?? 0;
        open.brackets = Math.max(0, open.brackets - 1);
        if (open.brackets < open.calculation) open.calculation = 0;
      } else if (char === '\n' && documents.length > 0) {
        lastLines ??= lastLinesOf(line);
        documentEnd = endOfDocuments(line, at + 1, documents, lastLines);
        documents = [];
      }
    } else if (char === '<' || char === '>') {
      if (open.word !== null && DESCRIPTOR.test(open.word)) open.word = null;
      endWord();
      REDIRECTION.lastIndex = at;
      const operator = REDIRECTION.exec(line)?.[0] ?? char;
      at += operator.length - 1;
      open.isFed ||= operator.startsWith('<<');
      open.next = targetOf(operator, inDocument || open.calculation > 0);
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      open.word = (open.word ?? '') + char;
    }
  }
  while (outer.length > 0) leave();
  endCommand();
  return commands;
}

/** In a calculation (`$((1 << 2))`), and in the text of a document, no document begins. */
function targetOf(operator: string, hasNoDocuments: boolean): Target {
  if (operator === '<<<') return 'text';
  if (operator.startsWith('<<') && hasNoDocuments) return 'output';
  if (operator === '<<-') return 'end of indented document';
  if (operator === '<<') return 'end of document';
  return operator === '<' || operator === '<>' ? 'input' : 'output';
}

interface Document {
  /** The line that ends it. */
  readonly end: string;
  /** Tabs before that line do not count. */
  readonly isIndented: boolean;
}

/**
 * Where the text of here-documents ends, in which quotes have no meaning. One that has no end is
 * not a document, so that quotes after a mere `<<` keep their meaning.
 */
function endOfDocuments(
  line: string,
  from: number,
  documents: readonly Document[],
  lastLines: ReadonlyMap<string, number>,
): number {
  let to = from;
  for (const { end, isIndented } of documents) {
    for (let at = to; at <= (lastLines.get(end) ?? -1); ) {
      const next = endOfLine(line, at);
      const text = line.slice(at, next);
      if ((isIndented ? withoutTabs(text) : text) === end) {
        to = next;
        break;
      }
      at = next + 1;
    }
  }
  return to;
}

/** Where each line, with and without the tabs before it, occurs last: beyond that is no end to find. */
function lastLinesOf(line: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (let at = 0; at <= line.length; at = endOfLine(line, at) + 1) {
    const text = line.slice(at, endOfLine(line, at));
    lines.set(text, at);
    lines.set(withoutTabs(text), at);
  }
  return lines;
}

function endOfLine(line: string, at: number): number {
  const end = line.indexOf('\n', at);
  return end === -1 ? line.length : end;
}

function withoutTabs(text: string): string {
  return text.replace(/^\t+/, '');
}
