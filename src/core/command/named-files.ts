// Which files of a project a command line runs: programs given by a path, scripts given to
// an interpreter, the file in which a runner such as npm or make looks up what to do. Files
// that a command only reads are not among them, or every output of a step would be.
//
// It reads the line and no file. What a script itself calls is not found here.

import { type SimpleCommand, simpleCommands } from './shell-words.ts';

export interface NamedFile {
  /** As written, relative to one of `folders` unless it is absolute. */
  readonly path: string;
  /** Where it may be, relative to the project; the project itself is ''. */
  readonly folders: readonly string[];
  /**
   * `run`: it is run, whether it is there already or not. `executable`: it is run only if
   * the file may be executed.
   */
  readonly kind: 'run' | 'executable';
}

/** More than any command that a person can read and judge. */
const MAX_FILES = 64;
const MAX_LENGTH = 16 * 1024;
const MAX_DEPTH = 4;

/** Null: the line is too long, or names too many files, to say what it runs. */
export function filesNamedIn(line: string): NamedFile[] | null {
  if (line.length > MAX_LENGTH) return null;
  const found: NamedFile[] = [];
  read(line, [''], found, 0);
  const seen = new Set<string>();
  const files = found.filter((file) => {
    const key = JSON.stringify(file);
    return !seen.has(key) && seen.add(key);
  });
  return files.length > MAX_FILES ? null : files;
}

function read(line: string, folders: string[], found: NamedFile[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const command of simpleCommands(line)) readCommand(command, folders, found, depth);
}

const KEYWORD = /^(?:if|then|else|elif|do|while|until|!|\{|\}|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const INTERPRETER =
  /^(?:(?:ba|da|z|k|a|fi)?sh|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|luajit|Rscript|pwsh|tclsh|source|\.)$/;
const WRAPPER =
  /^(?:env|time|timeout|nice|ionice|nohup|exec|command|builtin|sudo|doas|xargs|stdbuf|setsid|unbuffer|npx|pnpx|bunx|uv|uvx|poetry|pipenv|bundle|cross-env|dotenv|find|eval)$/;
const SHELL = /sh$/;
/** Options whose next word belongs to them. */
const SHELL_VALUED = /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/;
const VALUED =
  /^(?:-[rIWXC]|--(?:require|import|loader|experimental-loader|env-file|config|tsconfig|prefix|cwd|dir|directory))$/;
/** Options whose next word is code, not a file. */
const SHELL_INLINE = /^-[A-Za-z]*c$/;
const INLINE = /^(?:-[cep]|-pe|-ne|--eval|--print)$/;
const FOLDER = /^(?:-C|--prefix|--cwd|--dir|--directory)(?:=(.+))?$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|py|rb|pl|php|lua|R|ps1|tcl)$/;
const SUBCOMMAND = /^(?:run|test|exec|x|task|watch)$/;

/** Where a runner looks up what to do. All of them count: one may shadow another. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  deno: ['deno.json', 'deno.jsonc'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile', 'rakefile'],
  composer: ['composer.json'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  invoke: ['tasks.py'],
};

function readCommand(
  { words }: SimpleCommand,
  folders: string[],
  found: NamedFile[],
  depth: number,
): void {
  const start = words.findIndex((word) => !KEYWORD.test(word) && !ASSIGNMENT.test(word));
  if (start === -1) return;
  const program = words[start] as string;
  const rest = words.slice(start + 1);
  const name = baseName(program);
  if (name === 'cd' || name === 'pushd') {
    const [folder] = rest.filter((word) => !word.startsWith('-'));
    if (folder !== undefined && folder !== '-') folders.unshift(plain(folder));
    return;
  }
  const here = [...foldersIn(rest), ...folders];
  const add = (path: string, kind: NamedFile['kind'] = 'run') =>
    found.push({ path: plain(path), folders: [...here], kind });

  if (program.includes('/')) add(program);
  for (const word of rest) {
    if (word.includes('/')) add(optionValue(word), 'executable');
    if (word.includes('$(') || word.includes('`')) read(word, folders, found, depth + 1);
  }
  const isWrapper = WRAPPER.test(name);
  // Behind a wrapper anything may be the program: its own options are not known here.
  const programs = isWrapper ? [program, ...rest] : [program];
  for (const [at, word] of programs.entries()) {
    const own = baseName(word);
    for (const file of Object.hasOwn(RUNNERS, own) ? (RUNNERS[own] ?? []) : []) add(file);
    if (INTERPRETER.test(own)) {
      const after = rest.slice(at);
      for (const script of scriptsOf(own, after)) add(script);
      for (const code of inlineCode(own, after)) read(code, folders, found, depth + 1);
    }
  }
  if (name === 'eval') read(rest.join(' '), folders, found, depth + 1);
  if (/^g?make$/.test(name))
    for (const file of valuesOf(rest, /^(?:-f|--file|--makefile)$/)) add(file);
}

/** The script of an interpreter, and what its options load besides. */
function scriptsOf(name: string, words: readonly string[]): string[] {
  const inline = SHELL.test(name) ? SHELL_INLINE : INLINE;
  const valued = SHELL.test(name) ? SHELL_VALUED : VALUED;
  const scripts: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '-m' && name.startsWith('py'))
      return [...scripts, ...moduleFiles(words[at + 1] ?? '')];
    if (inline.test(word)) return scripts;
    if (valued.test(word)) {
      const value = words[++at];
      if (value !== undefined && looksLikeFile(value)) scripts.push(value);
    } else if (word.startsWith('-')) {
      if (word.includes('=') && looksLikeFile(optionValue(word))) scripts.push(optionValue(word));
    } else if (!SUBCOMMAND.test(word)) {
      return looksLikeFile(word) || !word.includes('=') ? [...scripts, word] : scripts;
    }
  }
  return scripts;
}

/** What `sh -c` runs. */
function inlineCode(name: string, words: readonly string[]): string[] {
  if (!SHELL.test(name)) return [];
  const at = words.findIndex((word) => SHELL_INLINE.test(word));
  const code = at === -1 ? undefined : words[at + 1];
  return code === undefined ? [] : [code];
}

function moduleFiles(module: string): string[] {
  if (!/^[\w.]+$/.test(module)) return [];
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`];
}

function foldersIn(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const match = FOLDER.exec(word);
    const folder = match === null ? undefined : (match[1] ?? words[at + 1]);
    return folder === undefined ? [] : [plain(folder)];
  });
}

function valuesOf(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, at) => {
    const [name = '', value] = word.split('=', 2);
    if (!option.test(name)) return [];
    const given = value ?? words[at + 1];
    return given === undefined ? [] : [given];
  });
}

function optionValue(word: string): string {
  return word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
}

function looksLikeFile(word: string): boolean {
  return word.includes('/') || SCRIPT.test(word);
}

/** The project's own folder in the ways that people write it. */
function plain(path: string): string {
  return path.replace(/^(?:\$\{?PWD\}?|\$\(pwd\))\//, '');
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
