// abort_workflow: aborts a session, for a reason that stays on record.

import * as z from 'zod';
import { isBlank } from '../../core/invisible-characters.ts';
import { decideAbort } from '../../core/session/decide.ts';
import { claimOf } from '../../core/session/ownership.ts';
import { openStepId } from '../../core/session/progress.ts';
import { type Session, workflowLabel } from '../../core/session/state.ts';
import { removeUnusedBranch } from '../../engine/branch-of-run.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { cleanUpArrival } from '../../engine/entries/after-move.ts';
import { clearStack } from '../../engine/entries/follow.ts';
import { nestedIn } from '../../engine/entries/nested-sessions.ts';
import { requireInformed } from '../../engine/inform-agent.ts';
import { resumedStep } from '../../engine/step/resumed-step.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import { orNull, TEXT, TEXTS } from '../answer-schema.ts';
import { sessionParameter, textParameter } from '../parameters.ts';
import { BEGIN_STEP } from './begin-step-schema.ts';
import { defineJobTool, inTurn } from './define.ts';

const INPUT = z.strictObject({
  explanation: textParameter('Why').refine((value) => !isBlank(value), {
    error: 'must not be blank',
  }),
  session_id: sessionParameter(),
});

export const abortWorkflow = defineJobTool({
  name: 'abort_workflow',
  description: 'Give up a workflow; the one below it resumes.',
  input: INPUT,
  answer: {
    aborted_workflow: TEXT,
    aborted_step: TEXT,
    explanation: TEXT,
    resumed_workflow: orNull(TEXT),
    resumed_step: orNull(TEXT),
    begin_step: orNull(BEGIN_STEP),
    warnings: TEXTS,
  },
  readOnly: false,
  run: inTurn('abort', abort),
});

type Abort = z.infer<typeof INPUT>;

async function abort(context: CallContext, input: Abort) {
  const { workspace, owner, afterAnswer } = context;
  const { store, stacks, clock, lostAnswers } = workspace;
  const { explanation } = input;
  await clearStack(context);
  const before = await abortedBefore(context, input);
  if (before !== null) {
    context.about?.(before.id);
    lostAnswers.expect(before, afterAnswer);
    await removeUnusedBranch(workspace, before);
    return answerFor(context, before, explanation);
  }
  const claimed = await stacks.claim(owner, input.session_id ?? null);
  const { id } = claimed;
  context.about?.(id);
  await requireInformed(context, claimed);
  const { session } = await store.change(id, async (now) => {
    const ending = await stacks.ending(owner, id, await nestedIn(workspace, now));
    return decideAbort(now, { at: clock(), by: owner, explanation, ending });
  });
  await cleanUpArrival(workspace, claimed, session);
  lostAnswers.expect(session, afterAnswer);
  await removeUnusedBranch(workspace, session);
  return answerFor(context, session, explanation);
}

async function answerFor(context: CallContext, session: Session, explanation: string) {
  const resumed = await resumedStep(context, session);
  return {
    aborted_workflow: workflowLabel(session),
    aborted_step: openStepId(session),
    explanation,
    resumed_workflow: resumed.session && workflowLabel(resumed.session),
    resumed_step: resumed.session && openStepId(resumed.session),
    begin_step: resumed.begin_step,
    warnings: resumed.warnings,
  };
}

/**
 * The session that the same call aborted before, if its answer was lost: without an id the call
 * would abort the next one instead.
 */
async function abortedBefore(
  { workspace, owner }: CallContext,
  { explanation, session_id: sessionId = null }: Abort,
): Promise<Session | null> {
  const { store, stacks, lostAnswers, processes } = workspace;
  const candidates = sessionId === null ? await store.endedFor(owner) : [sessionId];
  for (const id of candidates) {
    const session = await loadReadable(store, id);
    if (session?.status !== 'aborted' || session.abortReason !== explanation) continue;
    const { process } = session.owner;
    const claim = claimOf(owner, session.owner, processes.livenessOf(process));
    if (claim !== 'own' && claim !== 'open') continue;
    if (!(await lostAnswers.isLost({ id, seq: session.seq, process }))) continue;
    if (sessionId !== null) return session;
    const top = await stacks.peek(owner, null);
    if ((top?.id ?? null) === session.ending?.resumes) return session;
  }
  return null;
}
