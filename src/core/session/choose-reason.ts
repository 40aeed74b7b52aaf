// Chooses the reason in the answer to a submission after which the session stays where it is.

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

/** Null if there was none before and nothing was judged. */
export function reasonAfter(session: Session, data: Judged['data']): Reason | null {
  const { failed = [], accepted } = data;
  // Nothing was judged, so the earlier reason still holds.
  if (failed.length === 0 && accepted.length === 0) return session.position.reason;
  const reviewer = data.gate?.now.reviewer ?? session.gate?.reviewer;
  const found = failed.map(({ stage }) =>
    // A review that may not be skipped is done as usual; without a reviewer, by a subagent.
    stage === 'override_refused' && reviewer === 'self' ? 'self_review' : REASON_OF[stage],
  );
  // Members can fail for different reasons. The first in the list counts: while a file has to be
  // fixed, waiting is pointless.
  return REASONS.find((reason) => found.includes(reason)) ?? 'members_open';
}
