// The refusals of the guide tools: a code, the message that is promised for it, and data that
// says what it is about. They suffice to know what to do next, except that an unknown id is
// answered with the known ones.

import { nearest } from '../../core/nearest.ts';
import { type Refusal, Refused, refusedWith } from '../../core/refusal.ts';
import { shown } from '../../core/wording.ts';

const MESSAGES = {
  guide_not_found: 'Workflow not found',
  guide_invalid: 'Invalid workflow',
  guide_step_not_found: 'Step not found',
  guide_rule_unusable: 'Validation error',
  guide_unreadable: 'Storage error',
  guide_outside: 'Security error',
} as const;

export function guideFailure(
  code: keyof typeof MESSAGES,
  data: NonNullable<Refusal['data']>,
  next: string | null = null,
): Refused {
  return refusedWith(code, MESSAGES[code], next, data);
}

/** `lister`: the tool that describes each of the known ids. */
export function workflowNotFound(
  workflowId: string,
  known: readonly string[],
  lister: 'workflow_list' | 'get_workflows',
): Refused {
  const next = useInstead(workflowId, known, ` ${lister} describes each.`);
  return guideFailure('guide_not_found', { workflowId: shown(workflowId) }, next);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === 'guide_not_found';
}

export function stepNotFound(
  workflowId: string,
  stepId: string,
  known: readonly string[],
): Refused {
  const data = { workflowId, stepId: shown(stepId) };
  return guideFailure('guide_step_not_found', data, useInstead(stepId, known));
}

const MAX_LISTED = 20;

/** Suggests the id that was probably meant, or lists the known ones; null if there are none. */
function useInstead(id: string, known: readonly string[], more = ''): string | null {
  if (known.length === 0) return null;
  const meant = nearest(id, known);
  if (meant !== null) return `did you mean '${shown(meant)}'? Correct it and call again.`;
  const named = known.slice(0, MAX_LISTED).map(shown).join(', ');
  const left = known.length > MAX_LISTED ? `, … (${known.length} in all)` : '';
  return `use one of these: ${named}${left}.${more}`;
}
