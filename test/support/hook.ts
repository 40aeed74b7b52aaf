// Runs `deepwork hook` as a client does: its JSON on stdin, under a shell of its own.

import { BINARY } from './connect.ts';
import { run } from './run-command.ts';

export interface HookOptions {
  readonly client?: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What the hook printed, parsed; null if it printed nothing. Its exit code is always 0. */
export async function hook(
  moment: string,
  input: unknown,
  { client = 'claude', cwd, env = {} }: HookOptions,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<any> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const options = { cwd, env, input: text };
  const { code, stdout } = await run(process.execPath, [BINARY, 'hook', client, moment], options);
  if (code !== 0) throw new Error(`deepwork hook exited with ${code}`);
  return stdout === '' ? null : JSON.parse(stdout);
}

/** Claude Code's own words. */
export function claudeInput(session: string, cwd: string, more: object = {}) {
  return { session_id: session, transcript_path: '/dev/null', cwd, ...more };
}
