// finished_step: the checkpoint. Finds the session, understands what is submitted, and
// hands it to `submit.ts`. A call is bound to the step that was current when it arrived:
// whatever happens meanwhile, it never advances another one.

import * as z from 'zod';
import { isBlank } from '../core/invisible.ts';
import { Refused } from '../core/refusal.ts';
import { hear } from '../core/session/decide.ts';
import { type Call, isRepeat } from '../core/session/repeats.ts';
import type { Json, Session } from '../core/session/state.ts';
import { livenessOf } from '../workspace/process-identity.ts';
import { type Edition, editionOf } from './edition.ts';
import { answerFor, type FinishedStepAnswer } from './finished-step-answer.ts';
import {
  type CallContext,
  contextParameter,
  defineOperation,
  optionalText,
  outputsParameter,
} from './operation.ts';
import { submit } from './submit.ts';

export const finishedStep = defineOperation({
  name: 'finished_step',
  description:
    'Report a step as done. Its outputs are checked; the answer is needs_work (mend, call again), next_step (do begin_step) or workflow_complete.',
  input: z.strictObject({
    outputs: outputsParameter('Output name to file path, or to a list of paths'),
    notes: optionalText('What a reviewer should know'),
    quality_review_override_reason: optionalText('Skips reviews; say why'),
    session_id: optionalText('Default: top of the stack'),
    step_id: optionalText('Guards against finishing another step'),
    context: contextParameter(),
  }),
  answer: [
    'status',
    'feedback',
    'failed_reviews',
    'failed_criteria',
    'begin_step',
    'summary',
    'all_outputs',
    'warnings',
  ],
  readOnly: false,
  async run(context, input): Promise<FinishedStepAnswer> {
    const call: Call = {
      outputs: input.outputs as Json,
      notes: input.notes ?? null,
      stepId: input.step_id ?? null,
    };
    const { session, edition } = await findWork(context, input.session_id ?? null, call);
    const last = session.lastAccepted;
    const again = { session, edition, visit: last?.visit ?? 0, warnings: last?.warnings ?? [] };
    if (edition === null) return answerFor(again);
    const heard = hear(session, edition.workflow, call);
    if (heard.kind === 'refused') throw new Refused(heard.refusal);
    if (heard.kind === 'repeat') return answerFor(again);
    const reason = input.quality_review_override_reason ?? '';
    return submit(context, {
      session,
      edition,
      call,
      heard,
      overrideReason: isBlank(reason) ? null : reason.trim(),
      context: input.context ?? {},
    });
  },
});

interface Work {
  readonly session: Session;
  /** Null when the session is over: nothing will be run. */
  readonly edition: Edition | null;
}

/**
 * The session that a call speaks of. A client that lost our answer sends the same call
 * again, and by then the session may be complete: that is answered, not refused.
 */
async function findWork(
  { workspace, owner }: CallContext,
  sessionId: string | null,
  call: Call,
): Promise<Work> {
  const { store, stacks } = workspace;
  const mine = (session: Session) =>
    session.owner.identity === owner.identity || livenessOf(session.owner.process) !== 'alive';
  try {
    const session = await stacks.claim(owner, sessionId);
    const edition = await editionOf(workspace, session);
    if (sessionId === null && hear(session, edition.workflow, call).kind === 'refused') {
      const over = await repeated();
      // What ended before the current work began is no answer to a call about that work.
      const isLater = (over?.endedAt ?? '') > session.startedAt;
      if (over !== undefined && isLater) return { session: over, edition: null };
    }
    return { session, edition };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const over = await repeated();
    if (over !== undefined) return { session: over, edition: null };
    throw error;
  }

  async function repeated(): Promise<Session | undefined> {
    const candidates =
      sessionId === null ? await store.lastEnded(3) : [await store.load(sessionId)];
    return (
      candidates.find(
        (session) =>
          session !== null &&
          session.status === 'completed' &&
          mine(session) &&
          isRepeat(session, call),
      ) ?? undefined
    );
  }
}
