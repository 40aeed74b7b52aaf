// How clients start this program: by its name if that leads to this program, else by its path. Never
// by `npx`, which takes longer than a hook may, and may fetch another version.

import { accessSync, constants } from 'node:fs';
import { findProgram } from '../environment/process/program.ts';
import { realPathOf } from '../files/real-path.ts';

export interface OwnProgram {
  readonly words: readonly [string, ...string[]];
  /** Why it is written by its path; null if it is written by its name. */
  readonly warning: string | null;
}

const NAME = 'deepwork';

/** `script` is the path of this program. */
export function ownProgram(script: string, root: string, env: NodeJS.ProcessEnv): OwnProgram {
  const own = realPathOf(script);
  const found = findProgram(NAME, root, env);
  if (found !== null && realPathOf(found) === own) return { words: [NAME], warning: null };
  const why =
    found === null
      ? `\`${NAME}\` is not on the PATH`
      : `\`${NAME}\` on the PATH is another program (${found})`;
  return {
    words: isExecutable(own) ? [own] : [process.execPath, own],
    warning: `${why}, so clients are given ${own}. That works on this machine only: do not commit these files, or install deepwork, then run this again.`,
  };
}

function isExecutable(file: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes words for a shell. */
export function shellCommand(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : quote(word))).join(' ');
}

function quote(word: string): string {
  return process.platform === 'win32'
    ? `"${word.replaceAll('"', '\\"')}"`
    : `'${word.replaceAll("'", `'\\''`)}'`;
}
