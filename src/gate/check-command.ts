// Runs the command of a check, for a step or for a loop, and keeps the end of what it printed.

import { counted, shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
import { RUNNER_MARK } from '../environment/process/marked-processes.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { type CommandResult, runCommand } from './command.ts';

export const MAX_OUTPUT_BYTES = 4 * 1024;
const MAX_COMMAND_LENGTH = 500;

export interface CheckCommand {
  readonly root: string;
  readonly check: Check;
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export function runCheckCommand(request: CheckCommand): Promise<CommandResult> {
  const { root, check, variables, signal } = request;
  return runCommand({
    argv: [check.run],
    shell: true,
    root,
    env: { ...checkEnvironment(process.env), ...variables },
    timeoutMs: check.timeoutSeconds * 1000,
    signal,
    output: { keep: 'tail', limit: MAX_OUTPUT_BYTES },
  });
}

/** The end of its output, stderr last. */
export function endOfOutput(ran: { readonly stdout: string; readonly stderr: string }): string {
  const text = `${ran.stdout}${ran.stderr}`;
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_OUTPUT_BYTES) return text.trim();
  // Drop a character that was cut in two.
  const end = bytes.subarray(bytes.length - MAX_OUTPUT_BYTES).toString('utf8');
  return end.replace(/^\uFFFD+/, '').trim();
}

/** Why a command did not exit by itself. */
export function whyNotExited(
  ran: Exclude<CommandResult, { kind: 'exited' }>,
  { timeoutSeconds }: Check,
): string {
  switch (ran.kind) {
    case 'timed_out':
      return `timed out after ${counted(timeoutSeconds, 'second')}`;
    case 'failed':
      return `could not be started: ${ran.reason}`;
    default:
      return 'could not be started';
  }
}

/** As people read it. */
export function shownCommand({ run }: Check): string {
  return shownUpTo(run, MAX_COMMAND_LENGTH);
}

const SECRET =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)(?:PASS|KEY|PAT|AUTH)(?:_(?!SOCK)|$)|_PWD$/i;
const AGENT = /^(CLAUDE|ANTHROPIC|OPENAI|GEMINI|GOOGLE_API|CODEX|DEEPWORK|SGAI|MCP)(_|CODE|$)/;

/** The user's environment without agents' credentials. */
export function checkEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(programEnvironment(env)).filter(
      ([name]) =>
        name === RUNNER_MARK ||
        (!SECRET.test(name) && !AGENT.test(name) && name !== 'NODE_OPTIONS'),
    ),
  );
}
