// finished_step: the checkpoint. Finds the session, understands what is submitted, puts
// it through the gate, and commits the outcome in one event. A call is bound to the
// step that was current when it arrived: whatever happens meanwhile, it never advances
// another one.

import path from 'node:path';
import * as z from 'zod';
import { Refused, refuse } from '../core/refusal.ts';
import { type Call, decideSettle, hear, isRepeat } from '../core/session/decide.ts';
import { noSuchSession } from '../core/session/refusals.ts';
import type { Json, Session } from '../core/session/state.ts';
import { allOutputs } from '../core/session/view.ts';
import { judge } from '../gate/gate.ts';
import type { CriterionResult, FailedReview } from '../gate/verdict.ts';
import { livenessOf } from '../workspace/process-identity.ts';
import { type BeginStep, beginStep } from './begin-step.ts';
import { type Edition, editionOf } from './edition.ts';
import { inspectMembers } from './inspect-members.ts';
import {
  type CallContext,
  contextParameter,
  defineOperation,
  optionalText,
  outputsParameter,
} from './operation.ts';

export interface FinishedStepAnswer {
  readonly status: 'needs_work' | 'next_step' | 'workflow_complete';
  readonly feedback: string | null;
  readonly failed_reviews: readonly FailedReview[] | null;
  readonly failed_criteria: readonly CriterionResult[] | null;
  readonly begin_step: BeginStep | null;
  readonly summary: string | null;
  readonly all_outputs: ReturnType<typeof allOutputs> | null;
  readonly warnings: readonly string[];
}

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
    const heard =
      session.status === 'active' && edition !== null
        ? hear(session, edition.workflow, call)
        : ({ kind: 'repeat' } as const);
    if (heard.kind === 'refused') throw new Refused(heard.refusal);
    if (heard.kind === 'repeat') {
      return answer(session, edition, session.lastAccepted?.visit ?? 0, [], [], []);
    }
    if (edition === null) throw new Refused(noSuchSession(session.id));
    return submit(context, session, edition, call, heard, input);
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
  const { library, store, stacks } = workspace;
  const mine = (session: Session) =>
    session.owner.identity === owner.identity || livenessOf(session.owner.process) !== 'alive';
  try {
    const session = await stacks.claim(owner, sessionId);
    const edition = await editionOf(library, session);
    if (sessionId === null && hear(session, edition.workflow, call).kind === 'refused') {
      const over = await repeated();
      if (over !== undefined) return { session: over, edition: null };
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
    return candidates.find(
      (session) =>
        session !== null &&
        session.status === 'completed' &&
        mine(session) &&
        isRepeat(session, call),
    ) ?? undefined;
  }
}

async function submit(
  { workspace, owner }: CallContext,
  session: Session,
  edition: Edition,
  call: Call,
  heard: Extract<ReturnType<typeof hear>, { kind: 'run' }>,
  input: { quality_review_override_reason?: string | null; context?: Record<string, unknown> | null },
): Promise<FinishedStepAnswer> {
  const { paths, store, views, clock } = workspace;
  const members = await inspectMembers(paths.root, heard);
  const settings = await workspace.settings();
  if (settings.reviewer.kind === 'claude' || settings.reviewer.kind === 'command') {
    throw new Refused(
      refuse('reviewer_unavailable', 'External reviewers are not available', null),
    );
  }
  const given = input.context ?? {};
  const verdict = await judge({
    root: paths.root,
    sessionId: session.id,
    members,
    notes: call.notes,
    overrideReason: input.quality_review_override_reason?.trim() || null,
    context: { ...given, ...session.context },
    reviews: settings.reviewer.kind,
    place: async (name, text) => path.relative(paths.root, await views.place(name, text)),
  });
  const { prepared, warnings } = await store.commit(
    session.id,
    (now) =>
      now === null
        ? { kind: 'refused', refusal: noSuchSession(session.id) }
        : decideSettle(now, {
            at: clock(),
            by: owner,
            visit: heard.visit,
            call,
            context: given,
            accepted: verdict.accepted,
            failed: verdict.failed,
            voided: [],
            edition,
          }),
    (next) =>
      answer(
        next,
        edition,
        heard.visit,
        verdict.failedReviews,
        verdict.failedCriteria,
        edition.warnings,
      ),
  );
  return { ...prepared, warnings: [...prepared.warnings, ...warnings] };
}

/** Tells where the session went from the visit that the call was bound to. */
async function answer(
  session: Session,
  edition: Edition | null,
  visit: number,
  failedReviews: readonly FailedReview[],
  failedCriteria: readonly CriterionResult[],
  warnings: readonly string[],
): Promise<FinishedStepAnswer> {
  const nothing = {
    feedback: null,
    failed_reviews: null,
    failed_criteria: null,
    begin_step: null,
    summary: null,
    all_outputs: null,
    warnings,
  };
  if (session.status !== 'active' || edition === null) {
    return {
      ...nothing,
      status: 'workflow_complete',
      summary: `Workflow '${session.workflowName}' completed successfully!`,
      all_outputs: allOutputs(session),
    };
  }
  if (session.position.visit !== visit) {
    return { ...nothing, status: 'next_step', begin_step: await beginStep(session, edition) };
  }
  return {
    ...nothing,
    status: 'needs_work',
    feedback: session.lastFeedback ?? 'This step is not complete yet.',
    failed_reviews: failedReviews.length > 0 ? failedReviews : null,
    failed_criteria: failedCriteria.length > 0 ? failedCriteria : null,
  };
}
