// What is to be reviewed for one member: one task per review of the whole step or of a
// file output, one per file where a review names an output of several files.

import { createHash } from 'node:crypto';
import type { Review } from '../../core/workflow.ts';
import type { GateMember } from '../request.ts';

export interface ReviewedFile {
  readonly path: string;
  readonly output: string;
  readonly hash: string;
}

export interface ReviewTask {
  readonly member: GateMember;
  readonly review: Review;
  /** The one file that is looked at, where there is one per task. */
  readonly targetFile: string | null;
  readonly files: readonly ReviewedFile[];
  /** Equal keys ask the same question about the same content. */
  readonly key: string;
}

export function reviewTasks(member: GateMember, reviewer: string): ReviewTask[] {
  return applicableReviews(member).flatMap((review) => {
    const files = filesOf(member, review.runEach);
    const isList = Array.isArray(member.outputs[review.runEach]);
    const groups =
      review.runEach !== 'step' && isList
        ? files.map((file) => ({ targetFile: file.path, files: [file] }))
        : [{ targetFile: review.runEach === 'step' ? null : (files[0]?.path ?? null), files }];
    return groups.map((group) => ({
      ...group,
      member,
      review,
      key: keyOf([reviewer, member.step.id, review, group.files]),
    }));
  });
}

/** Reviews that have something to look at: an optional output that was not given has not. */
export function applicableReviews(member: GateMember): readonly Review[] {
  return member.step.reviews.filter(
    ({ runEach }) => runEach === 'step' || filesOf(member, runEach).length > 0,
  );
}

/** How a task is called in progress, history and evidence. */
export function taskName({ review, targetFile }: ReviewTask): string {
  return targetFile ?? review.runEach;
}

/** The same with the review that it belongs to, for feedback on several at once. */
export function taskLabel({ member, review, targetFile }: ReviewTask): string {
  const criteria = review.criteria.map(({ name }) => name).join(', ');
  return review.runEach === 'step'
    ? `step '${member.step.id}' (review of all outputs: ${criteria})`
    : `${targetFile ?? review.runEach} (review of '${review.runEach}': ${criteria})`;
}

export function keyOf(question: unknown): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('hex');
}

function filesOf(member: GateMember, runEach: string): ReviewedFile[] {
  return Object.entries(member.outputs)
    .filter(([output]) => runEach === 'step' || output === runEach)
    .flatMap(([output, paths]) =>
      (typeof paths === 'string' ? [paths] : paths).map((path) => ({
        path,
        output,
        hash: member.files[path] ?? '',
      })),
    );
}
