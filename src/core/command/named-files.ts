// Which project files a command line runs: programs given by a path, scripts given to an
// interpreter, the file in which a runner such as npm or make looks up its tasks. Files that a
// command only reads do not count, or every output of a step would.
//
// Only the line is read, no file. What a script calls in turn is not found here.

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
  read(line, [''], found, 0);
  return isTooMuch(found) ? null : [...found.files.values()];
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
  for (const command of commands) readCommand(command, folders, found, depth);
  // `cat x.sh | sh` runs a file that is only read.
  if (!commands.some(({ words }) => words.length === 1 && SHELL.test(baseName(words[0] ?? ''))))
    return;
  for (const path of commands.flatMap(({ words }) => words).filter((word) => SCRIPT.test(word)))
    keep(found, { path: withoutPwd(path), folders: [...folders], kind: 'run' });
}

const KEYWORD = /^(?:if|then|else|elif|do|while|until|!|\{|\}|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const INTERPRETER =
  /^(?:(?:(?:ba|rba|da|z|k|mk|a|fi)?sh|node|nodejs|deno|bun|tsx|ts-node|python|pypy|uv|pdm|rye|hatch|ruby|perl|php|lua|luajit|Rscript|pwsh|tclsh)[\d.]*|source|\.)$/;
/** Programs that take a whole command as one word. */
const READS_COMMAND = /^(?:trap|env|eval|watch|parallel|xargs|script|su|runuser|flock|sg|entr)$/;
const SHELL = /^(?:ba|rba|da|z|k|mk|a|fi|pw)?sh[\d.]*$/;
/** Variables that make a program load a file before anything else. */
const LOADS =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHONSTARTUP|RUBYOPT|PERL5OPT|LD_PRELOAD|BUN_OPTIONS)=/;
/** Options whose value is the next word. */
const SHELL_VALUED = /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/;
const VALUED =
  /^(?:-[rIWXC]|--(?:require|import|loader|experimental-loader|env-file|config|tsconfig|prefix|cwd|dir|directory))$/;
/** Options whose next word is code, not a file. */
const SHELL_INLINE = /^-[A-Za-z]*c[A-Za-z]*$/;
const INLINE: readonly (readonly [RegExp, RegExp])[] = [
  [SHELL, SHELL_INLINE],
  [/^py/, /^-[A-Za-z]*c$/],
  [/^(?:perl|ruby)/, /^-[A-Za-z]*[eE]$/],
  [/^php/, /^(?:-[rBRE]|--run)$/],
  [/^/, /^(?:-[ep]|-pe|--eval|--print)$/],
];
const FOLDER =
  /^(?:-C(?=.)|(?:-[Cw]|--(?:prefix|cwd|dir|directory|chdir|workspace|filter))(?:=|$))(.*)$/;
/** Programs whose `-f` names a file that they run. */
const READS_FILE = /^(?:g?make|[gmn]?awk|g?sed|jq)$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|py|rb|pl|php|lua|R|ps1|tcl)$/;
const SUBCOMMAND = /^(?:run|test|exec|x|task|watch)$/;

/** Where a runner looks up its tasks. All of them count: one may shadow another. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json', '.npmrc'],
  npx: ['package.json', '.npmrc'],
  pnpm: ['package.json', '.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs'],
  yarn: ['package.json', '.yarnrc.yml', '.yarnrc'],
  bun: ['package.json', 'bunfig.toml'],
  deno: ['deno.json', 'deno.jsonc'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  rake: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'],
  composer: ['composer.json'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  invoke: ['tasks.py'],
};

function readCommand(
  { words }: SimpleCommand,
  folders: string[],
  found: Found,
  depth: number,
): void {
  for (const word of words) {
    if (word.includes('$(') || word.includes('`')) read(word, folders, found, depth + 1);
    for (const path of LOADS.test(word) ? word.split(/[\s=:]+/).filter(looksLikeFile) : [])
      keep(found, { path: withoutPwd(path), folders: [...folders], kind: 'run' });
  }
  const start = words.findIndex((word) => !KEYWORD.test(word) && !ASSIGNMENT.test(word));
  if (start === -1) return;
  const program = words[start] as string;
  const rest = words.slice(start + 1);
  const name = baseName(program);
  if (name === 'cd' || name === 'pushd') {
    const [folder] = rest.filter((word) => !word.startsWith('-'));
    const [above = ''] = folders;
    if (folder !== undefined && folder !== '-')
      folders.unshift(
        ...(above === '' ? [] : [`${above}/${withoutPwd(folder)}`]),
        withoutPwd(folder),
      );
    return;
  }
  const here = [...foldersIn(rest), ...folders];
  const add = (path: string, kind: NamedFile['kind'] = 'run') =>
    keep(found, { path: withoutPwd(path), folders: [...here], kind });

  if (program.includes('/')) add(program);
  for (const word of rest) {
    if (word.includes('/')) add(optionValue(word), 'executable');
    if (/\s/.test(word) && READS_COMMAND.test(name)) read(word, folders, found, depth + 1);
  }
  // `time -p`, `flock x`, `strace`: any word may be a program that another one starts.
  for (const [at, word] of [program, ...rest].entries()) {
    const own = baseName(word);
    if (at > 0 && own === '.') continue;
    if (isTooMuch(found)) return;
    for (const file of Object.hasOwn(RUNNERS, own) ? (RUNNERS[own] ?? []) : []) add(file);
    if (INTERPRETER.test(own)) {
      const after = rest.slice(at);
      found.work += after.length;
      for (const script of scriptsOf(own, after)) {
        add(script);
        for (const main of SCRIPT.test(script) ? [] : mainFilesOf(own)) add(`${script}${main}`);
      }
      for (const code of inlineCode(own, after)) read(code, folders, found, depth + 1);
    }
  }
  if (name === 'eval') read(rest.join(' '), folders, found, depth + 1);
  if (READS_FILE.test(name))
    for (const file of valuesOf(rest, /^(?:-f|--(?:from-)?file|--makefile)$/)) add(file);
}

/** The script of an interpreter, and the files its options load. */
function scriptsOf(name: string, words: readonly string[]): string[] {
  const isShell = SHELL.test(name);
  const inline = INLINE.find(([of]) => of.test(name))?.[1];
  const valued = isShell ? SHELL_VALUED : VALUED;
  const scripts: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const module = name.startsWith('py') ? /^-[bBdEiIOPqsSuvx]*m(.*)$/.exec(word) : null;
    if (module !== null) return [...scripts, ...moduleFiles(module[1] || (words[at + 1] ?? ''))];
    if (inline?.test(word)) return scripts;
    if (valued.test(word)) {
      const value = words[++at];
      if (value !== undefined && looksLikeFile(value)) scripts.push(value);
    } else if (word.startsWith('-') || (isShell && word.startsWith('+'))) {
      if (word.includes('=') && looksLikeFile(optionValue(word))) scripts.push(optionValue(word));
    } else if (!SUBCOMMAND.test(word)) {
      scripts.push(word);
      // After an unknown option, it may be the option's value.
      if (looksLikeFile(word) || !words[at - 1]?.startsWith('-')) return scripts;
    }
  }
  return scripts;
}

/** The code that `sh -c` runs. */
function inlineCode(name: string, words: readonly string[]): string[] {
  if (!SHELL.test(name)) return [];
  const at = words.findIndex((word) => SHELL_INLINE.test(word));
  const code = at === -1 ? undefined : words[at + 1];
  return code === undefined ? [] : [code];
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

function foldersIn(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const match = FOLDER.exec(word);
    const folder = match === null ? undefined : match[1] || words[at + 1];
    return folder === undefined ? [] : [withoutPwd(folder)];
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

/** Removes a leading `$PWD/` or `$(pwd)/`, which is the project's own folder. */
function withoutPwd(path: string): string {
  return path.replace(/^(?:\$\{?PWD\}?|\$\(pwd\))\//, '');
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
