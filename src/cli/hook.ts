// deepwork hook <client> <moment>: what a client runs when a conversation starts, when its agent
// wants to stop, and before it writes a file. The client's JSON comes on stdin; the answer, if there
// is one, goes to stdout. It never fails the client: errors only go to `~/.deepwork/hook.log`.
//
// Most of the time no session is open; then this ends without loading the engine.

import { homeOf } from '../environment/home.ts';
import { pathsOf } from '../environment/paths.ts';
import { HOOK_CLIENTS } from '../hook/clients/table.ts';
import { guardedPaths, possiblePaths, refusedCall, refusedWrite } from '../hook/guarded-files.ts';
import { type HookAnswer, type HookClient, MOMENTS, type Moment } from '../hook/hook-client.ts';
import { readHookInput } from '../hook/hook-input.ts';
import { hookLogFile, logHook } from '../hook/hook-log.ts';
import { PLUGIN_FLAG, settingsHaveHook } from '../hook/own-settings.ts';
import { listOpenMarks } from '../sessions/open-marks.ts';
import { findProject } from './find-project.ts';
import type { Io } from './io.ts';

/** What a hook uses of a command's `Io`. */
type HookIo = Pick<Io, 'stdin' | 'stdout' | 'env' | 'cwd' | 'clock'>;

/** Whether these arguments are those of a client, and do not ask for help. */
export function isHookCall(argv: readonly string[]): boolean {
  const [client = '--help'] = argv;
  return !client.startsWith('-') && !argv.includes('--help');
}

export async function hook(argv: readonly string[], io: HookIo): Promise<number> {
  const [name = '', moment = '', ...more] = argv;
  try {
    const client = HOOK_CLIENTS.find((each) => each.name === name);
    if (client === undefined) throw new Error(`there is no client '${name}'`);
    if (!isMoment(moment)) throw new Error(`there is no moment '${moment}'`);
    const answer = await answerTo(io, client, moment, more.includes(PLUGIN_FLAG));
    if (answer !== null) io.stdout.write(`${client.writeAnswer(answer)}\n`);
  } catch (error) {
    logHook(`${name} ${moment}`, error, hookLogFile(homeOf(io.env)));
  }
  return 0;
}

function isMoment(text: string): text is Moment {
  return (MOMENTS as readonly string[]).includes(text);
}

async function answerTo(
  io: HookIo,
  client: HookClient,
  moment: Moment,
  isPlugin: boolean,
): Promise<HookAnswer | null> {
  const input: unknown = JSON.parse(await readHookInput(io.stdin));
  if (typeof input !== 'object' || input === null)
    throw new Error('the input is not a JSON object');
  const read = client.readCall(input as Readonly<Record<string, unknown>>);
  const home = homeOf(io.env);
  const named = [...new Set(read.writes)].flatMap((file) => possiblePaths(file, home));
  const call = { ...read, writes: named };
  const cwd = call.cwd ?? io.cwd;
  const project = findProject(io.env, cwd);
  const open = listOpenMarks(pathsOf(project).tmp);
  if (moment === 'tool') {
    const reason =
      refusedCall(call.writes) ??
      refusedWrite(call.writes, cwd, guardedPaths(project, home, call.writes, cwd));
    if (reason !== null) return { kind: 'deny', reason };
  }
  // `deepwork run` itself sends its agents back to work and gives them the context.
  if (io.env.DEEPWORK_RUN !== undefined && moment !== 'tool') return null;
  if (open.length === 0 || (moment === 'tool' && call.writes.length === 0)) return null;
  // Refusing a write twice does no harm, so a guard never relies on what settings say.
  if (
    isPlugin &&
    moment !== 'tool' &&
    settingsHaveHook(client, moment, settingsFolders(io, project))
  )
    return null;
  const { loadBundle } = await import('../bundles/load-bundle.ts');
  const { bundled } = await import('./command-line.ts');
  const { env, clock } = io;
  const request = { project, bundled: bundled(), client, moment, call, cwd, env, clock };
  return loadBundle('engine-hook').answerHook(request);
}

/** Where the client reads its settings: the folder it was started in, and the home. */
function settingsFolders({ env }: HookIo, project: string) {
  return { project: env.CLAUDE_PROJECT_DIR || project, home: homeOf(env) };
}
