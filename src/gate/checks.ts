// Checks: commands that the server itself runs in the project, so that "the tests pass" is a
// fact and not a claim. They run only in a workspace that a person has trusted.

import type { Evidence } from '../core/session/events.ts';
import type { Outputs } from '../core/session/state.ts';
import type { VariableValues } from '../core/variables.ts';
import { counted, shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
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
  const ran = await runCommand({
    argv: [check.run],
    shell: true,
    root,
    env: {
      ...checkEnvironment(process.env),
      ...outputVariables(member.outputs),
      ...inputVariables(inputs, member.step.item?.value),
    },
    timeoutMs: check.timeoutSeconds * 1000,
    signal,
    output: { keep: 'tail', limit: MAX_OUTPUT_BYTES },
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

const MAX_VARIABLE_LENGTH = 64 * 1024;

/**
 * The submitted paths, so that a check uses these and not files of the usual names:
 * `DEEPWORK_OUTPUT_<NAME>` is a path, or several with one per line.
 */
function outputVariables(outputs: Outputs): NodeJS.ProcessEnv {
  return variablesOf('DEEPWORK_OUTPUT_', outputs);
}

/**
 * The inputs of the run: `DEEPWORK_INPUT_<NAME>`, and `DEEPWORK_ITEM` as JSON if the command is
 * for one item. Values are never inserted into the text of a command.
 */
export function inputVariables(inputs: VariableValues, item?: unknown): NodeJS.ProcessEnv {
  return {
    ...variablesOf('DEEPWORK_INPUT_', inputs),
    ...(item !== undefined && variablesOf('DEEPWORK_', { item: JSON.stringify(item) })),
  };
}

/** Several values of one name are joined, one per line. */
function variablesOf(prefix: string, values: VariableValues): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, each]) => {
      const value = [each].flat().join('\n');
      const variable = `${prefix}${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
      // With a longer value, or one with a NUL, no command could be started at all.
      return value.length > MAX_VARIABLE_LENGTH || value.includes('\0') ? [] : [[variable, value]];
    }),
  );
}

const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE_KEY|ACCESS_KEY/i;
const AGENT = /^(CLAUDE|ANTHROPIC|OPENAI|GEMINI|GOOGLE_API|CODEX|DEEPWORK|SGAI|MCP)(_|CODE|$)/;

/** A check gets the user's environment without agents' credentials. */
export function checkEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(programEnvironment(env)).filter(
      ([name]) => !SECRET.test(name) && !AGENT.test(name) && name !== 'NODE_OPTIONS',
    ),
  );
}
