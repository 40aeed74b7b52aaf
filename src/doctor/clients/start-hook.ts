// Whether a client's hook works: its command is really started, with an input that changes
// nothing. One that guards files is asked about a write that it has to refuse; the others are
// asked from a folder that is no project, where they have nothing to say.

import { existsSync } from 'node:fs';
import os from 'node:os';
import { pathsOf } from '../../environment/paths.ts';
import { runCommand } from '../../gate/command.ts';
import { HOOK_CLIENTS } from '../../hook/clients/table.ts';
import { MOMENTS } from '../../hook/hook-client.ts';
import { type DoctorContext, ok, problem, type Result, warning } from '../check.ts';
import type { FoundEntry } from './client-files.ts';
import { judgeCommand, type Place, withoutTrust } from './own-command.ts';

const HOOK_MS = 15_000;
const OUTPUT_LIMIT = 256 * 1024;

/** The tool with which each client writes a file, and its input. */
const WRITES: Readonly<Record<string, (file: string) => object>> = {
  claude: (file) => ({ tool_name: 'Write', tool_input: { file_path: file, content: '' } }),
  codex: (file) => ({
    tool_name: 'apply_patch',
    tool_input: { command: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` },
  }),
  gemini: (file) => ({ tool_name: 'write_file', tool_input: { file_path: file, content: '' } }),
  // As the plugin that deepwork init writes says it.
  opencode: (file) => ({ tool_name: 'write', file }),
};

export async function tryHook(
  { file, words, text }: FoundEntry,
  context: DoctorContext,
  place: Place,
): Promise<Result> {
  const fix = `correct the command in ${file}, or remove the entry and run deepwork init`;
  if (words === null) return warning(`${file}: ${text} is for a shell, so it was not started`, fix);
  const judged = judgeCommand(words, place);
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
  const input = inputFor(name, moment, place.root);
  const ran = await runCommand({
    argv: [...judged.program, 'hook', client.name, moment],
    root: place.root,
    env: withoutTrust(context.env),
    input: JSON.stringify(input),
    timeoutMs: HOOK_MS,
    signal: context.signal,
    output: { keep: 'all', limit: OUTPUT_LIMIT },
  });
  const shown = `${file}: ${text}`;
  if (ran.kind === 'timed_out') return problem(`${shown} timed out after ${HOOK_MS / 1000} s`, fix);
  if (ran.kind !== 'exited') return problem(`${shown} cannot be started (${ran.kind})`, fix);
  const said = ran.stdout.trim();
  if (ran.code !== 0) return problem(`${shown} exits with ${ran.code}`, fix);
  if (!isAnswer(said)) return problem(`${shown} prints what no client understands`, fix);
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
