// POST /api/runs/<id>/abort and /go-to: validates what a person sent, and does it.

import { isBlank } from '../../core/invisible-characters.ts';
import { MAX_REASON_LENGTH } from '../../core/session/steering.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import { abortByPerson, sendBackByPerson } from '../../engine/steer.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import { json, problemAnswer } from './answers.ts';

const MAX_BODY = 64 * 1024;
const MAX_STEP = 200;

interface SteerRequest {
  readonly reason: string;
  readonly person: string;
  /** For `go-to`; otherwise empty. */
  readonly stepId: string;
}

export async function steerRun(
  workspace: Workspace,
  act: 'abort' | 'go-to',
  id: string,
  body: string,
): Promise<Response> {
  const read = readRequest(body, act);
  if (typeof read === 'string') {
    return problemAnswer({ status: 400, code: 'invalid_arguments', message: read });
  }
  const { reason, person, stepId } = read;
  const steer = { session: id, reason, person };
  const session =
    act === 'abort'
      ? await abortByPerson(workspace, steer)
      : await sendBackByPerson(workspace, { ...steer, stepId });
  return json({ session_id: session.id, status: session.status, seq: session.seq, by: person });
}

/** A string is the problem. */
function readRequest(body: string, act: 'abort' | 'go-to'): SteerRequest | string {
  if (body.length > MAX_BODY) return 'The body is too large.';
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'The body is not JSON.';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The body must be an object with a reason.';
  }
  const { reason, by = null, step_id: stepId = '' } = value as Record<string, unknown>;
  if (typeof reason !== 'string' || isBlank(reason)) {
    return "'reason' must be a text, which the agent will read.";
  }
  if (reason.length > MAX_REASON_LENGTH)
    return `'reason' has more than ${MAX_REASON_LENGTH} characters.`;
  if (by !== null && typeof by !== 'string') return "'by' must be a text.";
  const isStep = typeof stepId === 'string' && stepId.length <= MAX_STEP;
  if (!isStep || (act === 'go-to' && stepId === '')) return "'step_id' must name a step.";
  return { reason: reason.trim(), person: nameOf(by) ?? systemUser(), stepId };
}
