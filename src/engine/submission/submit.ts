// Takes a submission to its verdict: finds the files, compares the gate with what it demanded
// before, and judges at once or, if that may take minutes, in the background. Long work holds no
// lock.

import { Refused } from '../../core/refusal.ts';
import { currentEntry } from '../../core/session/positions.ts';
import { nothingSubmitted } from '../../core/session/read-submission.ts';
import { acceptedAsBefore } from '../../core/session/repeats.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { GateMember } from '../../gate/request.ts';
import { applicableReviews, keyOf } from '../../gate/review/tasks.ts';
import type { FinishedStepAnswer } from '../answer-types.ts';
import type { CallContext } from '../call-context.ts';
import { judgeListsAhead } from '../entries/lists-ahead.ts';
import { requireParentGates } from '../entries/parent-gates.ts';
import { needsWork } from '../step/finished-step-answer.ts';
import { callKey } from './background-runs.ts';
import { requireGate } from './gate-in-use.ts';
import { inspectMembers } from './inspect-members.ts';
import {
  type GatedSubmission,
  isQuick,
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
  await requireParentGates(context, session, asked.inUse);
  const { workflow } = asked.inUse;
  const ahead = await judgeListsAhead(workspace.paths.work, workflow, members);
  const warnings = [...asked.inUse.warnings, ...gate.warnings, ...ahead];
  const submission = { ...asked, inUse: { ...asked.inUse, warnings }, gate };
  refuseOverride(submission, members, settings);
  const within = settings.answerWithinSeconds * 1000;
  if (isQuick(members, settings) && !mayRunUntil(asked)) {
    const work = { signal, progress: context.progress, timeLeft: () => within };
    return judgeAndRecord(context, submission, members, settings, work);
  }
  // The same call about the same files joins the run that has already started.
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
      const timeLeft = () => Math.max(0, work.timeLeft() - timeToRecord(within));
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
    `Not finished yet: ${ended.doing ?? 'the review'}. Call finished_step again with the same outputs to wait for the result.`,
    { reason: 'still_running', warnings: submission.inUse.warnings },
  );
}

/**
 * Until a caller gets the result, it counts as a lost answer: the same call made again asks for it,
 * even if the call would also fit the next arrival, as in a loop.
 */
async function expectNoAnswer({ workspace }: CallContext, { session, call }: Submission) {
  const { id } = session;
  const now = await workspace.store.load(id);
  const accepted = now && acceptedAsBefore(now, call);
  if (accepted) workspace.lostAnswers.lose({ id, seq: accepted.seq });
}

/**
 * The part of a call's time that is reserved for recording that a person was asked: a wait that
 * took all of it would end as `still_running`, which does not name the question.
 */
function timeToRecord(within: number): number {
  return Math.min(within / 4, 2000);
}

/** Whether this step may end a pass of a loop whose check can take long. */
function mayRunUntil({ session, inUse }: Submission): boolean {
  const { loops = [] } = currentEntry(session, inUse.workflow)?.place ?? {};
  return session.runEntry !== null || loops.some(({ until }) => until.kind === 'check');
}

/** If no reason can count, the call is refused before any work starts. */
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
