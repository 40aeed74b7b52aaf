// How guides say no: the numbers and messages of their JSON-RPC interface, each with
// data that says what it is about.

import { nearest } from '../../core/nearest.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { shown } from '../../core/wording.ts';
import { nextMove } from './failure-text.ts';

const MESSAGES = {
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32001]: 'Workflow not found',
  [-32002]: 'Invalid workflow',
  [-32003]: 'Step not found',
  [-32004]: 'Validation error',
  [-32005]: 'State error',
  [-32006]: 'Storage error',
  [-32007]: 'Security error',
} as const;

export type GuideCode = keyof typeof MESSAGES;

export function guideFailure(
  code: GuideCode,
  data: Readonly<Record<string, unknown>>,
  hint?: string,
): Refused {
  return new Refused({ ...refuse('', MESSAGES[code]), code, data, ...hinted(hint) });
}

/** The same failure in a session, where whoever hears of it is told how to go on. */
export function inSession(error: unknown): unknown {
  if (!(error instanceof Refused) || typeof error.refusal.code !== 'number') return error;
  return new Refused({ ...error.refusal, next: nextMove(error.refusal) });
}

export function invalidParam(field: string, reason: string, hint?: string): Refused {
  const data = { field: shown(field), reason };
  const message = `${MESSAGES[-32602]}: ${data.field} ${reason}`;
  return new Refused({ ...refuse('', message), code: -32602, data, ...hinted(hint) });
}

/** `lister`: the tool that tells about each of the known ids. */
export function workflowNotFound(
  workflowId: string,
  known: readonly string[],
  lister: 'workflow_list' | 'get_workflows',
): Refused {
  const hint = useInstead(workflowId, known, ` ${lister} tells about each.`);
  return guideFailure(-32001, { workflowId: shown(workflowId) }, hint);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === -32001;
}

export function stepNotFound(
  workflowId: string,
  stepId: string,
  known: readonly string[],
): Refused {
  return guideFailure(-32003, { workflowId, stepId: shown(stepId) }, useInstead(stepId, known));
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
