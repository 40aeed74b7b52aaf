// Judges whether a loop is done, by a command or by rules on the text of an output. The exit code
// of a command decides: 0 means done, 1 to 125 not yet. With any other code, or if an output is
// missing, the outcome is unknown: the loop is not done, and no pass is used up.

import path from 'node:path';
import { inSlices } from '../async/slices.ts';
import { commandVariables } from '../core/command-variables.ts';
import type { Context } from '../core/conditions.ts';
import { openRuleBudget } from '../core/rules/time-budget.ts';
import type { Criteria } from '../core/rules.ts';
import type { Evidence } from '../core/session/events.ts';
import type { HandedIn, UntilOutcome } from '../core/session/facts.ts';
import type { VariableValues } from '../core/variables.ts';
import { shownUpTo } from '../core/wording.ts';
import type { Check } from '../core/workflow.ts';
import {
  excerptOf,
  MAX_OUTPUT_BYTES,
  runCheckCommand,
  shownCommand,
  whyNotExited,
} from './check-command.ts';
import type { CommandResult } from './command.ts';
import { checkOutputPath } from './output-path.ts';
import { keyOf } from './review/tasks.ts';
import { readText } from './rules.ts';

interface UntilCheck {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly loop: string;
  readonly pass: number;
  readonly check: Check;
  readonly inputs: VariableValues;
  readonly signal: AbortSignal;
}

interface JudgedUntil {
  readonly outcome: UntilOutcome;
  /** Null if nothing ran to completion. */
  readonly evidence: Evidence | null;
}

const MAX_NOT_YET = 125;

export async function judgeUntilCheck(request: UntilCheck): Promise<JudgedUntil> {
  const { root, env, loop, pass, check, inputs, signal } = request;
  const given = commandVariables({ inputs });
  if (given.kind === 'problem') {
    const why = `check '${check.name}' was not run: ${given.problem}`;
    return { outcome: { kind: 'cannot_tell', why }, evidence: null };
  }
  const { variables } = given;
  const ran = await runCheckCommand({ root, env, check, variables, signal });
  const why = whyUnclear(ran, check);
  if (why !== null || ran.kind !== 'exited') {
    return { outcome: { kind: 'cannot_tell', why: why ?? 'nothing ran' }, evidence: null };
  }
  const done = ran.code === 0;
  const said = saidBy(ran, check);
  return {
    outcome: done ? { kind: 'done' } : { kind: 'not_yet', said },
    evidence: {
      key: keyOf(['until', loop, pass, check]),
      step_id: loop,
      kind: 'check',
      name: check.name,
      passed: done,
      said: `exit code ${ran.code}\n${said}`.trim(),
      files: {},
      milliseconds: Math.round(ran.milliseconds),
    },
  };
}

function whyUnclear(ran: CommandResult, check: Check): string | null {
  const command = `check '${check.name}' (${shownCommand(check)})`;
  if (ran.kind !== 'exited') return `${command} ${whyNotExited(ran, check)}`;
  if (ran.code <= MAX_NOT_YET) return null;
  const last = excerptOf(ran);
  return `${command} ended with exit code ${ran.code}${last === '' ? '' : `\n${last}`}`;
}

/** An excerpt of its output; a command without output is named instead. */
function saidBy(ran: Extract<CommandResult, { kind: 'exited' }>, check: Check): string {
  const output = excerptOf(ran);
  if (output !== '' || ran.code === 0) return output;
  return `exit code ${ran.code}, no output from: ${shownCommand(check)}`;
}

export async function judgeUntilRules(
  root: string,
  criteria: Criteria,
  output: readonly HandedIn[],
  context: Context,
): Promise<UntilOutcome> {
  const { validateText } = await import('../core/rules.ts');
  const budget = openRuleBudget();
  const issues: string[] = [];
  for (const given of output.flatMap(({ paths }) => paths)) {
    const found = await checkOutputPath(root, given);
    if (found.kind === 'problem') return { kind: 'cannot_tell', why: found.problem };
    const text = await readText(root, path.join(root, found.path));
    if (typeof text !== 'string') {
      issues.push(`'${given}' ${text.problem}`);
      continue;
    }
    const verdict = await inSlices(validateText(criteria, text, context, budget));
    if (verdict.kind === 'interrupted') {
      return { kind: 'cannot_tell', why: `a rule on '${given}' took too long: ${verdict.reason}` };
    }
    issues.push(...verdict.issues.map((issue) => `${given}: ${issue}`));
  }
  return issues.length === 0
    ? { kind: 'done' }
    : { kind: 'not_yet', said: shownUpTo(issues.join('\n'), MAX_OUTPUT_BYTES) };
}
