// Real shells that complete what a person has begun to type, with deepwork's own script loaded.
// What each offers is compared as plain words: some add the part that is typed already, some a
// slash to folders.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { BINARY } from './connect.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

/** What is offered for a line, in no order. */
export type Completer = (line: string) => Promise<string[]>;

function scriptOf(shell: string): string {
  const args = [BINARY, 'completion', shell];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`completion ${shell}: ${stderr}`);
  return stdout;
}

export function bashIn(cwd: string): Completer {
  const script = scriptOf('bash');
  return async (line) => {
    // As bash takes a line apart: at blanks, and around equal signs.
    const words = line.replaceAll('=', ' = ').split(/ +/).slice(1);
    const ask = `${script}
COMP_WORDS=(deepwork "$@"); COMP_CWORD=$#
_deepwork
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"; true`;
    const args = ['--norc', '--noprofile', '-uc', ask, 'bash', ...words];
    const { stdout, stderr } = spawnSync('bash', args, { cwd, encoding: 'utf8' });
    if (stderr !== '') throw new Error(`bash: ${stderr}`);
    return plain(stdout, line);
  };
}

export function fishIn(cwd: string): Completer {
  const file = path.join(tempFolder(), 'deepwork.fish');
  writeFileSync(file, scriptOf('fish'));
  return async (line) => {
    const ask = `source '${file}'; complete -C '${line}'`;
    const args = ['--no-config', '-c', ask];
    const { stdout, stderr } = spawnSync('fish', args, { cwd, encoding: 'utf8' });
    if (stderr !== '') throw new Error(`fish: ${stderr}`);
    return plain(stdout, line);
  };
}

/** `kept`: the script is a file in a folder of `fpath`; else it is evaluated. */
export async function zshIn(cwd: string, how: 'evaluated' | 'kept'): Promise<Completer> {
  const folder = tempFolder('functions');
  writeFileSync(path.join(folder, 'functions/_deepwork'), scriptOf('zsh'));
  const setup = path.join(folder, 'setup.zsh');
  writeFileSync(setup, zshSetup(path.join(folder, 'functions'), how));
  const out = path.join(folder, 'out');
  const child = spawn('script', ['-qec', 'zsh -f -i', '/dev/null'], {
    cwd,
    env: { ...process.env, OUT: out, TERM: 'xterm', HOME: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  child.stdin.write(`source '${setup}'; echo REA''DY\n`);
  await until(() => screen.includes('READY'), WAIT_MS);
  return async (line) => {
    rmSync(out, { force: true });
    // Empties the line, types this one, and asks for the list.
    child.stdin.write(`\u0015${line}\u0014`);
    await until(() => offeredIn(out).endsWith(`${END}\n`), WAIT_MS);
    return plain(offeredIn(out).replace(`${END}\n`, ''), line);
  };
}

const WAIT_MS = 30_000;
const END = '--END--';

/** Every match goes through `compadd`, which here writes them down as well. */
function zshSetup(functions: string, how: 'evaluated' | 'kept'): string {
  const load = how === 'kept' ? '' : `eval "$(< '${functions}/_deepwork')"`;
  return `${how === 'kept' ? `fpath=('${functions}' $fpath)` : ''}
autoload -Uz compinit; compinit -D -u
${load}
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- "\${(Q)hits[@]}" >> $OUT
  builtin compadd "$@"
}
capture() { : > $OUT; _main_complete; print -r -- ${END} >> $OUT }
zle -C capture list-choices capture
bindkey '^T' capture
LISTMAX=10000
`;
}

function offeredIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Without descriptions, without what stands before a comma or an equal sign, each once. */
function plain(stdout: string, line: string): string[] {
  const typed = line.split(' ').at(-1) ?? '';
  const before = /^.*[,=]/.exec(typed)?.[0] ?? '';
  const words = stdout
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => each.split('\t')[0] as string)
    .map((each) => (each.startsWith(before) ? each.slice(before.length) : each))
    .map((each) => each.replace(/(?<=.)\/$/, ''));
  return [...new Set(words)].sort();
}
