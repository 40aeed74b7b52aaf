// The code of a review that an agent has to answer for: what the reviewer of a self-review
// repeats, and what a person grants. It stands for one arrival at one step, for each output
// with its files as they are, and for the reviews that apply; what differs in any of these
// has another code. It is made with a key (`Workspace.reviewsKey`), so that only who was shown it knows
// it: an agent knows everything else that is in it.

import { createHmac } from 'node:crypto';
import { progressOf } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import type { GateMember } from '../../gate/request.ts';
import { applicableReviews } from '../../gate/review/tasks.ts';

/** Begins the verdict of a self-review. */
export function reviewCode(
  key: Buffer,
  session: Session,
  arrival: number,
  member: GateMember,
): string {
  return codeOf(key, ['self-review', session.id, arrival, judged(member)]);
}

/** Stands in the question to a person whether these reviews may be skipped. */
export function grantCode(
  key: Buffer,
  session: Session,
  arrival: number,
  members: readonly GateMember[],
  reason: string,
): string {
  return codeOf(key, ['grant', session.id, arrival, reason, members.map(judged)]);
}

/** Whether the review with this code is the one that was last asked for, at this arrival. */
export function wasAskedFor(session: Session, { step }: GateMember, code: string): boolean {
  return progressOf(session, step.id)?.selfReview?.code === code;
}

function judged(member: GateMember) {
  const outputs = Object.entries(member.outputs)
    .map(([name, paths]) => {
      const files = (typeof paths === 'string' ? [paths] : [...paths]).sort();
      return [name, files.map((file) => [file, member.files[file] ?? ''])] as const;
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const { reports = {} } = member;
  const said = Object.keys(reports).length > 0 ? [reports] : [];
  return [member.step.id, outputs, applicableReviews(member), ...said];
}

function codeOf(key: Buffer, question: unknown): string {
  return createHmac('sha256', key).update(JSON.stringify(question)).digest('hex').slice(0, 8);
}
