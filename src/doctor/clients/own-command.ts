// Which of the commands that clients' files name doctor may start. These files can come with a
// cloned repository, and looking at a project must not run what it names: only a deepwork that
// is installed outside the project is started, or this very program.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { ownedBy, programOf } from '../../environment/process/program.ts';
import { readSmallText } from '../../files/read-contained.ts';
import { realPathOf } from '../../files/real-path.ts';

export type JudgedCommand =
  | { readonly kind: 'deepwork'; readonly argv: readonly [string, ...string[]] }
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
  const isOfProject = ownedBy(root);
  const argv = [program, ...words.slice(1)] as const;
  if (isNode) {
    if (isOfProject(program)) return other('starts a node of the project');
    const script = path.resolve(root, second);
    if (!existsSync(script)) return missing(second, 'is not there');
    return isDeepwork(script, place) ? { kind: 'deepwork', argv } : other(NOT_STARTED);
  }
  // On the PATH outside the project there is what its user has put there.
  const isInstalled = first === NAME;
  if (isInstalled || isDeepwork(program, place)) return { kind: 'deepwork', argv };
  return other(NOT_STARTED);
}

const NOT_STARTED = 'is not a deepwork that is installed outside the project';

function missing(program: string, why: string): JudgedCommand {
  return { kind: 'missing', program, why };
}

function other(why: string): JudgedCommand {
  return { kind: 'other', why };
}

/** Installed as a package of that name, and not in the project. */
function isDeepwork(file: string, { root, script }: Place): boolean {
  const real = realPathOf(file);
  if (real === realPathOf(script)) return true;
  if (ownedBy(root)(real)) return false;
  const about = path.join(path.dirname(real), '..', 'package.json');
  const text = readSmallText(about, 1024 * 1024) ?? '';
  return path.basename(real) === 'main.cjs' && /"name":\s*"deepwork"/.test(text);
}
