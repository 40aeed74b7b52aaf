// Checks: commands that the server itself runs in the project, so that "the tests pass" is a
// fact and not a claim. They run only in a workspace that a person has trusted.

import { commandVariables } from '../core/command-variables.ts';
import type { Evidence } from '../core/session/events.ts';
import type { VariableValues } from '../core/variables.ts';
import type { Check } from '../core/workflow.ts';
import { excerptOf, runCheckCommand, shownCommand, whyNotExited } from './check-command.ts';
import type { CommandResult } from './command.ts';
import type { GateMember } from './request.ts';
import { keyOf } from './review/tasks.ts';

export interface CheckRequest {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly member: GateMember;
  readonly signal: AbortSignal;
  readonly inputs: VariableValues;
}

/** Identifies a check by its command and the files of its step. */
export function checkKey(member: GateMember, check: Check): string {
  return keyOf(['check', member.step.id, check, member.outputs, member.files]);
}

export async function runCheck(request: CheckRequest, check: Check): Promise<Evidence> {
  const { root, env, member, signal, inputs } = request;
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
  const { variables } = given;
  const ran = await runCheckCommand({ root, env, check, variables, signal });
  const passed = ran.kind === 'exited' && ran.code === 0;
  const milliseconds = Math.round(ran.milliseconds);
  return { ...about, passed, said: describe(ran, check), milliseconds };
}

function describe(ran: CommandResult, check: Check): string {
  const why = ran.kind === 'exited' ? `exit code ${ran.code}` : whyNotExited(ran, check);
  const output = 'stdout' in ran ? excerptOf(ran) : null;
  if (output === null || (why === 'exit code 0' && output === '')) return why;
  return `${why}\n${output || `No output from: ${shownCommand(check)}`}`;
}
