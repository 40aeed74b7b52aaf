// finished_step: finds the session (`find-work.ts`) and hands the submission to `submit.ts`. A call is
// bound to the step that was current when it arrived: whatever happens meanwhile, it never advances
// another one.

import * as z from 'zod';
import { inSlices } from '../../async/slices.ts';
import { isBlank } from '../../core/invisible-characters.ts';
import { openPatternBudget } from '../../core/pattern-budget.ts';
import { Refused } from '../../core/refusal.ts';
import { isOpenInPass, readSubmission } from '../../core/session/read-submission.ts';
import { REASONS } from '../../core/session/reasons.ts';
import { acceptedAsBefore, type Call } from '../../core/session/repeats.ts';
import type { AcceptedCall, Json, Session } from '../../core/session/state.ts';
import { steeredByPerson } from '../../core/session/steering.ts';
import type { FinishedStepAnswer } from '../../engine/answer-types.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { type DefinitionInUse, definitionInUse } from '../../engine/definition-in-use.ts';
import { answerAt } from '../../engine/entries/answer-after-move.ts';
import { clearStack, follow } from '../../engine/entries/follow.ts';
import { waitAtEntry } from '../../engine/entries/wait.ts';
import { ifStoreUnavailable } from '../../engine/if-store-unavailable.ts';
import { preparedNewsOf } from '../../engine/inform-agent.ts';
import { beginStep } from '../../engine/step/begin-step.ts';
import { answerFor, needsWork, nextStepAnswer } from '../../engine/step/finished-step-answer.ts';
import { placeWarnings } from '../../engine/step/place-warnings.ts';
import { resumedStep } from '../../engine/step/resumed-step.ts';
import { callKey } from '../../engine/submission/background-runs.ts';
import { findWork } from '../../engine/submission/find-work.ts';
import { AwaitsGrant } from '../../engine/submission/gate-in-use.ts';
import { pathsInProject } from '../../engine/submission/paths-in-project.ts';
import { submit } from '../../engine/submission/submit.ts';
import { MovedMeanwhile } from '../../engine/submission/while-here.ts';
import type { Workspace } from '../../engine/workspace.ts';
import type { CriterionResult } from '../../gate/criterion-result.ts';
import type { FailedReview } from '../../gate/verdict.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import {
  FLAG,
  listOf,
  mapOf,
  object,
  orNull,
  TEXT,
  TEXT_OR_TEXTS,
  TEXTS,
  wordOf,
} from '../answer-schema.ts';
import {
  contextParameter,
  optionalText,
  outputsParameter,
  sessionParameter,
} from '../parameters.ts';
import { BEGIN_STEP } from './begin-step-schema.ts';
import { defineJobTool } from './define.ts';

const INPUT = z.strictObject({
  outputs: outputsParameter('Output name to path or paths; {} if none'),
  notes: optionalText('For reviewers'),
  quality_review_override_reason: optionalText('Skips reviews; say why'),
  session_id: sessionParameter(),
  step_id: optionalText('Which step'),
  context: contextParameter('Reports, conditions'),
});

const CRITERIA = listOf(
  object<CriterionResult>({ criterion: TEXT, passed: FLAG, feedback: orNull(TEXT) }),
);

export const finishedStep = defineJobTool({
  name: 'finished_step',
  description:
    'Report a step as done. On needs_work fix and call again; on next_step do begin_step.',
  input: INPUT,
  answer: {
    status: wordOf(['needs_work', 'next_step', 'workflow_complete']),
    reason: orNull(wordOf(REASONS)),
    feedback: orNull(TEXT),
    failed_reviews: orNull(
      listOf(
        object<FailedReview>({
          review_run_each: TEXT,
          target_file: orNull(TEXT),
          passed: FLAG,
          feedback: TEXT,
          criteria_results: CRITERIA,
        }),
      ),
    ),
    failed_criteria: orNull(CRITERIA),
    begin_step: orNull(BEGIN_STEP),
    summary: orNull(TEXT),
    all_outputs: orNull(mapOf(TEXT_OR_TEXTS)),
    warnings: TEXTS,
  },
  readOnly: false,
  loadAtOnce: true,
  async run(context, input): Promise<FinishedStepAnswer> {
    const call = JSON.stringify(['finish', context.owner.identity, input]);
    return context.workspace.answers.overlapping(call, async (isOverlapping) => {
      const { session, answer: found } = await finish(context, input, isOverlapping);
      // For the session as it was before the call: acceptance on this machine ends these warnings.
      const elsewhere = await placeWarnings(context, session).catch(ifStoreUnavailable([]));
      const answer = { ...found, warnings: [...found.warnings, ...elsewhere] };
      if (answer.status !== 'workflow_complete') return answer;
      return withResumed(context, session, answer).catch(ifStoreUnavailable(answer));
    });
  },
});

/** Adds what to go on with after the workflow is complete. */
async function withResumed(
  context: CallContext,
  { id }: Session,
  answer: FinishedStepAnswer,
): Promise<FinishedStepAnswer> {
  const ended = await outermostEnded(context.workspace, id);
  if (ended === null) return answer;
  const { begin_step, warnings } = await resumedStep(context, ended);
  return { ...answer, begin_step, warnings: [...answer.warnings, ...warnings] };
}

/** Completing a nested run may complete the sessions that wait for it, too. */
async function outermostEnded(workspace: Workspace, id: string): Promise<Session | null> {
  const ended = await workspace.store.load(id);
  if (ended === null || ended.runEntry === null || ended.parentId === null) return ended;
  const above = await outermostEnded(workspace, ended.parentId);
  return above?.status === 'completed' ? above : ended;
}

interface Finished {
  readonly session: Session;
  readonly answer: FinishedStepAnswer;
}

/** `isOverlapping`: the same call is running already. */
async function finish(
  context: CallContext,
  input: z.infer<typeof INPUT>,
  isOverlapping: boolean,
): Promise<Finished> {
  const outputs = input.outputs as Json;
  const call: Call = {
    outputs,
    recorded: pathsInProject(context.workspace.paths.work, outputs),
    notes: input.notes ?? null,
    stepId: input.step_id ?? null,
    context: input.context ?? {},
  };
  await clearStack(context);
  const { session, open } = await findWork(context, input.session_id ?? null, call, isOverlapping);
  const { owner, afterAnswer } = context;
  const { lostAnswers, running, store } = context.workspace;
  const { id } = session;
  context.about?.(id);
  const noteAnswer = ({ status }: Session, seq: number) => {
    const made = { id, seq };
    if (status === 'active') lostAnswers.expect(made, afterAnswer);
    else lostAnswers.expectEnd(owner, made, afterAnswer);
  };
  const again = async (before: AcceptedCall | null, now = session): Promise<Finished> => {
    // The call that it repeats may still wait for the disk, also in the session that it ran for.
    for (const each of [id, session.parentId]) if (each !== null) await store.committed(each);
    if (before !== null) {
      running.answered(callKey(id, before.arrival, call));
      noteAnswer(now, before.seq);
    }
    return { session: now, answer: await answerAgain(before, now).catch(orAwaitGrant) };
  };
  const answerAgain = async (
    before: AcceptedCall | null,
    now: Session,
  ): Promise<FinishedStepAnswer> => {
    const { arrival = 0, warnings = [], stepIds: submitted = [] } = before ?? {};
    const inUse = open?.inUse ?? null;
    const lead = await follow(context, now);
    const outcome = { session: now, inUse, arrival, submitted, warnings };
    if (lead === null) return answerFor(outcome);
    const repeated = { ...call, stepId: null };
    const waiting = await inSlices(
      readSubmission(lead.session, lead.inUse, repeated, openPatternBudget()),
    );
    // The outcome of the call waits for a person, so the repeated call waits, too.
    return waiting.kind === 'waits' && waiting.for.kind === 'loop'
      ? waitAtEntry(context, { ...lead, call, waiting })
      : answerAt(outcome, lead);
  };
  const news = open && (await newsOfSubmission(context, session, open.inUse));
  if (news !== null) return news;
  const before = acceptedAsBefore(session, call);
  if (open === null) return again(before);
  // A caller whose answer was lost does not know the next step yet, even if its call would fit it.
  if (before !== null) {
    // The checks ended while no call waited for them: this call asks for their outcome.
    if (running.isUnanswered(callKey(id, before.arrival, call))) return again(before);
    const isSecond = isOverlapping && before === session.lastAccepted;
    const isLost = async () => isSecond || (await lostAnswers.isLost({ id, ...before }));
    if (!isOpenInPass(session, call) && (await isLost())) return again(before);
  }
  const { inUse, submitted } = open;
  if (submitted.kind === 'refused') throw new Refused(submitted.refusal);
  if (submitted.kind === 'repeat') return again(session.lastAccepted);
  const reason = input.quality_review_override_reason ?? '';
  const answering =
    submitted.kind === 'waits'
      ? waitAtEntry(context, { session, inUse, call, waiting: submitted })
      : submit(context, {
          session,
          inUse,
          call,
          submitted,
          overrideReason: isBlank(reason) ? null : reason.trim(),
          context: submitted.context,
        });
  try {
    const answer = await answering.catch(orAwaitGrant);
    const now = await store.load(id).catch(ifStoreUnavailable(null));
    const accepted = now && acceptedAsBefore(now, call);
    if (now && accepted) noteAnswer(now, accepted.seq);
    return { session, answer };
  } catch (error) {
    if (!(error instanceof MovedMeanwhile)) throw error;
    const now = await store.load(id);
    const accepted = now && acceptedAsBefore(now, call);
    // An equal call was accepted first, perhaps by another process.
    if (now?.status !== 'aborted' && accepted?.arrival === submitted.arrival) {
      return again(accepted, now ?? session);
    }
    const moved = await newsOfMove(context, now);
    if (moved === null) throw error;
    return moved;
  }
}

/** What a person did while the call was judged, told in the session that its caller goes on in. */
async function newsOfMove(context: CallContext, session: Session | null): Promise<Finished | null> {
  const { store } = context.workspace;
  const resumes = session?.ending?.resumes ?? null;
  const next = resumes === null ? session : await loadReadable(store, resumes);
  if (next?.status !== 'active') return null;
  return newsOfSubmission(context, next, await definitionInUse(context.workspace, next));
}

/** A person has to agree to a weaker gate; the same call, made again, waits for the answer. */
function orAwaitGrant(error: unknown): FinishedStepAnswer {
  if (!(error instanceof AwaitsGrant)) throw error;
  const { message, warnings } = error;
  return needsWork(message, { reason: 'waiting_for_person', warnings });
}

/** A person moved the work, so the call was made for a step that is no longer the current one. */
async function newsOfSubmission(
  context: CallContext,
  session: Session,
  inUse: DefinitionInUse,
): Promise<Finished | null> {
  const news = await preparedNewsOf(context, session, async (next) =>
    next.steering?.ended === null ? beginStep(next, inUse) : null,
  );
  if (news === null) return null;
  const { session: now, steering, text, prepared } = news;
  if (prepared === null) throw new Refused(steeredByPerson(now, steering));
  const feedback = `${text}. What you handed in was not looked at: do that step now.`;
  return { session: now, answer: nextStepAnswer(prepared, feedback, inUse.warnings) };
}
