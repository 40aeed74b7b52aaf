// `deepwork hook` as a client runs it, with its JSON on stdin: in the test's own process, or as the
// child of it for tests that are about the process. With DEEPWORK_TEST_STDIO=1 each is one.

import { command } from './command.ts';
import { deepwork, type Ran, type RunOptions } from './run-command.ts';

export interface HookOptions {
  readonly client?: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What the hook printed, parsed; null if it printed nothing. Its exit code is always 0. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export function hook(moment: string, input: unknown, options: HookOptions): Promise<any> {
  return answerOf(runHook, moment, input, options);
}

/** The same of a process. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export function hookProcess(moment: string, input: unknown, options: HookOptions): Promise<any> {
  return answerOf(runHookProcess, moment, input, options);
}

/** `args`: what follows `deepwork hook`. */
export function runHook(args: readonly string[], options: RunOptions): Promise<Ran> {
  return command(['hook', ...args], options);
}

function runHookProcess(args: readonly string[], options: RunOptions): Promise<Ran> {
  return deepwork(['hook', ...args], options);
}

async function answerOf(
  run: typeof runHook,
  moment: string,
  input: unknown,
  { client = 'claude', cwd, env = {} }: HookOptions,
): Promise<unknown> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const { code, stdout } = await run([client, moment], { cwd, env, input: text });
  if (code !== 0) throw new Error(`deepwork hook exited with ${code}`);
  return stdout === '' ? null : JSON.parse(stdout);
}

/** Claude Code's own words. */
export function claudeInput(session: string, cwd: string, more: object = {}) {
  return { session_id: session, transcript_path: '/dev/null', cwd, ...more };
}
