// Whether a client's hook works: its command is really started, with an input that changes
// nothing. One that guards files is asked about a write that it has to refuse; the others are
// called in a folder that is not a project, where they answer nothing.

import { existsSync } from 'node:fs';
import os from 'node:os';
import { pathsOf } from '../../environment/paths.ts';
import { runCommand } from '../../gate/command.ts';
import { HOOK_CLIENTS } from '../../hook/clients/table.ts';
import { MOMENTS } from '../../hook/hook-client.ts';
import { type DoctorContext, ok, problem, type Result, warning } from '../check.ts';
import type { FoundEntry } from './client-files.ts';
import { judgeCommand, withoutTrust } from './own-command.ts';

const HOOK_MS = 15_000;
const MAX_OUTPUT = 256 * 1024;

/** The tool with which each client writes a file, and its input. */
const WRITES: Readonly<Record<string, (file: string) => object>> = {
  claude: (file) => ({ tool_name: 'Write', tool_input: { file_path: file, content: '' } }),
  codex: (file) => ({
    tool_name: 'apply_patch',
    tool_input: { command: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` },
  }),
  gemini: (file) => ({ tool_name: 'write_file', tool_input: { file_path: file, content: '' } }),
  // The format of the plugin that deepwork init writes.
  opencode: (file) => ({ tool_name: 'write', file }),
};

export async function tryHook(
  { file, words, text }: FoundEntry,
  context: DoctorContext,
): Promise<Result> {
  const { root, env, signal } = context;
  const fix = `correct the command in ${file}, or remove the entry and run deepwork init`;
  if (words === null) return warning(`${file}: ${text} is for a shell, so it was not started`, fix);
  const judged = judgeCommand(words, context);
  if (judged.kind === 'missing') {
    return problem(`${file} names ${judged.program}, which ${judged.why}`, fix);
  }
  if (judged.kind === 'other') {
    return warning(`${file}: ${text} ${judged.why}, so it was not started`, fix);
  }
  const [command, name = '', moment = '', ...more] = judged.rest;
  const client = HOOK_CLIENTS.find((each) => each.name === name);
  const isKnown = (MOMENTS as readonly string[]).includes(moment);
  if (command !== 'hook' || client === undefined || !isKnown || more.length > 0) {
    return problem(`${file}: ${text} is not a hook that deepwork knows`, fix);
  }
  const input = inputFor(name, moment, root);
  const ran = await runCommand({
    argv: [...judged.program, 'hook', client.name, moment],
    root,
    env: withoutTrust(env),
    input: JSON.stringify(input),
    timeoutMs: HOOK_MS,
    signal,
    output: { keep: 'all', limit: MAX_OUTPUT },
  });
  const shown = `${file}: ${text}`;
  if (ran.kind === 'timed_out') return problem(`${shown} timed out after ${HOOK_MS / 1000} s`, fix);
  if (ran.kind !== 'exited') return problem(`${shown} cannot be started (${ran.kind})`, fix);
  const said = ran.stdout.trim();
  if (ran.code !== 0) return problem(`${shown} exits with ${ran.code}`, fix);
  if (!isAnswer(said)) return problem(`${shown} prints something other than JSON`, fix);
  const hasToRefuse = client.readCall(input).writes.length > 0;
  if (hasToRefuse && !said.includes('deepwork:')) {
    return problem(`${shown} lets an agent write the journal`, fix);
  }
  return ok(`${moment} in ${Math.round(ran.milliseconds)} ms`);
}

function inputFor(client: string, moment: string, root: string): Readonly<Record<string, unknown>> {
  const { own, journal } = pathsOf(root);
  const about = { session_id: 'deepwork-doctor', transcript_path: os.devNull };
  const write = moment === 'tool' && existsSync(own) ? WRITES[client] : undefined;
  if (write === undefined) return { ...about, cwd: os.tmpdir(), source: 'startup' };
  return { ...about, cwd: root, ...write(`${journal}/doctor`) };
}

function isAnswer(said: string): boolean {
  if (said === '') return true;
  try {
    return typeof JSON.parse(said) === 'object';
  } catch {
    return false;
  }
}
