// The review stage: splits a submission into tasks, runs a few at a time, and sums up per
// member. Only a verdict counts as an attempt; a reviewer's fault does not.

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
  const outcomes = await runTasks(request, reviewer, tasks);
  const about = (member: GateMember) =>
    tasks.flatMap((task, index) => {
      const outcome = outcomes[index];
      return task.member === member && outcome !== undefined ? [{ task, outcome }] : [];
    });

  const passed: GateMember[] = [];
  const failed: FailedMember[] = [];
  const failedReviews: FailedReview[] = [];
  const voided: string[] = [];
  const faults: string[] = [];
  for (const member of members) {
    const failures = about(member).flatMap(({ task, outcome }) => failedReview(task, outcome));
    const reasons = about(member).flatMap(({ outcome }) =>
      outcome.kind === 'fault' ? [outcome.reason] : [],
    );
    if (failures.length > 0) {
      const feedback = about(member)
        .flatMap(({ task, outcome }) =>
          failedReview(task, outcome).map((review) =>
            tasks.length === 1 ? review.feedback : `${taskLabel(task)}: ${review.feedback}`,
          ),
        )
        .join('; ');
      failed.push(failure(member, 'review', feedback, failures));
      failedReviews.push(...failures);
    } else if (reasons.length > 0) {
      voided.push(member.step.id);
      faults.push(...reasons);
    } else {
      passed.push(member);
    }
  }
  const evidence = tasks.flatMap((task, index) => evidenceOf(task, outcomes[index]));
  return { passed, failed, failedReviews, evidence, voided, faults };
}

async function runTasks(
  request: GateRequest,
  reviewer: Reviewer,
  tasks: readonly ReviewTask[],
): Promise<ReviewOutcome[]> {
  const adapter = adapterFor(reviewer);
  const outcomes: ReviewOutcome[] = [];
  let next = 0;
  // Once per member, however many reviews it has, because it hashes files.
  const contexts = new Map<GateMember, ReturnType<typeof reviewContextOf>>();
  const contextFor = (member: GateMember) => {
    const known = contexts.get(member) ?? reviewContextOf(request, member);
    contexts.set(member, known);
    return known;
  };
  const work = async () => {
    while (next < tasks.length) {
      const index = next++;
      const task = tasks[index] as ReviewTask;
      const label = `review ${index + 1} of ${tasks.length}: ${taskName(task)}`;
      const payload = await reviewPayload(
        request.root,
        task.files,
        request.notes,
        MAX_INLINE_FILES,
        {
          reviewContext: await contextFor(task.member),
          changes: await changesIn(request, task.files),
        },
      );
      outcomes[index] = await reporting(request.progress, label, () =>
        runReview(adapter, {
          root: request.root,
          review: task.review,
          payload,
          baseSeconds: request.timeoutSeconds,
          signal: request.signal,
        }),
      );
    }
  };
  const workers = Math.min(request.maxParallel, tasks.length);
  await Promise.all(Array.from({ length: workers }, work));
  return outcomes;
}

function failedReview(task: ReviewTask, outcome: ReviewOutcome): FailedReview[] {
  if (outcome.kind === 'fault' || outcome.answer.passed) return [];
  const { feedback, results } = outcome.answer;
  return [
    {
      review_run_each: task.review.runEach,
      target_file: task.targetFile,
      passed: false,
      feedback: feedback.trim() || `The review of ${taskName(task)} failed without a reason.`,
      criteria_results: results,
    },
  ];
}

function evidenceOf(task: ReviewTask, outcome: ReviewOutcome | undefined): Evidence[] {
  if (outcome === undefined) return [];
  const verdict = outcome.kind === 'verdict';
  return [
    {
      key: task.key,
      step_id: task.member.step.id,
      kind: 'review',
      name: taskName(task),
      passed: verdict && outcome.answer.passed,
      said: verdict ? outcome.answer.feedback.slice(0, 4096) : outcome.reason,
      files: Object.fromEntries(task.files.map(({ path, hash }) => [path, hash])),
      milliseconds: verdict ? Math.round(outcome.milliseconds) : 0,
    },
  ];
}
