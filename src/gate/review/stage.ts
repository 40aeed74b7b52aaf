// The review stage: splits a submission into tasks, runs a few at a time, and sums up per
// member. Only a verdict counts as an attempt; a reviewer's fault does not.

import { mapConcurrent } from '../../async/map-concurrent.ts';
import type { Evidence, FailedMember } from '../../core/session/events.ts';
import { reporting } from '../reporting.ts';
import type { GateMember, GateRequest } from '../request.ts';
import { type FailedReview, failure } from '../verdict.ts';
import { adapterFor, type Reviewer, reviewerIdentity } from './adapters/table.ts';
import { reviewPayload } from './payload.ts';
import { changesIn, reviewContextOf } from './review-context.ts';
import { type ReviewOutcome, runReview } from './reviewer.ts';
import { type ReviewTask, reviewTasks, taskLabel, taskName } from './tasks.ts';

const MAX_INLINE_FILES = 5;

export interface Reviewed {
  readonly passed: readonly GateMember[];
  readonly failed: readonly FailedMember[];
  readonly failedReviews: readonly FailedReview[];
  readonly evidence: readonly Evidence[];
  /** Steps without a verdict, and the reasons. */
  readonly voided: readonly string[];
  readonly faults: readonly string[];
}

export async function reviewMembers(
  request: GateRequest,
  reviewer: Reviewer,
  members: readonly GateMember[],
): Promise<Reviewed> {
  const identity = reviewerIdentity(reviewer);
  const tasks = members
    .flatMap((member) => reviewTasks(member, identity))
    .filter((task) => !request.passed.includes(task.key));
  if (tasks.length > 0) {
    const stepIds = [...new Set(tasks.map((task) => task.member.step.id))];
    await request.reviewsBegin(stepIds);
  }
  const reviewed = await runTasks(request, reviewer, tasks);
  const passed: GateMember[] = [];
  const failed: FailedMember[] = [];
  const failedReviews: FailedReview[] = [];
  const voided: string[] = [];
  const faults: string[] = [];
  for (const member of members) {
    const own = reviewed.filter(({ task }) => task.member === member);
    const failures = own.flatMap((each) => failedReview(each));
    const reasons = own.flatMap(({ outcome }) => (outcome.kind === 'fault' ? outcome.reason : []));
    if (failures.length > 0) {
      const feedback = failures.map(({ task, review }) =>
        tasks.length === 1 ? review.feedback : `${taskLabel(task)}: ${review.feedback}`,
      );
      const reviews = failures.map(({ review }) => review);
      failed.push(failure(member, 'review', feedback.join('; '), reviews));
      failedReviews.push(...reviews);
    } else if (reasons.length > 0) {
      voided.push(member.step.id);
      faults.push(...reasons);
    } else {
      passed.push(member);
    }
  }
  return { passed, failed, failedReviews, evidence: reviewed.map(evidenceOf), voided, faults };
}

interface ReviewedTask {
  readonly task: ReviewTask;
  readonly outcome: ReviewOutcome;
}

async function runTasks(
  request: GateRequest,
  reviewer: Reviewer,
  tasks: readonly ReviewTask[],
): Promise<ReviewedTask[]> {
  const { root, env, notes, signal, timeoutSeconds: baseSeconds } = request;
  const adapter = adapterFor(reviewer);
  // Once per member, however many reviews it has, because it hashes files.
  const contexts = new Map<GateMember, ReturnType<typeof reviewContextOf>>();
  const contextFor = (member: GateMember) => {
    const known = contexts.get(member) ?? reviewContextOf(request, member);
    contexts.set(member, known);
    return known;
  };
  return mapConcurrent([...tasks.entries()], request.maxParallel, async ([index, task]) => {
    const { review, files } = task;
    const payload = await reviewPayload(root, files, notes, MAX_INLINE_FILES, {
      reviewContext: await contextFor(task.member),
      changes: await changesIn(request, files),
    });
    const label = `review ${index + 1} of ${tasks.length}: ${taskName(task)}`;
    const outcome = await reporting(request.progress, label, () =>
      runReview(adapter, { root, env, review, payload, baseSeconds, signal }),
    );
    return { task, outcome };
  });
}

function failedReview({
  task,
  outcome,
}: ReviewedTask): { readonly task: ReviewTask; readonly review: FailedReview }[] {
  if (outcome.kind === 'fault' || outcome.answer.passed) return [];
  const { feedback, results } = outcome.answer;
  const review = {
    review_run_each: task.review.runEach,
    target_file: task.targetFile,
    passed: false,
    feedback: feedback.trim() || `The review of ${taskName(task)} failed without a reason.`,
    criteria_results: results,
  };
  return [{ task, review }];
}

function evidenceOf({ task, outcome }: ReviewedTask): Evidence {
  const verdict = outcome.kind === 'verdict';
  return {
    key: task.key,
    step_id: task.member.step.id,
    kind: 'review',
    name: taskName(task),
    passed: verdict && outcome.answer.passed,
    said: verdict ? outcome.answer.feedback.slice(0, 4096) : outcome.reason,
    files: Object.fromEntries(task.files.map(({ path, hash }) => [path, hash])),
    milliseconds: verdict ? Math.round(outcome.milliseconds) : 0,
  };
}
