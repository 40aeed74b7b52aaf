// Judges a submission and records the outcome in one event. The outcome commits only if the
// session is still at the arrival that was judged and the files have not changed meanwhile.

import path from 'node:path';
import { type OverrideRule, stricterRule } from '../../core/overrides.ts';
import { refusedWith } from '../../core/refusal.ts';
import { decideChecks, decideReview, withoutReserved } from '../../core/session/decide.ts';
import type { ReadSubmission } from '../../core/session/read-submission.ts';
import type { Call } from '../../core/session/repeats.ts';
import type { Session } from '../../core/session/state.ts';
import { decideVerdict } from '../../core/session/verdict.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { changedSinceJudged } from '../../gate/changed-since-judged.ts';
import { judge } from '../../gate/gate.ts';
import type { GateMember, GateRequest } from '../../gate/request.ts';
import { keyOf } from '../../gate/review/tasks.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { FinishedStepAnswer } from '../answer-types.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { answerAt } from '../entries/answer-after-move.ts';
import { commitMove, type Lead } from '../entries/commit-move.ts';
import { requireTrustInChecks, requireTrustInReviewer } from '../trust/command-trust.ts';
import type { BackgroundWork } from './background-runs.ts';
import type { OpenGate } from './gate-in-use.ts';
import { mayOverride, overrideWarnings } from './may-override.ts';
import { reviewCode } from './review-code.ts';
import { taskOf } from './review-task.ts';
import { describeReviewerFault, refuseFailedVerdict } from './verdict-errors.ts';
import { whileHere } from './while-here.ts';

export interface Submission {
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  readonly call: Call;
  readonly submitted: ReadSubmission;
  readonly overrideReason: string | null;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface GatedSubmission extends Submission {
  readonly gate: OpenGate;
}

/** The stricter of the rule at the start of the run and the rule now: no agent can loosen it. */
export function ruleFor({ session, gate }: GatedSubmission, { overrides }: Settings): OverrideRule {
  const agreed = gate.change?.granted !== undefined;
  return agreed ? overrides : stricterRule(session.gate?.overrides ?? overrides, overrides);
}

/** No program is started that could take long. */
export function isQuick(members: readonly GateMember[], { reviewer }: Settings): boolean {
  const isProgram = reviewer.kind === 'runner' || reviewer.kind === 'command';
  return members.every(
    ({ step }) => step.checks.length === 0 && !(isProgram && step.reviews.length > 0),
  );
}

export async function judgeAndRecord(
  context: CallContext,
  submission: GatedSubmission,
  members: readonly GateMember[],
  settings: Settings,
  work: BackgroundWork,
): Promise<FinishedStepAnswer> {
  const { workspace } = context;
  const { session, inUse, submitted, gate } = submission;
  const record = recorder(context, submission);
  let checking: readonly string[] = [];
  let reviewing: readonly string[] = [];
  let verdict: Verdict;
  let where: string;
  const failUnjudged = async (error: unknown): Promise<never> => {
    // Nothing was judged, so the attempt does not count.
    if (reviewing.length > 0) {
      await record.verdict({ ...UNDECIDED, voided: reviewing }, [], work, noAnswer).catch(() => {});
    } else await record.checksStopped(checking);
    throw error;
  };
  const judging = (signal: AbortSignal) =>
    judge({
      ...gateRequest(context, submission, members, settings, { ...work, signal }),
      checksBegin: async (stepIds) => {
        await record.checking(stepIds);
        checking = stepIds;
      },
      reviewsBegin: async (stepIds) => {
        await requireTrustInReviewer(workspace, settings);
        await record.reviewing(stepIds);
        reviewing = stepIds;
      },
    });
  try {
    verdict = isQuick(members, settings)
      ? await judging(work.signal)
      : await whileHere(workspace, session, members[0]?.step.id ?? '', work.signal, judging);
    await requireUntouched(workspace.paths.work, members, work.signal);
    where = await describeReviewerFault(workspace, verdict, settings);
  } catch (error) {
    return failUnjudged(error);
  }

  // If anything was judged, a reviewer's fault is only part of the feedback.
  const faults = where === '' ? verdict.faults : [...verdict.faults, where];
  const overridden = overrideWarnings(session, verdict.accepted);
  // Reported now, because this answer may not move on: other members may still be open.
  const reported = { ...inUse, warnings: [...inUse.warnings, ...overridden] };
  const recorded = await record
    .verdict({ ...verdict, faults }, overridden, work, (next, lead) =>
      answerAt(
        {
          session: next,
          inUse: reported,
          arrival: submitted.arrival,
          submitted: members.map(({ step }) => step.id),
          ...verdict,
        },
        lead,
      ),
    )
    .catch((error: unknown) => failUnjudged(error));
  await Promise.all([gate.used(), verdict.overrideUsed?.()]);
  const { prepared, session: after, warnings } = recorded;
  refuseFailedVerdict(after, verdict, settings.maxAttempts, where);
  return { ...prepared, warnings: [...prepared.warnings, ...warnings] };
}

function gateRequest(
  context: CallContext,
  submission: GatedSubmission,
  members: readonly GateMember[],
  settings: Settings,
  { signal, progress, timeLeft }: BackgroundWork,
): Omit<GateRequest, 'checksBegin' | 'reviewsBegin'> {
  const { workspace } = context;
  const { session, inUse, call, overrideReason } = submission;
  const { arrival } = submission.submitted;
  const { work: root } = workspace.paths;
  const rule = ruleFor(submission, settings);
  const reason = overrideReason ?? '';
  const asked = { session, rule, settings, arrival, signal, reason, timeLeft };
  return {
    root,
    env: workspace.env,
    sessionId: session.id,
    members,
    notes: call.notes,
    task: taskOf(session, settings, inUse.workflow, submission.submitted.reports),
    overrideReason,
    mayOverride: (reviewed) => mayOverride(context, asked, reviewed),
    reviewCode: (member) => reviewCode(workspace.reviewsKey(), session, arrival, member),
    context: { ...session.context, ...withoutReserved(submission.context) },
    inputs: session.inputs,
    reviewer: settings.reviewer,
    timeoutSeconds: settings.timeoutSeconds,
    maxParallel: settings.maxParallel,
    passed: session.position.passed,
    signal,
    progress,
    requireTrust: (step) => requireTrustInChecks(workspace, inUse.definition, step),
    place: async (name, text) => path.relative(root, await workspace.views.place(name, text)),
  };
}

type Outcome = Pick<Verdict, 'accepted' | 'failed' | 'evidence' | 'voided' | 'faults'>;

const UNDECIDED: Outcome = { accepted: [], failed: [], evidence: [], voided: [], faults: [] };

const noAnswer = async () => null;

/** Records what becomes of a submission, if the session is still at the same arrival. */
function recorder(caller: CallContext, submission: GatedSubmission) {
  const { workspace, owner: by } = caller;
  const { store, clock } = workspace;
  const { inUse, call, context, gate } = submission;
  const { arrival } = submission.submitted;
  const { id } = submission.session;
  const onChecks = (type: 'checking' | 'checks_stopped', stepIds: readonly string[]) =>
    store.change(id, (now) => decideChecks(now, type, { at: clock(), by, arrival, stepIds }));
  return {
    checking: (stepIds: readonly string[]) => onChecks('checking', stepIds),
    /** Never rejects: the caller has another error to report. */
    checksStopped: async (stepIds: readonly string[]) => {
      if (stepIds.length > 0) await onChecks('checks_stopped', stepIds).catch(() => {});
    },
    reviewing: (stepIds: readonly string[]) => {
      const review = keyOf([id, arrival, clock()]).slice(0, 8);
      const command = { by, arrival, review, stepIds };
      const decide = (now: Session) => decideReview(now, { at: clock(), ...command });
      return store.change(id, decide);
    },
    verdict: <T>(
      outcome: Outcome,
      warnings: readonly string[],
      { signal, progress, timeLeft }: BackgroundWork,
      prepare: (next: Session, lead: Lead) => Promise<T>,
    ) =>
      commitMove(
        { ...caller, signal, progress, timeLeft },
        {
          id,
          inUse,
          gate,
          decide: (now, { facts, evidence, ending }) =>
            decideVerdict(now, {
              at: clock(),
              by,
              arrival,
              call,
              context,
              inUse,
              facts,
              ...(gate.change !== null && { gate: gate.change }),
              warnings: [...inUse.warnings, ...warnings],
              ...outcome,
              evidence: [...outcome.evidence, ...evidence],
              ...(ending !== undefined && { ending }),
            }),
        },
        prepare,
      ),
  };
}

/** A file that changed while it was judged does not count as judged, whatever it contains now. */
async function requireUntouched(
  root: string,
  members: readonly GateMember[],
  signal: AbortSignal,
): Promise<void> {
  const file = await changedSinceJudged(root, members, signal);
  if (file === null) return;
  throw refusedWith(
    'outputs_changed',
    `Output file '${file}' changed while it was judged`,
    "finish writing, then call finished_step again. (A check must not write its step's outputs.)",
  );
}
