// The review tasks of one member: one per review of the whole step or of a file output, one
// per file for a review of an output of several files.

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
  /** The file under review, if the task has only one. */
  readonly targetFile: string | null;
  readonly files: readonly ReviewedFile[];
  /** Equal keys mean the same question about the same content. */
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
      key: keyOf([reviewer, member.step.id, review, group.files, ...reportsIn(member)]),
    }));
  });
}

/** A passed review does not cover other reports. */
function reportsIn({ reports = {} }: GateMember): readonly unknown[] {
  return Object.keys(reports).length > 0 ? [reports] : [];
}

/** Reviews with something to look at; those of an omitted optional output have nothing. */
export function applicableReviews(member: GateMember): readonly Review[] {
  return member.step.reviews.filter(({ runEach, only = runEach }) => {
    return only === 'step' || filesOf(member, only).length > 0;
  });
}

/** The name of a task in progress, history and evidence. */
export function taskName({ review, targetFile }: ReviewTask): string {
  return targetFile ?? review.runEach;
}

/** The name with its review, for feedback on several at once. */
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
