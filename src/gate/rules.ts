// The rules stage: what a definition demands of the text of each submitted file, and that a
// submitted job loads. The server checks this itself; no override skips it.

import path from 'node:path';
import { inSlices } from '../async/slices.ts';
import type { Context } from '../core/conditions.ts';
import { Refused, refuse } from '../core/refusal.ts';
import type { Failure } from '../core/rules/model.ts';
import type { RuleBudget } from '../core/rules/time-budget.ts';
import type { Output, Validation } from '../core/workflow.ts';
import { decodeUtf8 } from '../files/read-contained.ts';
import { type CriterionResult, failedCriterion } from './criterion-result.ts';
import { lintOutputs } from './lint-outputs.ts';
import type { GateMember, GateRequest } from './request.ts';
import { readFileUpTo } from './submitted-files.ts';
import { describeResults } from './verdict.ts';

/** The same limit as for any output that is validated as text. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024;

export interface RulesVerdict {
  /** Every rule that a file of this member breaks; empty if all hold. */
  readonly broken: readonly CriterionResult[];
  readonly feedback: string;
}

export async function judgeRules(
  { root, env }: Pick<GateRequest, 'root' | 'env'>,
  member: GateMember,
  context: Context,
  budget: RuleBudget,
): Promise<RulesVerdict> {
  const broken: CriterionResult[] = [];
  const advice: string[] = [];
  for (const output of member.step.outputs) {
    if (!Object.hasOwn(member.outputs, output.name)) continue;
    if (output.rules === null && output.validation === undefined) continue;
    const paths = member.outputs[output.name] ?? [];
    for (const file of typeof paths === 'string' ? [paths] : paths) {
      const judged = await judgeFile(root, file, member, output, context, budget);
      broken.push(...judged.broken);
      advice.push(...judged.suggestions);
      // Out of time: no more rules are judged. Reported once, not for each remaining file.
      if (budget.milliseconds <= 0 && judged.broken.length > 0) {
        return { broken, feedback: feedbackOf(member, broken, advice) };
      }
    }
  }
  broken.push(...(await lintOutputs({ root, env }, member)));
  return { broken, feedback: feedbackOf(member, broken, advice) };
}

/** A guide's issues and suggestions are one per line; a job's rules name their files. */
function feedbackOf(
  { step }: GateMember,
  broken: readonly CriterionResult[],
  advice: readonly string[],
): string {
  if (step.outputs.every(({ validation }) => validation === undefined))
    return describeResults(broken);
  return [...broken.map(({ criterion }) => criterion), ...new Set(advice)].join('\n');
}

interface JudgedFile {
  readonly broken: readonly CriterionResult[];
  readonly suggestions: readonly string[];
}

async function judgeFile(
  root: string,
  file: string,
  { step }: GateMember,
  output: Output,
  context: Context,
  budget: RuleBudget,
): Promise<JudgedFile> {
  const text = await readText(root, path.join(root, file));
  if (typeof text !== 'string') return fails(`'${file}' ${text.problem}`, null);
  const { validateText } = await import('../core/rules.ts');
  const verdict = await inSlices(validateText(output.rules, text, context, budget));
  if (verdict.kind === 'interrupted') {
    const { rule, reason } = verdict;
    if (output.validation) throw ruleInterrupted(output.validation, step.id, rule, reason);
    return fails(`A rule on '${file}' took too long`, `${rule}: ${reason}`);
  }
  const failures = new Map(verdict.failures.map((each) => [each.message, each]));
  return {
    broken: verdict.issues.map((issue) =>
      failedCriterion(issue, feedbackOn(file, failures.get(issue))),
    ),
    suggestions: verdict.suggestions,
  };
}

export async function readText(
  root: string,
  absolute: string,
): Promise<string | { readonly problem: string }> {
  const bytes = await readFileUpTo(root, absolute, MAX_TEXT_BYTES);
  if (bytes === null) return { problem: 'is larger than 5 MiB' };
  return decodeUtf8(bytes) ?? { problem: 'is not UTF-8 text' };
}

function ruleInterrupted(
  { workflowId, rulesAt }: Validation,
  stepId: string,
  pointer: string,
  reason: string,
) {
  const data = { workflowId, stepId, rule: `${rulesAt}${pointer}`, reason };
  return new Refused(refuse('guide_rule_unusable', 'Validation error', null, data));
}

function feedbackOn(file: string, failure: Failure | undefined): string {
  const { suggestion = null, places = [] } = failure ?? {};
  const said = [...(suggestion ? [suggestion] : []), ...places];
  return said.length === 0 ? file : `${file}: ${said.join('; ')}`;
}

function fails(criterion: string, feedback: string | null): JudgedFile {
  return { broken: [failedCriterion(criterion, feedback)], suggestions: [] };
}
