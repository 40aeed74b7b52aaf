// Checks: commands that the server itself runs in the project, so that "the tests pass" is a
// fact and not a claim. They run only in a workspace that a person has trusted.

import { commandVariables } from '../core/command-variables.ts';
import type { Evidence } from '../core/session/events.ts';
import type { VariableValues } from '../core/variables.ts';
import { counted, shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
import { RUNNER_MARK } from '../environment/process/marked-processes.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { runCommand } from './command.ts';
import type { GateMember } from './request.ts';
import { keyOf } from './review/tasks.ts';

export const MAX_OUTPUT_BYTES = 4 * 1024;
const MAX_COMMAND_LENGTH = 500;

export interface CheckRequest {
  readonly root: string;
  readonly member: GateMember;
  readonly signal: AbortSignal;
  readonly inputs: VariableValues;
}

/** Identifies a check by its command and the files of its step. */
export function checkKey(member: GateMember, check: Check): string {
  return keyOf(['check', member.step.id, check, member.outputs, member.files]);
}

export async function runCheck(request: CheckRequest, check: Check): Promise<Evidence> {
  const { root, member, signal, inputs } = request;
  const about = {
    key: checkKey(member, check),
    step_id: member.step.id,
    kind: 'check',
    name: check.name,
    files: member.files,
  } as const;
  const { outputs, step } = member;
  const given = commandVariables({ outputs, inputs, item: step.item?.value });
  if (given.kind === 'problem') {
    return { ...about, passed: false, said: `not run: ${given.problem}`, milliseconds: 0 };
  }
  const ran = await runCommand({
    argv: [check.run],
    shell: true,
    root,
    env: { ...checkEnvironment(process.env), ...given.variables },
    timeoutMs: check.timeoutSeconds * 1000,
    signal,
    output: { keep: 'tail', limit: MAX_OUTPUT_BYTES },
  });
  const passed = ran.kind === 'exited' && ran.code === 0;
  const milliseconds = Math.round(ran.milliseconds);
  return { ...about, passed, said: describe(ran, check), milliseconds };
}

function describe(ran: Awaited<ReturnType<typeof runCommand>>, check: Check): string {
  switch (ran.kind) {
    case 'exited':
      if (ran.code === 0 && `${ran.stdout}${ran.stderr}`.trim() === '') return 'exit code 0';
      return withOutput(`exit code ${ran.code}`, ran, check);
    case 'timed_out':
      return withOutput(`timed out after ${counted(check.timeoutSeconds, 'second')}`, ran, check);
    case 'failed':
      return `could not be started: ${ran.reason}`;
    default:
      return 'could not be started';
  }
}

/** Names the command if it printed nothing. */
function withOutput(
  how: string,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  check: Check,
): string {
  const output = `${stdout}${stderr}`.slice(-MAX_OUTPUT_BYTES).trim();
  return `${how}\n${output || `No output from: ${shownUpTo(check.run, MAX_COMMAND_LENGTH)}`}`;
}

const SECRET =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)(?:PASS|KEY|PAT|AUTH)(?:_(?!SOCK)|$)|_PWD$/i;
const AGENT = /^(CLAUDE|ANTHROPIC|OPENAI|GEMINI|GOOGLE_API|CODEX|DEEPWORK|SGAI|MCP)(_|CODE|$)/;

/** A check gets the user's environment without agents' credentials. */
export function checkEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(programEnvironment(env)).filter(
      ([name]) =>
        name === RUNNER_MARK ||
        (!SECRET.test(name) && !AGENT.test(name) && name !== 'NODE_OPTIONS'),
    ),
  );
}
