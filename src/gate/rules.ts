// The rules stage: what a definition demands of the text of each file handed in. The
// server looks for itself; no override skips it.

import path from 'node:path';
import type { Context } from '../core/session/state.ts';
import type { Output } from '../core/workflow.ts';
import { readFileUpTo } from './files.ts';
import type { GateMember } from './request.ts';
import type { CriterionResult } from './verdict.ts';

/** The same bound as for any output that is validated as text. */
const TEXT_LIMIT = 5 * 1024 * 1024;

/** Every rule that a file of this member breaks; empty when all hold. */
export async function judgeRules(
  root: string,
  member: GateMember,
  context: Context,
): Promise<CriterionResult[]> {
  const broken: CriterionResult[] = [];
  for (const output of member.step.outputs) {
    if (output.rules === null || !Object.hasOwn(member.outputs, output.name)) continue;
    const paths = member.outputs[output.name] ?? [];
    for (const file of typeof paths === 'string' ? [paths] : paths) {
      broken.push(...(await judgeFile(root, file, output, context)));
    }
  }
  return broken;
}

async function judgeFile(
  root: string,
  file: string,
  output: Output,
  context: Context,
): Promise<CriterionResult[]> {
  const text = await readText(path.join(root, file));
  if (typeof text !== 'string') return [fails(`'${file}' ${text.problem}`, null)];
  const { validateText } = await import('../core/rules.ts');
  const verdict = validateText(output.rules, text, context);
  if (verdict.kind === 'interrupted') {
    return [fails(`A rule on '${file}' took too long`, `${verdict.rule}: ${verdict.reason}`)];
  }
  const hints = new Map(verdict.failures.map((each) => [each.message, each.suggestion]));
  return verdict.issues.map((issue) => fails(issue, besides(file, hints.get(issue))));
}

async function readText(absolute: string): Promise<string | { readonly problem: string }> {
  const bytes = await readFileUpTo(absolute, TEXT_LIMIT);
  if (bytes === null) return { problem: 'is larger than 5 MiB' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8 text' };
  }
}

function besides(file: string, suggestion: string | null | undefined): string {
  return suggestion ? `${file}: ${suggestion}` : file;
}

function fails(criterion: string, feedback: string | null): CriterionResult {
  return { criterion, passed: false, feedback };
}
