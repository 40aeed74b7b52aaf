// Checks: commands that the server itself runs in the project, so that "the tests pass"
// is a fact and not a claim. They run only in a workspace that a person has trusted.

import type { Evidence } from '../core/session/state.ts';
import { shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
import { runCommand } from './command.ts';
import type { GateMember } from './request.ts';
import { keyOf } from './review/tasks.ts';

const OUTPUT_KEPT = 4 * 1024;
const COMMAND_SHOWN = 500;

export interface CheckRequest {
  readonly root: string;
  readonly member: GateMember;
  readonly signal: AbortSignal;
}

/** What a check is about: its command, and the files of the step it stands for. */
export function checkKey(member: GateMember, check: Check): string {
  return keyOf(['check', member.step.id, check, member.files]);
}

export async function runCheck(request: CheckRequest, check: Check): Promise<Evidence> {
  const { root, member, signal } = request;
  const ran = await runCommand({
    argv: [check.run],
    shell: true,
    root,
    env: checkEnvironment(process.env),
    timeoutMs: check.timeoutSeconds * 1000,
    signal,
    output: { keep: 'tail', limit: OUTPUT_KEPT },
  });
  const passed = ran.kind === 'exited' && ran.code === 0;
  return {
    key: checkKey(member, check),
    step_id: member.step.id,
    kind: 'check',
    name: check.name,
    passed,
    said: describe(ran, check),
    files: member.files,
    milliseconds: Math.round(ran.milliseconds),
  };
}

function describe(ran: Awaited<ReturnType<typeof runCommand>>, check: Check): string {
  switch (ran.kind) {
    case 'exited':
      if (ran.code === 0 && `${ran.stdout}${ran.stderr}`.trim() === '') return 'exit code 0';
      return withOutput(`exit code ${ran.code}`, ran, check);
    case 'timed_out':
      return withOutput(`no end after ${check.timeoutSeconds} seconds`, ran, check);
    case 'failed':
      return `could not be started: ${ran.reason}`;
    default:
      return 'could not be started';
  }
}

/** A check that prints nothing is explained by its command alone. */
function withOutput(
  how: string,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  check: Check,
): string {
  const output = `${stdout}${stderr}`.slice(-OUTPUT_KEPT).trim();
  return `${how}\n${output || `No output from: ${shownUpTo(check.run, COMMAND_SHOWN)}`}`;
}

const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE_KEY|ACCESS_KEY/i;
const AGENT = /^(CLAUDE|ANTHROPIC|OPENAI|GEMINI|GOOGLE_API|CODEX|DEEPWORK|SGAI|MCP)(_|CODE|$)/;

/** A check needs the tools of its user, not the keys of an agent. */
export function checkEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !SECRET.test(name) && !AGENT.test(name) && name !== 'NODE_OPTIONS',
    ),
  );
}
