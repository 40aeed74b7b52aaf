// A guide's failure in words. A program reads its number and data; a model, which may be
// shown the text alone, gets the same as lines: which workflow, which file, every problem,
// and what to do next.

import type { Refusal } from '../../core/refusal.ts';
import { type Findings, writeFindings } from '../../definitions/finding.ts';
import type { GuideProblem } from '../../definitions/guides/guide-model.ts';

interface Details {
  readonly workflowId?: string;
  readonly stepId?: string;
  readonly file?: string;
  readonly field?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly problems?: readonly GuideProblem[];
  readonly log?: string;
}

export function tellGuideFailure(refusal: Refusal): string {
  const { workflowId, stepId, file, field, rule, reason, problems = [] } = detailsOf(refusal);
  const findings: Findings = {
    kept: problems.map(({ path, message, ...at }) => ({
      ...at,
      message: path === '' ? message : `${path}: ${message}`,
    })),
    left: 0,
  };
  // What is wrong with a parameter is part of the message already.
  const why = field === undefined ? reason : undefined;
  const next = refusal.next ?? nextMove(refusal);
  return [
    refusal.message,
    ...named('Workflow', workflowId),
    ...named('Step', stepId),
    ...named('File', file),
    ...named('Rule', rule),
    ...named('Reason', why),
    ...writeFindings(findings),
    ...named('Next', next ?? undefined),
  ].join('\n');
}

/** What can be done about a failure; null if nothing can. */
export function nextMove(refusal: Refusal): string | null {
  if (refusal.hint !== undefined) return refusal.hint;
  const { workflowId, stepId, file, field, log } = detailsOf(refusal);
  switch (refusal.code) {
    case 'invalid_params':
      return `correct ${field} and call again.`;
    case 'guide_not_found':
      return 'call workflow_list to see which ids there are.';
    case 'guide_invalid':
      return `fix ${file} (\`deepwork lint\` checks it), then call again.`;
    case 'guide_step_not_found':
      return `call workflow_get with id '${workflowId}' to see its steps, then call again.`;
    case 'guide_rule_unusable':
      return `fix this rule of step '${stepId}' in its file, then call again.`;
    case 'guide_unreadable':
      return `make ${file} a file that can be read, then call again.`;
    case 'guide_outside':
      return `put the file itself in place of the link ${file}, then call again.`;
    case 'guide_fault':
      return `try once more, and report it with line ${log} of the server's log if it happens again.`;
    default:
      return null;
  }
}

function detailsOf({ data }: Refusal): Details {
  return (data ?? {}) as Details;
}

function named(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${label}: ${value}`];
}
