// Runs the command of a check, for a step or for a loop, and keeps of what it printed the lines around
// the first error and the end.

import { counted, shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
import { RUNNER_MARK } from '../environment/process/marked-processes.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { type CommandResult, runCommand } from './command.ts';

export const MAX_OUTPUT_BYTES = 4 * 1024;
/** Of each stream, its end. */
const MAX_SEARCHED_BYTES = 1024 * 1024;
const MAX_ERROR_BYTES = 1536;
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
    output: { keep: 'tail', limit: MAX_SEARCHED_BYTES },
  });
}

/** Its output, stderr last. Of a long one, the lines around the first error, and the end. */
export function excerptOf(ran: { readonly stdout: string; readonly stderr: string }): string {
  const text = `${ran.stdout}${ran.stderr}`.trim();
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_OUTPUT_BYTES) return text;
  const error = firstError(text);
  const start = error === null ? bytes.length : Buffer.byteLength(text.slice(0, error));
  if (start >= bytes.length - MAX_OUTPUT_BYTES) return wholeText(bytes.subarray(-MAX_OUTPUT_BYTES));
  const around = wholeText(bytes.subarray(start, start + MAX_ERROR_BYTES));
  const end = wholeText(bytes.subarray(MAX_ERROR_BYTES + MARK_BYTES - MAX_OUTPUT_BYTES));
  const left = text.slice(error ?? 0).slice(around.length, -end.length);
  return `${around}\n[… ${counted(left.split('\n').length, 'line')} left out …]\n${end}`;
}

/** What the mark between the two takes. */
const MARK_BYTES = 64;

/** Without a character that was cut in two. */
function wholeText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFFFD+|\uFFFD+$/g, '');
}

const TROUBLE = /error|fail|exception|panic|fatal|traceback|not ok/i;
/** Names of tests that passed often speak of errors. */
const FINE = /[✓✔√]|\bpass(?:ed|es)?\b|(?<!not )\bok\b|\b(?:0|no) (?:error|fail)/i;
const LINES_BEFORE = 3;
const MAX_LINE = 500;

/** Where the lines begin that lead to the first error; null if no line looks like one. */
function firstError(text: string): number | null {
  const starts: number[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const beginning = line.slice(0, MAX_LINE);
    starts.push(start);
    if (TROUBLE.test(beginning) && !FINE.test(beginning)) {
      const [first = start] = starts.slice(-1 - LINES_BEFORE);
      return Math.max(first, start - MAX_LINE);
    }
    start += line.length + 1;
  }
  return null;
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
