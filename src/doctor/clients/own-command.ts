// Which of the commands in clients' files doctor may start. These files can come with a cloned
// repository, and checking a project must not run what it names: only this program itself is
// started, or the deepwork that the user has on the PATH. None of the file's arguments is passed on;
// `start-server.ts` and `start-hook.ts` build their own.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { findProgram, ownedBy, programOf } from '../../environment/process/program.ts';
import { realPathOf } from '../../files/real-path.ts';
import type { DoctorContext } from '../check.ts';

export type JudgedCommand =
  /** `program` is safe to start; the arguments are still to be judged. */
  | { readonly kind: 'deepwork'; readonly program: readonly [string, ...string[]] }
  /** `why` completes a sentence that begins with the program, or with the command. */
  | { readonly kind: 'missing'; readonly program: string; readonly why: string }
  /** Another program, which is not started. */
  | { readonly kind: 'other'; readonly why: string };

type CommandContext = Pick<DoctorContext, 'root' | 'env' | 'script'>;

const NAME = 'deepwork';

/** `rest` is the command line without the program: `serve …` or `hook …`. */
export function judgeCommand(
  words: readonly string[],
  context: CommandContext,
): JudgedCommand & { readonly rest: readonly string[] } {
  const [first = '', ...others] = words;
  const isNode = /^node(?:\.exe)?$/.test(path.basename(first));
  const rest = isNode ? others.slice(1) : others;
  return { ...judgeProgram(words, isNode, context), rest };
}

function judgeProgram(
  words: readonly string[],
  isNode: boolean,
  context: CommandContext,
): JudgedCommand {
  const { root, env } = context;
  const [first = '', second = ''] = words;
  const program = programOf(first, root, root, env);
  if (program === null) return missing(first, 'is not on the PATH');
  if (!existsSync(program)) return missing(first, 'does not exist');
  if (!isNode) return judgeFile(program, context);
  if (ownedBy(root, env)(program)) return other('starts a node of the project');
  // Node takes this as an option, even if a file has that name.
  if (second.startsWith('-')) return other(`gives node the option ${second}`);
  const script = path.resolve(root, second);
  if (!existsSync(script)) return missing(second, 'does not exist');
  return judgeFile(script, context);
}

/** Compares real paths, so that no link in the project is started. */
function judgeFile(file: string, { root, env, script }: CommandContext): JudgedCommand {
  const real = realPathOf(file);
  const own = realPathOf(script);
  if (real === own) return { kind: 'deepwork', program: [process.execPath, own] };
  // Programs on the PATH outside the project were installed by the user.
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

/** A program that a project's file names must not inherit the person's trust. */
export function withoutTrust(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DEEPWORK_TRUST: _trust, ...rest } = env;
  return rest;
}
