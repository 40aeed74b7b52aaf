// finished_step: the checkpoint. Finds the session, understands what is submitted, and
// hands it to `submit.ts`. A call is bound to the step that was current when it arrived:
// whatever happens meanwhile, it never advances another one.

import * as z from 'zod';
import { isBlank } from '../core/invisible.ts';
import { Refused } from '../core/refusal.ts';
import { type Hearing, hear } from '../core/session/decide.ts';
import { claimOf } from '../core/session/ownership.ts';
import { acceptedAsBefore, type Call } from '../core/session/repeats.ts';
import type { AcceptedCall, Context, Json, Owner, Session } from '../core/session/state.ts';
import { FLAG, listOf, OBJECT, object, orNull, TEXT } from '../engine/answer-schema.ts';
import type { CallContext } from '../engine/call-context.ts';
import { type Edition, editionOf } from '../engine/definition-in-use.ts';
import { answerFor, type FinishedStepAnswer } from '../engine/finished-step-answer.ts';
import { resumedStep } from '../engine/resumed-step.ts';
import { submit } from '../engine/submit.ts';
import {
  contextParameter,
  defineOperation,
  optionalText,
  outputsParameter,
  sessionParameter,
} from './operation.ts';

export const finishedStep = defineOperation({
  name: 'finished_step',
  description:
    'Report a step as done. Answers needs_work (fix, call again), next_step (do begin_step) or workflow_complete.',
  input: z.strictObject({
    outputs: outputsParameter('Output name to path or list of paths'),
    notes: optionalText('For reviewers'),
    quality_review_override_reason: optionalText('Skips reviews; say why'),
    session_id: sessionParameter(),
    step_id: optionalText('The step that is done'),
    context: contextParameter(),
  }),
  answer: {
    status: { enum: ['needs_work', 'next_step', 'workflow_complete'] },
    reason: orNull(TEXT),
    feedback: orNull(TEXT),
    failed_reviews: orNull(listOf(OBJECT)),
    failed_criteria: orNull(
      listOf(object({ criterion: TEXT, passed: FLAG, feedback: orNull(TEXT) })),
    ),
    begin_step: orNull(OBJECT),
    summary: orNull(TEXT),
    all_outputs: orNull(OBJECT),
    warnings: listOf(TEXT),
  },
  readOnly: false,
  async run(context, input): Promise<FinishedStepAnswer> {
    const call = JSON.stringify(['finish', context.owner.identity, input]);
    return context.workspace.answers.overlapping(call, async (isOverlapping) => {
      const { session, answer } = await finish(context, input, isOverlapping);
      return answer.status === 'workflow_complete' ? withResumed(context, session, answer) : answer;
    });
  },
});

/** The workflow is over: the answer also says what to go on with. */
async function withResumed(
  context: CallContext,
  { id }: Session,
  answer: FinishedStepAnswer,
): Promise<FinishedStepAnswer> {
  const ended = await context.workspace.store.load(id);
  if (ended === null) return answer;
  const { begin_step, warnings } = await resumedStep(context, ended);
  return { ...answer, begin_step, warnings: [...answer.warnings, ...warnings] };
}

interface Finish {
  readonly outputs: unknown;
  readonly notes?: string | null | undefined;
  readonly quality_review_override_reason?: string | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly step_id?: string | null | undefined;
  readonly context: Context | null;
}

interface Finished {
  readonly session: Session;
  readonly answer: FinishedStepAnswer;
}

/** `isOverlapping`: the same call is running already. */
async function finish(
  context: CallContext,
  input: Finish,
  isOverlapping: boolean,
): Promise<Finished> {
  const call: Call = {
    outputs: input.outputs as Json,
    notes: input.notes ?? null,
    stepId: input.step_id ?? null,
  };
  const { session, open } = await findWork(context, input.session_id ?? null, call, isOverlapping);
  const { owner, afterAnswer } = context;
  const { lostAnswers, store } = context.workspace;
  const { id } = session;
  context.about?.(id);
  const noteAnswer = (status: FinishedStepAnswer['status'], seq: number) => {
    const made = { id, seq };
    if (status === 'workflow_complete') lostAnswers.expectEnd(owner, made, afterAnswer);
    else lostAnswers.expect(made, afterAnswer);
  };
  const again = async (before: AcceptedCall | null): Promise<Finished> => {
    if (before !== null)
      noteAnswer(session.status === 'active' ? 'next_step' : 'workflow_complete', before.seq);
    const { visit = 0, warnings = [] } = before ?? {};
    const edition = open?.edition ?? null;
    return { session, answer: await answerFor({ session, edition, visit, warnings }) };
  };
  const before = acceptedAsBefore(session, call);
  if (open === null) return again(before);
  // A caller without an answer does not know the next step yet, even if the call would fit it.
  if (before !== null) {
    const isSecond = isOverlapping && before === session.lastAccepted;
    if (isSecond || (await lostAnswers.isLost({ id, ...before }))) return again(before);
  }
  const { edition, heard } = open;
  if (heard.kind === 'refused') throw new Refused(heard.refusal);
  if (heard.kind === 'repeat') return again(session.lastAccepted);
  const reason = input.quality_review_override_reason ?? '';
  const answer = await submit(context, {
    session,
    edition,
    call,
    heard,
    overrideReason: isBlank(reason) ? null : reason.trim(),
    context: input.context ?? {},
  });
  const now = await store.load(id);
  const accepted = now && acceptedAsBefore(now, call);
  if (accepted) noteAnswer(answer.status, accepted.seq);
  return { session, answer };
}

/** Taking a session over is not acting in it: what was lost before may still be asked for. */
function hasActedIn({ owner, lastAccepted, lastMove }: Session, { process }: Owner): boolean {
  if (owner.process !== process) return false;
  return lastAccepted?.process === process || lastMove?.process === process;
}

interface Work {
  readonly session: Session;
  /** The definition, and what the call means by it; null when the session is over. */
  readonly open: { readonly edition: Edition; readonly heard: Hearing } | null;
}

/**
 * The session that a call speaks of. A client that lost our answer sends the same call
 * again, and by then the session may be complete: that is answered, not refused.
 */
async function findWork(
  { workspace, owner }: CallContext,
  sessionId: string | null,
  call: Call,
  isOverlapping: boolean,
): Promise<Work> {
  const { store, stacks, lostAnswers } = workspace;
  try {
    const found = await stacks.look(owner, sessionId);
    // Whose answer was lost does not know that the workflow is over, and would finish a step
    // of the one below it. Nearly always it is clear without looking that none was.
    const isFirst = !hasActedIn(found, owner);
    if (sessionId === null && (isFirst || isOverlapping || lostAnswers.mayMissEnd(owner))) {
      const over = await repeated(
        async ({ id, ending }, accepted) =>
          ending?.resumes === found.id &&
          (isOverlapping || (await lostAnswers.isLost({ id, ...accepted }))),
      );
      if (over !== null) return { session: over, open: null };
    }
    const isOwn = found.owner.identity === owner.identity;
    const session = isOwn ? found : await stacks.claim(owner, found.id);
    const edition = await editionOf(workspace, session);
    const heard = hear(session, edition.workflow, call);
    if (sessionId === null && heard.kind === 'refused') {
      // What ended before the current work began is no answer to a call about that work.
      const over = await repeated(({ ending }) => ending?.resumes === session.id);
      if (over !== null) return { session: over, open: null };
    }
    return { session, open: { edition, heard } };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const over = await repeated(() => true);
    if (over !== null) return { session: over, open: null };
    throw error;
  }

  async function repeated(
    fits: (session: Session, accepted: AcceptedCall) => boolean | Promise<boolean>,
  ): Promise<Session | null> {
    for (const id of sessionId === null ? await store.endedFor(owner) : [sessionId]) {
      const session = await store.load(id).catch(() => null);
      const accepted = session?.status === 'completed' ? acceptedAsBefore(session, call) : null;
      if (session === null || accepted === null || !(await fits(session, accepted))) continue;
      const claim = claimOf(
        owner,
        session.owner,
        workspace.processes.livenessOf(session.owner.process),
      );
      if (claim === 'own' || claim === 'open') return session;
      if (claim === 'by_id' && sessionId !== null) return session;
    }
    return null;
  }
}
