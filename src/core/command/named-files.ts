// Which project files a command line runs: programs given by a path, scripts given to an
// interpreter, the file in which a runner such as npm or make looks up its tasks. Files that a
// command only reads do not count, or every output of a step would.
//
// Only the line is read, no file. What a script calls in turn is not found here.

import { optionValues, runnerNamed } from './runners.ts';
import { type SimpleCommand, simpleCommands } from './shell-words.ts';

export interface NamedFile {
  /** As written, relative to one of `folders` unless it is absolute. */
  readonly path: string;
  /** Where it may be, relative to the project; '' is the project itself. */
  readonly folders: readonly string[];
  /**
   * `run`: it is run, whether it exists already or not. `executable`: it is run only if the
   * file is executable.
   */
  readonly kind: 'run' | 'executable';
}

/** More than in any command that a person can read and judge. */
const MAX_FILES = 64;
const MAX_LENGTH = 16 * 1024;
const MAX_DEPTH = 4;
const MAX_WORK = 8 * MAX_LENGTH;

/** Null if the line is too long, or names too many files, to tell what it runs. */
export function filesNamedIn(line: string): NamedFile[] | null {
  if (line.length > MAX_LENGTH) return null;
  const found: Found = { files: new Map(), work: 0 };
  for (const each of new Set([line, asPosixReads(line)])) read(each, [''], found, 0);
  return isTooMuch(found) ? null : [...found.files.values()];
}

/** `10<x` and `{in}<x` are one operator for bash, but a word and an operator for dash. */
function asPosixReads(line: string): string {
  return line.replace(/(\d\d|\})(?=[<>])/g, '$1 ');
}

interface Found {
  readonly files: Map<string, NamedFile>;
  /** Characters and words examined: nested commands can make a line be read many times. */
  work: number;
}

function isTooMuch({ files, work }: Found): boolean {
  return files.size > MAX_FILES || work > MAX_WORK;
}

function keep({ files }: Found, file: NamedFile): void {
  files.set(JSON.stringify(file), file);
}

function read(line: string, folders: string[], found: Found, depth: number): void {
  found.work += line.length;
  if (depth > MAX_DEPTH || isTooMuch(found)) return;
  const commands = simpleCommands(line);
  let runsInput = false;
  for (const command of commands)
    runsInput = readCommand(command, folders, found, depth) || runsInput;
  for (const path of textsRun(line, commands, runsInput))
    keep(found, { path: withoutExpansion(path), folders: [...folders], kind: 'run' });
  for (const path of copiesRun(commands, found))
    keep(found, { path: withoutExpansion(path), folders: [...folders], kind: 'run' });
}

const COPIES = /^(?:cp|ln|mv|install)$/;

/** The files of which a command makes one that the line runs: `cp x.sh y.sh; bash y.sh`. */
function copiesRun(commands: readonly SimpleCommand[], { files }: Found): readonly string[] {
  const run = new Set(
    [...files.values()].filter(({ kind }) => kind === 'run').map(({ path }) => baseName(path)),
  );
  const isRun = (word: string) => run.has(baseName(word));
  return commands.flatMap((command) => {
    const [program = '', ...rest] = command.words;
    const names = rest.filter((word) => !word.startsWith('-'));
    if (COPIES.test(baseName(program)) && names.slice(-1).some(isRun)) return names.slice(0, -1);
    if (!command.outputs.some(isRun)) return [];
    return [...printedBy(command), ...command.words.filter(isScript)];
  });
}

/** Files that a command only reads, for another one that runs their text. */
function textsRun(
  line: string,
  commands: readonly SimpleCommand[],
  runsInput: boolean,
): readonly string[] {
  const printed = commands.flatMap(printedBy);
  // `cat x | sh -e`
  if (runsInput) return [...printed, ...commands.flatMap(({ words }) => words.filter(isScript))];
  // `eval "$(cat x.sh)"`. Without such a name it is most likely data.
  return SUBSTITUTION.test(line) ? printed.filter(isScript) : [];
}

const isScript = (word: string) => SCRIPT.test(word);

const SUBSTITUTION = /\$\(|`/;

/** The files whose text a command only passes on. */
function printedBy({ words, inputs }: SimpleCommand): readonly string[] {
  const [program = '', ...rest] = words;
  const isCat = baseName(program) === 'cat';
  return isCat ? [...inputs, ...rest.filter((word) => !word.startsWith('-'))] : inputs;
}

const KEYWORD = /^(?:if|then|else|elif|do|while|until|!|\{|\}|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const INTERPRETER =
  /^(?:(?:(?:ba|rba|da|z|k|mk|a|fi|c|tc|ya)?sh|node|nodejs|deno|bun|tsx|ts-node|python|pypy|uv|pdm|rye|hatch|ruby|perl|php|lua|luajit|Rscript|pwsh|tclsh)[\d.]*|source|\.)$/;
/** Programs that take a whole command as one word. */
const READS_COMMAND =
  /^(?:trap|env|eval|watch|parallel|xargs|script|su|runuser|flock|sg|entr|npm|npx|pnpm|yarn)$/;
/** An option that such a word may be attached to: `env -S'…'`, `npx --call='…'`. */
const ATTACHED = /^(?:-[A-Za-z]*[Sc]|--[a-z-]+=)/;
/** `git -c alias.x='!…'`: many settings are commands. */
const GIT_SETTING = /^(?:--config-env=)?[A-Za-z][\w-]*\.[^=\s]+=!?([\s\S]+)$/;
/** Before `.`: it is the shell's own command, not a folder. */
const BUILTIN = /^(?:command|builtin)$/;
const SHELL = /^(?:ba|rba|da|z|k|mk|a|fi|c|tc|ya|pw)?sh[\d.]*$/;
/** Variables that make a program load a file before anything else. */
const LOADS =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHONSTARTUP|RUBYOPT|PERL5OPT|LD_PRELOAD|BUN_OPTIONS)=/;
/** Options whose value is the next word. */
const SHELL_VALUED = /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/;
const VALUED =
  /^(?:-[rIWXC]|--(?:require|import|loader|experimental-loader|env-file|config|tsconfig|prefix|cwd|dir|directory))$/;
/** Options whose next word is code, not a file. */
const SHELL_INLINE = /^-[A-Za-z]*c[A-Za-z]*$/;
/** Names of the input, and of files that are open already. */
const CHANNEL = /^(?:\/dev\/stdin|(?:\/dev|\/proc\/self)\/fd\/\d+)$/;
/** Words that stand for the input, whatever follows. For a shell, `-` only ends the options. */
const INPUT = new RegExp(`^-$|${CHANNEL.source}`);
const SHELL_INPUT = new RegExp(`^-[A-Za-z]*s[A-Za-z]*$|${CHANNEL.source}`);
const INLINE: readonly (readonly [RegExp, RegExp])[] = [
  [SHELL, SHELL_INLINE],
  [/^py/, /^-[A-Za-z]*c$/],
  [/^(?:perl|ruby)/, /^-[A-Za-z]*[eE]$/],
  [/^php/, /^(?:-[rBRE]|--run)$/],
  [/^/, /^(?:-[ep]|-pe|--eval|--print)$/],
];
const FOLDER =
  /^(?:-C(?=.)|(?:-[Cw]|--(?:prefix|cwd|dir|directory|chdir|workspace|filter))(?:=|$))(.*)$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|py|rb|pl|php|lua|R|ps1|tcl)$/;
/** For other programs, these are names of scripts. */
const HAS_SUBCOMMANDS = /^(?:deno|bun|uv|pdm|rye|hatch|tsx|ts-node)/;
const SUBCOMMAND = /^(?:run|test|exec|x|task|watch)$/;

/** Adds the files that it runs to `found`. Returns whether it runs the text that it gets as its input. */
function readCommand(
  { words, isFed, inputs, outputs, texts }: SimpleCommand,
  folders: string[],
  found: Found,
  depth: number,
): boolean {
  for (const text of texts) read(text, folders, found, depth + 1);
  for (const word of [...words, ...inputs, ...outputs])
    if (SUBSTITUTION.test(word)) read(word, folders, found, depth + 1);
  for (const word of words)
    for (const path of LOADS.test(word) ? word.split(/[\s=:]+/).filter(looksLikeFile) : [])
      keep(found, { path: withoutExpansion(path), folders: [...folders], kind: 'run' });
  const start = words.findIndex((word) => !KEYWORD.test(word) && !ASSIGNMENT.test(word));
  if (start === -1) return false;
  const program = words[start] as string;
  const rest = words.slice(start + 1);
  const name = baseName(program);
  for (const word of name === 'git' ? rest : []) {
    const setting = GIT_SETTING.exec(word)?.[1];
    if (setting !== undefined) read(setting, folders, found, depth + 1);
  }
  if (name === 'cd' || name === 'pushd') {
    const [folder] = rest.filter((word) => !word.startsWith('-'));
    const [above = ''] = folders;
    if (folder !== undefined && folder !== '-')
      folders.unshift(
        ...(above === '' ? [] : [`${above}/${withoutExpansion(folder)}`]),
        withoutExpansion(folder),
      );
    return false;
  }
  const here = [...foldersFor(words.slice(start), found).map(withoutExpansion), ...folders];
  const add = (path: string, kind: NamedFile['kind'] = 'run') =>
    keep(found, { path: withoutExpansion(path), folders: [...here], kind });

  if (program.includes('/')) add(program);
  let readsCommand = READS_COMMAND.test(name);
  for (const word of rest) {
    if (word.includes('/')) add(optionValue(word), 'executable');
    if (readsCommand && /\s/.test(word))
      read(word.replace(ATTACHED, ''), folders, found, depth + 1);
    readsCommand ||= READS_COMMAND.test(baseName(word));
  }
  // `time -p`, `flock x`, `strace`: any word may be a program that another one starts.
  let runsInput = false;
  const all = [program, ...rest];
  for (const [at, word] of all.entries()) {
    const own = baseName(word);
    if (at > 0 && own === '.' && !BUILTIN.test(all[at - 1] ?? '')) continue;
    if (isTooMuch(found)) return false;
    const runner = runnerNamed(own);
    const isInterpreter = INTERPRETER.test(own);
    if (runner === null && !isInterpreter) continue;
    const after = rest.slice(at);
    found.work += after.length;
    for (const file of runner?.files ?? []) add(file);
    for (const file of optionValues(after, runner?.fileOption)) {
      for (const ending of runner?.endings ?? ['']) add(`${file}${ending}`);
      for (const input of INPUT.test(file) ? inputs : []) add(input);
    }
    if (!isInterpreter) continue;
    const { scripts, readsInput } = scriptsOf(own, after);
    for (const input of readsInput ? inputs : []) add(input);
    // A shell alone may be in a function that gets its input from elsewhere.
    const isAlone = SHELL.test(own) && rest.length === 0 && inputs.length === 0;
    runsInput ||= readsInput && (isFed || isAlone);
    for (const script of scripts) {
      add(script);
      for (const main of SCRIPT.test(script) ? [] : mainFilesOf(own)) add(`${script}${main}`);
    }
    for (const code of inlineCode(own, after)) read(code, folders, found, depth + 1);
  }
  if (name === 'eval') read(rest.join(' '), folders, found, depth + 1);
  return runsInput;
}

/** The folders in which options let a program work. */
function foldersFor([program = '', ...rest]: readonly string[], found: Found): string[] {
  const folders = optionValues(rest, FOLDER);
  for (const [at, word] of [program, ...rest].entries()) {
    const option = runnerNamed(baseName(word))?.folderOption;
    if (option === undefined || isTooMuch(found)) continue;
    found.work += rest.length - at;
    folders.push(...optionValues(rest.slice(at), option));
  }
  return folders;
}

interface Scripts {
  /** The script of an interpreter, and the files its options load. */
  readonly scripts: readonly string[];
  /** There is no script, so it runs its input. */
  readonly readsInput: boolean;
}

function scriptsOf(name: string, words: readonly string[]): Scripts {
  const isShell = SHELL.test(name);
  const inline = INLINE.find(([of]) => of.test(name))?.[1];
  const valued = isShell ? SHELL_VALUED : VALUED;
  const scripts: string[] = [];
  /** An option loads it: `bash --rcfile <(cat x.sh)`. */
  let loadsInput = false;
  const load = (file: string) => {
    if (CHANNEL.test(file)) loadsInput = true;
    else if (looksLikeFile(file)) scripts.push(file);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const module = name.startsWith('py') ? /^-[bBdEiIOPqsSuvx]*m(.*)$/.exec(word) : null;
    if (module !== null) {
      scripts.push(...moduleFiles(module[1] || (words[at + 1] ?? '')));
      return { scripts, readsInput: loadsInput };
    }
    if (inline?.test(word)) return { scripts, readsInput: loadsInput };
    if ((isShell ? SHELL_INPUT : INPUT).test(word)) return { scripts, readsInput: true };
    if (valued.test(word)) {
      const value = words[++at];
      if (value !== undefined) load(value);
    } else if (word.startsWith('-') || (isShell && word.startsWith('+'))) {
      if (word.includes('=')) load(optionValue(word));
    } else if (!HAS_SUBCOMMANDS.test(name) || !SUBCOMMAND.test(word)) {
      scripts.push(word);
      // After an unknown option, it may be the option's value.
      const isValue = words[at - 1]?.startsWith('-') === true && !looksLikeFile(word);
      if (!isValue) return { scripts, readsInput: loadsInput };
    }
  }
  return { scripts, readsInput: loadsInput || (name !== '.' && name !== 'source') };
}

/** The code that `sh -c` runs. More options may come before it. */
function inlineCode(name: string, words: readonly string[]): string[] {
  if (!SHELL.test(name)) return [];
  let at = words.findIndex((word) => SHELL_INLINE.test(word));
  if (at === -1) return [];
  do at += SHELL_VALUED.test(words[at] ?? '') ? 2 : 1;
  while (/^[-+]/.test(words[at] ?? ''));
  return words.slice(at, at + 1);
}

/** What is run for a folder, or for a script without its extension. */
function mainFilesOf(name: string): readonly string[] {
  if (/^(?:node|bun|tsx|ts-node)/.test(name)) return ['.js', '/index.js', '/package.json'];
  return name.startsWith('py') ? ['/__main__.py'] : [];
}

function moduleFiles(module: string): string[] {
  if (!/^[\w.]+$/.test(module)) return [];
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`];
}

function optionValue(word: string): string {
  return word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
}

function looksLikeFile(word: string): boolean {
  return word.includes('/') || SCRIPT.test(word);
}

/**
 * Removes a folder that is known only at run time, such as `$PWD/` or `$(git rev-parse
 * --show-toplevel)/`: it is most likely the project's own.
 */
function withoutExpansion(path: string): string {
  return path.replace(/^(?:\$\w+|\$\{[^{}]*\}|\$\([\s\S]*\)|`[^`]*`)\//, '');
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
