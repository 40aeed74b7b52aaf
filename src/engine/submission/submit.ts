// A submission on its way: what was sent is found, the gate is open, and the work is done at
// once or, where it may take minutes, in the background. Long work holds nothing.

import { Refused } from '../../core/refusal.ts';
import { currentEntry } from '../../core/session/positions.ts';
import { nothingSubmitted } from '../../core/session/read-submission.ts';
import { acceptedAsBefore } from '../../core/session/repeats.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { GateMember } from '../../gate/request.ts';
import { applicableReviews, keyOf } from '../../gate/review/tasks.ts';
import type { FinishedStepAnswer } from '../answer-types.ts';
import type { CallContext } from '../call-context.ts';
import { requireGatesAbove } from '../entries/gates-above.ts';
import { judgeListsAhead } from '../entries/lists-ahead.ts';
import { needsWork } from '../step/finished-step-answer.ts';
import { callKey } from './background-runs.ts';
import { requireGate } from './gate-in-use.ts';
import { inspectMembers } from './inspect-members.ts';
import {
  type GatedSubmission,
  judgeAndRecord,
  ruleFor,
  type Submission,
} from './judge-submission.ts';
import { noOverrides } from './may-override.ts';

export async function submit(context: CallContext, asked: Submission): Promise<FinishedStepAnswer> {
  const { workspace, signal } = context;
  const { session, submitted, call, overrideReason } = asked;
  const open = nothingSubmitted(session, submitted);
  if (open !== null) {
    return needsWork(open, { warnings: asked.inUse.warnings });
  }
  const members = await inspectMembers(workspace.paths.work, submitted, signal);
  const settings = await workspace.settings();
  const gate = await requireGate(context, session, asked.inUse);
  await requireGatesAbove(context, session, asked.inUse);
  const { workflow } = asked.inUse;
  const ahead = await judgeListsAhead(workspace.paths.work, workflow, members);
  const warnings = [...asked.inUse.warnings, ...gate.warnings, ...ahead];
  const submission = { ...asked, inUse: { ...asked.inUse, warnings }, gate };
  refuseOverride(submission, members, settings);
  const within = settings.answerWithinSeconds * 1000;
  if (isQuick(members, settings) && !mayRunUntil(asked)) {
    const quietly = { signal, progress: context.progress, timeLeft: () => within };
    return judgeAndRecord(context, submission, members, settings, quietly);
  }
  // The same question about the same files joins the run that is already under way.
  const key = keyOf([
    session.id,
    submitted.arrival,
    call,
    overrideReason,
    submission.context,
    members.map((member) => [member.step, member.files]),
    settings.reviewer,
  ]);
  const ended = await workspace.running.join(key, {
    session: session.id,
    call: callKey(session.id, submitted.arrival, call),
    async start(work) {
      const timeLeft = () => Math.max(0, work.timeLeft() - toRecord(within));
      const timed = { ...work, timeLeft };
      const answer = await judgeAndRecord(context, submission, members, settings, timed);
      await expectNoAnswer(context, asked);
      return answer;
    },
    within,
    signal,
    progress: context.progress,
  });
  if (ended.kind === 'done') return ended.value;
  return needsWork(
    `${ended.doing ?? 'The review'} goes on and has not ended yet. Call finished_step again with the same outputs to wait for its result.`,
    { reason: 'still_running', warnings: submission.inUse.warnings },
  );
}

/**
 * What ended while nobody waited has not been answered: the same call, made again, asks for it,
 * even if it would also fit what comes next, as in a loop. A caller who waits gets the answer now.
 */
async function expectNoAnswer({ workspace }: CallContext, { session, call }: Submission) {
  const { id } = session;
  const now = await workspace.store.load(id);
  const accepted = now && acceptedAsBefore(now, call);
  if (accepted) workspace.lostAnswers.lose({ id, seq: accepted.seq });
}

/**
 * What is kept of a call's time for recording that a person was asked: a wait that took all
 * of it would end as `still_running`, which does not name the question.
 */
function toRecord(within: number): number {
  return Math.min(within / 4, 2000);
}

/** Nothing is started that could keep the caller waiting. */
function isQuick(members: readonly GateMember[], { reviewer }: Settings): boolean {
  const outside = reviewer.kind === 'runner' || reviewer.kind === 'command';
  return members.every(
    ({ step }) => step.checks.length === 0 && !(outside && step.reviews.length > 0),
  );
}

/** Whether the end of this step may end a pass of a loop whose check takes its time. */
function mayRunUntil({ session, inUse }: Submission): boolean {
  const { loops = [] } = currentEntry(session, inUse.workflow)?.place ?? {};
  return session.runEntry !== null || loops.some(({ until }) => until.kind === 'check');
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
