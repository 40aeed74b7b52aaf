// A submission on its way: files found, gate passed, outcome committed in one event.
// Long work holds nothing. It starts from a state, and what it found commits only if
// the step is still the one that was judged and the files are still those it saw.

import path from 'node:path';
import { type OverrideRule, stricterRule } from '../core/overrides.ts';
import { Refused, refuse } from '../core/refusal.ts';
import {
  decideReview,
  decideSettle,
  type Hearing,
  nothingSubmitted,
  withoutReserved,
} from '../core/session/decide.ts';
import { noSuchSession, stepIsPast } from '../core/session/refusals.ts';
import type { Call } from '../core/session/repeats.ts';
import {
  type AcceptedMember,
  progressOf,
  type Session,
  type SessionDecision,
} from '../core/session/state.ts';
import type { Settings } from '../environment/settings.ts';
import { Cancelled } from '../gate/command.ts';
import { judge } from '../gate/gate.ts';
import type { GateMember } from '../gate/request.ts';
import { NO_VERDICT } from '../gate/review/answer.ts';
import { applicableReviews, keyOf } from '../gate/review/tasks.ts';
import { changedSinceJudged } from '../gate/untouched.ts';
import type { Verdict } from '../gate/verdict.ts';
import type { Work } from './background-runs.ts';
import type { CallContext } from './call-context.ts';
import { requireTrustInChecks, requireTrustInReviewer } from './command-list.ts';
import type { Edition } from './definition-in-use.ts';
import { dismissAfterMove } from './ended-questions.ts';
import { answerFor, type FinishedStepAnswer, needsWork } from './finished-step-answer.ts';
import { type GateStanding, standingGate, weakeningWarnings } from './gate-in-use.ts';
import { inspectMembers } from './inspect-members.ts';
import { mayOverride, noOverrides, overrideWarnings } from './may-override.ts';
import { reviewCode } from './review-code.ts';
import { whereConfigured } from './reviewer-place.ts';
import { taskOf } from './task-of.ts';

export interface Submission {
  readonly session: Session;
  readonly edition: Edition;
  readonly call: Call;
  readonly heard: Extract<Hearing, { kind: 'run' }>;
  readonly overrideReason: string | null;
  readonly context: Readonly<Record<string, unknown>>;
}

export async function submit(context: CallContext, asked: Submission): Promise<FinishedStepAnswer> {
  const { workspace, signal } = context;
  const { session, heard, call, overrideReason } = asked;
  const open = nothingSubmitted(session, heard);
  if (open !== null) {
    return needsWork(open, { warnings: asked.edition.warnings });
  }
  const members = await inspectMembers(workspace.paths.root, heard, signal);
  const settings = await workspace.settings();
  const gate = await standingGate(context, session, asked.edition, settings);
  if (gate.kind === 'waiting') {
    const { warnings } = asked.edition;
    return needsWork(gate.feedback, { reason: 'waiting_for_person', warnings });
  }
  const warnings = [...asked.edition.warnings, ...weakeningWarnings(gate.change)];
  const submission = { ...asked, edition: { ...asked.edition, warnings }, gate };
  refuseOverride(submission, members, settings);
  if (isQuick(members, settings)) {
    const quietly = { signal, progress: context.progress };
    return judgeAndSettle(context, submission, members, settings, quietly);
  }
  // The same question about the same files joins the run that is already under way.
  const key = keyOf([
    session.id,
    heard.visit,
    call,
    overrideReason,
    submission.context,
    members.map((member) => [member.step, member.files]),
    settings.reviewer,
  ]);
  const ended = await workspace.running.join(key, {
    session: session.id,
    start: (work) => judgeAndSettle(context, submission, members, settings, work),
    within: settings.answerWithinSeconds * 1000,
    signal,
    progress: context.progress,
  });
  if (ended.kind === 'done') return ended.value;
  return needsWork(
    `${ended.doing ?? 'The review'} goes on and has not ended yet. Call finished_step again with the same outputs to wait for its result.`,
    { reason: 'still_running', warnings: submission.edition.warnings },
  );
}

/** Nothing is started that could keep the caller waiting. */
function isQuick(members: readonly GateMember[], { reviewer }: Settings): boolean {
  const outside = reviewer.kind === 'runner' || reviewer.kind === 'command';
  return members.every(
    ({ step }) => step.checks.length === 0 && !(outside && step.reviews.length > 0),
  );
}

interface GatedSubmission extends Submission {
  readonly gate: Extract<GateStanding, { kind: 'open' }>;
}

/** The stricter of when the run began and now: an agent cannot loosen it on the way. */
function ruleFor({ session, gate }: GatedSubmission, { overrides }: Settings): OverrideRule {
  const agreed = gate.change?.granted !== undefined;
  return agreed ? overrides : stricterRule(session.gate?.overrides ?? overrides, overrides);
}

/** Where no reason could do, none of the work is begun. */
function refuseOverride(
  submission: GatedSubmission,
  members: readonly GateMember[],
  settings: Settings,
): void {
  const { kind } = settings.reviewer;
  if (submission.overrideReason === null || kind === 'off' || kind === 'self') return;
  if (ruleFor(submission, settings) !== 'never') return;
  if (members.every((member) => applicableReviews(member).length === 0)) return;
  throw new Refused(noOverrides(settings));
}

async function judgeAndSettle(
  context: CallContext,
  submission: GatedSubmission,
  members: readonly GateMember[],
  settings: Settings,
  work: Work,
): Promise<FinishedStepAnswer> {
  const { workspace, owner } = context;
  const { session, edition, call, heard, gate } = submission;
  const rule = ruleFor(submission, settings);
  const { paths, store, stacks, views, clock } = workspace;
  const { id } = session;
  let reviewing: readonly string[] = [];

  const commit = <T>(
    decide: (now: Session) => SessionDecision | Promise<SessionDecision>,
    prepare: (next: Session) => Promise<T>,
  ) =>
    store.commit(
      id,
      (now) => (now === null ? { kind: 'refused', refusal: noSuchSession(id) } : decide(now)),
      prepare,
    );
  const settle =
    (verdict: Pick<Verdict, Settling>, more: readonly string[] = []) =>
    async (now: Session) => {
      const command = {
        at: clock(),
        by: owner,
        visit: heard.visit,
        call,
        context: submission.context,
        edition,
        ...(gate.change !== null && { gate: gate.change }),
        warnings: [...edition.warnings, ...more],
        ...verdict,
        // Beside what was judged a broken reviewer is only a part of the feedback.
        faults: where === '' ? verdict.faults : [...verdict.faults, where],
      };
      const decision = decideSettle(now, command);
      if (!completes(decision)) return decision;
      return decideSettle(now, { ...command, ending: await stacks.ending(now.owner, id) });
    };

  let verdict: Verdict;
  let where = '';
  try {
    verdict = await judge({
      root: paths.root,
      sessionId: id,
      members,
      notes: call.notes,
      task: taskOf(session, settings),
      overrideReason: submission.overrideReason,
      mayOverride: (reviewed) =>
        mayOverride(
          context,
          {
            ...{ session, rule, settings, visit: heard.visit, signal: work.signal },
            reason: submission.overrideReason ?? '',
          },
          reviewed,
        ),
      reviewCode: rule === 'agent' ? null : (member) => reviewCode(session, heard.visit, member),
      context: { ...session.context, ...withoutReserved(submission.context) },
      reviewer: settings.reviewer,
      timeoutSeconds: settings.timeoutSeconds,
      maxParallel: settings.maxParallel,
      passed: session.passed,
      signal: work.signal,
      progress: work.progress,
      requireTrust: (step) => requireTrustInChecks(workspace, edition.job, step),
      reviewsBegin: async (stepIds) => {
        await requireTrustInReviewer(workspace, settings);
        const review = keyOf([id, heard.visit, clock()]).slice(0, 8);
        const { visit } = heard;
        await commit(
          (now) => decideReview(now, { at: clock(), by: owner, visit, review, stepIds }),
          async () => null,
        );
        reviewing = stepIds;
      },
      place: async (name, text) => path.relative(paths.root, await views.place(name, text)),
    });
    await requireUntouched(paths.root, members, work.signal);
    if (verdict.faults.length > 0 || lacksVerdicts(verdict)) {
      where = await whereConfigured(workspace, settings);
    }
    if (lacksVerdicts(verdict)) where = `${LACKS_VERDICTS} ${where}`;
  } catch (error) {
    // Whatever cut the work short, no reviewer has spoken: the attempt does not count.
    if (reviewing.length > 0) {
      await commit(settle({ ...UNDECIDED, voided: reviewing }), async () => null).catch(() => {});
    }
    // Somebody gave the session up, or went back, while this ran.
    if (error instanceof Cancelled && !context.signal.aborted) {
      throw new Refused(stepIsPast(session, members[0]?.step.id ?? ''));
    }
    throw error;
  }

  const {
    prepared,
    session: after,
    warnings,
  } = await commit(
    settle(verdict, overrideWarnings(session, skipped(verdict, members), settings)),
    (next) => answerFor({ session: next, edition, visit: heard.visit, ...verdict }),
  );
  await Promise.all([gate.used(), verdict.overrideUsed?.()]);
  if (after.position.visit !== heard.visit || after.status !== 'active') {
    await dismissAfterMove(workspace, after);
  }
  refuseIfOver(after, verdict, settings.maxAttempts, where);
  return { ...prepared, warnings: [...prepared.warnings, ...warnings] };
}

const LACKS_VERDICTS =
  'Where the reviewer gave no verdict, it is at fault and not the outputs: criteria_results in its answer must have a result for each criterion.';

function lacksVerdicts({ failedReviews }: Verdict): boolean {
  return failedReviews.some((review) =>
    review.criteria_results.some(({ feedback }) => feedback === NO_VERDICT),
  );
}

/** Only then the stack is looked at for what comes after it. */
function completes(decision: SessionDecision): boolean {
  if (decision.kind !== 'commit' || decision.event.type !== 'settled') return false;
  return decision.event.data.completed === true;
}

/** Those whose reviews were skipped for a reason. */
function skipped({ accepted }: Verdict, members: readonly GateMember[]): AcceptedMember[] {
  return accepted.filter(({ step_id, override_reason: reason }) => {
    const member = members.find(({ step }) => step.id === step_id);
    return reason !== undefined && member !== undefined && applicableReviews(member).length > 0;
  });
}

type Settling = 'accepted' | 'failed' | 'evidence' | 'voided' | 'faults';

const UNDECIDED = { accepted: [], failed: [], evidence: [], voided: [], faults: [] };

/** The outcome is on record; what is left is to tell the caller when that is an error. */
function refuseIfOver(
  session: Session,
  verdict: Verdict,
  maxAttempts: number,
  where: string,
): void {
  const { accepted, failed, faults } = verdict;
  if (faults.length > 0 && accepted.length === 0 && failed.length === 0) {
    throw new Refused(
      refuse(
        'reviewer_failed',
        faults.join('; '),
        `no attempt was used up. ${where} Get it to work, or ask your user to; then call finished_step again with the same outputs.`,
      ),
    );
  }
  const exhausted = failed.filter(
    ({ stage, step_id }) =>
      stage === 'review' && (progressOf(session.progress, step_id)?.attempts ?? 0) >= maxAttempts,
  );
  if (exhausted.length === 0) return;
  const feedback = exhausted.map((member) => member.feedback).join('; ');
  throw new Refused(
    refuse(
      'quality_gate_failed',
      `Quality gate failed after ${maxAttempts} attempts. Feedback: ${feedback}`,
      `${lacksVerdicts(verdict) ? `${where} Otherwise ` : ''}fix the outputs and call finished_step again, or ask your user whether to override (quality_review_override_reason), go_to_step or abort_workflow.`,
    ),
  );
}

/** A file that was touched while it was judged was not judged, whatever it holds now. */
async function requireUntouched(
  root: string,
  members: readonly GateMember[],
  signal: AbortSignal,
): Promise<void> {
  const file = await changedSinceJudged(root, members, signal);
  if (file === null) return;
  throw new Refused(
    refuse(
      'outputs_changed',
      `Output file '${file}' changed while it was judged`,
      "finish writing, then call finished_step again. (A check must not write its step's outputs.)",
    ),
  );
}
