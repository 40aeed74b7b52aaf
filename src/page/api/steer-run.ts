// POST /api/runs/<id>/abort and /go-to: what a person says, judged and done.

import { isBlank } from '../../core/invisible.ts';
import { MAX_REASON_LENGTH } from '../../core/session/steering.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import { abortByPerson, sendBackByPerson } from '../../engine/steer.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import { json, problem } from './answers.ts';

const MAX_BODY = 64 * 1024;
const MAX_STEP = 200;

interface Said {
  readonly reason: string;
  readonly person: string;
  /** Of `go-to`. */
  readonly stepId: string;
}

export async function steerRun(
  workspace: Workspace,
  act: 'abort' | 'go-to',
  id: string,
  body: string,
): Promise<Response> {
  const said = readSaid(body, act);
  if (typeof said === 'string') {
    return problem({ status: 400, code: 'invalid_arguments', message: said });
  }
  const { reason, person, stepId } = said;
  const steer = { session: id, reason, person };
  const session =
    act === 'abort'
      ? await abortByPerson(workspace, steer)
      : await sendBackByPerson(workspace, { ...steer, stepId });
  return json({ session_id: session.id, status: session.status, seq: session.seq, by: person });
}

/** A text is what is wrong. */
function readSaid(body: string, act: 'abort' | 'go-to'): Said | string {
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
    return "'reason' must be a text: the agent gets to read it.";
  }
  if (reason.length > MAX_REASON_LENGTH)
    return `'reason' has more than ${MAX_REASON_LENGTH} characters.`;
  if (by !== null && typeof by !== 'string') return "'by' must be a text.";
  const isStep = typeof stepId === 'string' && stepId.length <= MAX_STEP;
  if (!isStep || (act === 'go-to' && stepId === '')) return "'step_id' must name a step.";
  return { reason: reason.trim(), person: nameOf(by) ?? systemUser(), stepId };
}
