// Runs the command of a check, for a step or for a loop, and keeps of what it printed the lines around
// the first error and the end.

import { stripVTControlCharacters } from 'node:util';
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
  /** Of the server, which a check inherits in part. */
  readonly env: NodeJS.ProcessEnv;
  readonly check: Check;
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export function runCheckCommand(request: CheckCommand): Promise<CommandResult> {
  const { root, env, check, variables, signal } = request;
  return runCommand({
    argv: [check.run],
    shell: true,
    root,
    env: { ...checkEnvironment(env), ...variables },
    timeoutMs: check.timeoutSeconds * 1000,
    signal,
    output: { keep: 'tail', limit: MAX_SEARCHED_BYTES },
  });
}

/** Its output, stderr last. Of a long one, the lines around the first error, and the end. */
export function excerptOf(ran: { readonly stdout: string; readonly stderr: string }): string {
  const text = stripVTControlCharacters(`${ran.stdout}${ran.stderr}`).trim();
  if (Buffer.byteLength(text) <= MAX_OUTPUT_BYTES) return text;
  const error = firstError(text);
  const room = MAX_OUTPUT_BYTES - MARK_BYTES;
  const end = lastBytes(text, room);
  if (error === null || error >= text.length - end.length) {
    return `${leftOut(text.slice(0, text.length - end.length))}${end}`;
  }
  const around = firstBytes(text.slice(error), MAX_ERROR_BYTES);
  const rest = lastBytes(end, room - MAX_ERROR_BYTES);
  const left = text.slice(error + around.length, text.length - rest.length);
  return `${around}\n${leftOut(left)}${rest}`;
}

/** What the mark takes at most. */
const MARK_BYTES = 64;

function leftOut(text: string): string {
  return `[… ${counted(text.trim().split('\n').length, 'line')} left out …]\n`;
}

/** Without a character that was cut in two. */
function firstBytes(text: string, limit: number): string {
  return Buffer.from(text)
    .subarray(0, limit)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}

/** From the beginning of a line, unless the first line is too long. */
function lastBytes(text: string, limit: number): string {
  const whole = Buffer.from(text)
    .subarray(-limit)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
  const line = whole.indexOf('\n') + 1;
  return line > MAX_LINE ? whole : whole.slice(line);
}

/** Words by themselves: not parts of paths, options and other names. */
const TROUBLE =
  /^\s*[✗✖✘✕×]|(?<![\w./\\-])(?:\w*(?:error|exception)s?|fail(?:ed|ures?|s)?|fatal|panic(?:ked)?|traceback|not ok|err(?=!))(?![\w/\\-]|\.\w)/i;
/** Names of tests that passed often speak of errors, and summaries count none. */
const FINE =
  /^\s*(?:[✓✔√]|ok\b|(?:-+ )?pass(?:ed)?\b)|\s(?:passed|ok)\s*(?:[[(].*)?$|\b(?:0|no) (?:error|fail)|\b(?:fail\w*|errors?):? 0\b/i;
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
