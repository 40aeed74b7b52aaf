// Which of the commands that clients' files name doctor may start. These files can come with a
// cloned repository, and looking at a project must not run what it names: only this very program
// is started, or the deepwork that its user has put on the PATH. No word of the file is handed on
// to it: what a server or a hook is started with is put together by those who start it.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { findProgram, ownedBy, programOf } from '../../environment/process/program.ts';
import { realPathOf } from '../../files/real-path.ts';

export type JudgedCommand =
  /** `program` is what to start; `rest` has still to be judged. */
  | { readonly kind: 'deepwork'; readonly program: readonly [string, ...string[]] }
  /** `why` completes a sentence that begins with the program, or with the command. */
  | { readonly kind: 'missing'; readonly program: string; readonly why: string }
  /** It is not started. */
  | { readonly kind: 'other'; readonly why: string };

export interface Place {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** This program. */
  readonly script: string;
}

const NAME = 'deepwork';

/** The command without its program gives `rest`: `serve …` or `hook …`. */
export function judgeCommand(
  words: readonly string[],
  place: Place,
): JudgedCommand & { readonly rest: readonly string[] } {
  const [first = '', ...others] = words;
  const isNode = /^node(?:\.exe)?$/.test(path.basename(first));
  const rest = isNode ? others.slice(1) : others;
  return { ...judgeProgram(words, isNode, place), rest };
}

function judgeProgram(words: readonly string[], isNode: boolean, place: Place): JudgedCommand {
  const { root, env } = place;
  const [first = '', second = ''] = words;
  const program = programOf(first, root, root, env);
  if (program === null) return missing(first, 'is not on the PATH');
  if (!existsSync(program)) return missing(first, 'is not there');
  if (!isNode) return judgeFile(program, place);
  if (ownedBy(root)(program)) return other('starts a node of the project');
  // To node this is an option, whatever file has that name.
  if (second.startsWith('-')) return other(`gives node the option ${second}`);
  const script = path.resolve(root, second);
  if (!existsSync(script)) return missing(second, 'is not there');
  return judgeFile(script, place);
}

/** By its real path, so that no name in the project is started. */
function judgeFile(file: string, { root, env, script }: Place): JudgedCommand {
  const real = realPathOf(file);
  const own = realPathOf(script);
  if (real === own) return { kind: 'deepwork', program: [process.execPath, own] };
  // On the PATH outside the project there is what its user has put there.
  const installed = findProgram(NAME, root, env);
  if (installed !== null && realPathOf(installed) === real) {
    const isScript = /\.[cm]?js$/.test(real);
    return { kind: 'deepwork', program: isScript ? [process.execPath, real] : [installed] };
  }
  return other('is not the deepwork that is installed here');
}

function missing(program: string, why: string): JudgedCommand {
  return { kind: 'missing', program, why };
}

function other(why: string): JudgedCommand {
  return { kind: 'other', why };
}

/** What of a person's own is not for a program that a project's file names. */
export function withoutTrust(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DEEPWORK_TRUST: _trust, ...rest } = env;
  return rest;
}
