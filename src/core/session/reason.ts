// Which of the reasons a submission that left the session where it was is answered with.

import type { FailedMember, Judged } from './events.ts';
import { REASONS, type Reason } from './reasons.ts';
import type { Session } from './state.ts';

const REASON_OF: Readonly<Record<FailedMember['stage'], Reason>> = {
  rules: 'rules',
  checks: 'checks',
  review: 'reviews',
  self_review: 'self_review',
  self_review_failed: 'reviews',
  override_pending: 'waiting_for_person',
  override_refused: 'reviews',
};

/** What is asked for after a submission that left the session where it was. */
export function reasonAfter(session: Session, data: Judged['data']): Reason | null {
  const { failed = [], accepted } = data;
  // Nothing was judged: what was asked for before still is.
  if (failed.length === 0 && accepted.length === 0) return session.position.reason;
  const reviewer = data.gate?.now.reviewer ?? session.gate?.reviewer;
  const found = failed.map(({ stage }) =>
    // What may not be skipped is done as usual: by a subagent, where no one else reviews.
    stage === 'override_refused' && reviewer === 'self' ? 'self_review' : REASON_OF[stage],
  );
  // Members can fail for different reasons. The first in the list counts, since waiting for
  // anything is pointless while a file has to be fixed.
  return REASONS.find((reason) => found.includes(reason)) ?? 'members_open';
}
