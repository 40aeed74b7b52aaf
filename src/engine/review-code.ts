// The code of a review that an agent has to answer for: what the reviewer of a self-review
// repeats, and what a person grants. It stands for one arrival at one step, for each output
// with its files as they are, and for the reviews that apply; what differs in any of these
// has another code. It is made with a key of the user, so that only who was shown it knows
// it: an agent knows everything else that is in it.

import { createHmac } from 'node:crypto';
import { progressOf, type Session } from '../core/session/state.ts';
import { reviewsKey } from '../environment/signing-key.ts';
import type { GateMember } from '../gate/request.ts';
import { applicableReviews } from '../gate/review/tasks.ts';

/** Begins the verdict of a self-review. */
export function reviewCode(session: Session, visit: number, member: GateMember): string {
  return codeOf(['self-review', session.id, visit, judged(member)]);
}

/** Stands in the question to a person whether these reviews may be skipped. */
export function grantCode(
  session: Session,
  visit: number,
  members: readonly GateMember[],
  reason: string,
): string {
  return codeOf(['grant', session.id, visit, reason, members.map(judged)]);
}

/** Whether the review with this code is the one that was last asked for, at this arrival. */
export function wasAskedFor(session: Session, { step }: GateMember, code: string): boolean {
  return progressOf(session.progress, step.id)?.selfReview?.code === code;
}

function judged(member: GateMember) {
  const outputs = Object.entries(member.outputs)
    .map(([name, paths]) => {
      const files = (typeof paths === 'string' ? [paths] : [...paths]).sort();
      return [name, files.map((file) => [file, member.files[file] ?? ''])] as const;
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [member.step.id, outputs, applicableReviews(member)];
}

function codeOf(question: unknown): string {
  return createHmac('sha256', reviewsKey())
    .update(JSON.stringify(question))
    .digest('hex')
    .slice(0, 8);
}
