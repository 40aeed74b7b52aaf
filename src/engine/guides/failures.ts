// How guides say no: the messages of their JSON-RPC interface, each with data that says
// what it is about. The numbers belong to the wire (`operations/guides/rpc-codes.ts`).

import { nearest } from '../../core/nearest.ts';
import { type Refusal, Refused, refuse } from '../../core/refusal.ts';
import { shown } from '../../core/wording.ts';
import { nextMove } from './failure-text.ts';

const MESSAGES = {
  invalid_params: 'Invalid params',
  guide_fault: 'Internal error',
  guide_not_found: 'Workflow not found',
  guide_invalid: 'Invalid workflow',
  guide_step_not_found: 'Step not found',
  guide_rule_unusable: 'Validation error',
  guide_step_gone: 'State error',
  guide_unreadable: 'Storage error',
  guide_outside: 'Security error',
} as const;

export type GuideCode = keyof typeof MESSAGES;

export function guideFailure(
  code: GuideCode,
  data: Readonly<Record<string, unknown>>,
  hint?: string,
): Refused {
  return new Refused({ ...refuse(code, MESSAGES[code]), data, ...hinted(hint) });
}

/** A fault of ours; `reference` names its line in the log. */
export function guideFault(reference: string): Refusal {
  return { ...refuse('guide_fault', MESSAGES.guide_fault), data: { log: reference } };
}

/** The same failure in a session, where whoever hears of it is told how to go on. */
export function inSession(error: unknown): unknown {
  if (!(error instanceof Refused) || !Object.hasOwn(MESSAGES, error.refusal.code)) return error;
  return new Refused({ ...error.refusal, next: nextMove(error.refusal) });
}

export function invalidParam(field: string, reason: string, hint?: string): Refused {
  const data = { field: shown(field), reason };
  const message = `${MESSAGES.invalid_params}: ${data.field} ${reason}`;
  return new Refused({ ...refuse('invalid_params', message), data, ...hinted(hint) });
}

/** `lister`: the tool that tells about each of the known ids. */
export function workflowNotFound(
  workflowId: string,
  known: readonly string[],
  lister: 'workflow_list' | 'get_workflows',
): Refused {
  const hint = useInstead(workflowId, known, ` ${lister} tells about each.`);
  return guideFailure('guide_not_found', { workflowId: shown(workflowId) }, hint);
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

function hinted(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}

const MAX_LISTED = 20;

/** The id that was probably meant, or those that there are, if any are. */
function useInstead(id: string, known: readonly string[], more = ''): string | undefined {
  if (known.length === 0) return undefined;
  const meant = nearest(id, known);
  if (meant !== null) return `did you mean '${shown(meant)}'? Correct it and call again.`;
  const named = known.slice(0, MAX_LISTED).map(shown).join(', ');
  const left = known.length > MAX_LISTED ? `, … (${known.length} in all)` : '';
  return `use one of these: ${named}${left}.${more}`;
}
