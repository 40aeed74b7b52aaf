// Codes that bind a self-review's verdict, or a person's grant, to what was judged: one arrival at
// one step, each output with the contents of its files, and the reviews that apply. If any of these
// differs, so does the code. It is made with a key (`Workspace.reviewsKey`), so that an agent cannot
// compute it, although it knows everything else: it has to be shown the code.

import { createHmac } from 'node:crypto';
import { progressOf } from '../../core/session/progress.ts';
import type { Session } from '../../core/session/state.ts';
import type { GateMember } from '../../gate/request.ts';
import { applicableReviews } from '../../gate/review/tasks.ts';

/** The verdict of a self-review has to begin with it. */
export function reviewCode(
  key: Buffer,
  session: Session,
  arrival: number,
  member: GateMember,
): string {
  return codeOf(key, ['self-review', session.id, arrival, judged(member)]);
}

/** Part of the question to a person whether these reviews may be skipped. */
export function grantCode(
  key: Buffer,
  session: Session,
  arrival: number,
  members: readonly GateMember[],
  reason: string,
): string {
  return codeOf(key, ['grant', session.id, arrival, reason, members.map(judged)]);
}

/** Whether the review with this code is the one that was last requested at this arrival. */
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
  const reported = Object.keys(reports).length > 0 ? [reports] : [];
  return [member.step.id, outputs, applicableReviews(member), ...reported];
}

function codeOf(key: Buffer, parts: unknown): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}
