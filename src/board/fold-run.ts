// A run folded from its events: the session as the decider folds it, and a few counts that only
// people need. Pure, so that any prefix of a history can be folded, too.

import type { FailedMember, SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import type { Session } from '../core/session/state.ts';

export interface FoldedRun {
  readonly session: Session;
  /** Submissions turned down by rules, checks or reviews. */
  readonly refusals: number;
  /** Steps whose reviews were skipped for a reason. */
  readonly overrides: number;
  /** When something last happened that was not done by a person. */
  readonly agentSeenAt: string;
}

export function foldRun(run: FoldedRun | null, event: SessionEvent): FoldedRun {
  const session = evolve(run?.session ?? null, event);
  if (run === null) return { session, refusals: 0, overrides: 0, agentSeenAt: event.at };
  return {
    session,
    refusals: run.refusals + (isRefusal(event) ? 1 : 0),
    overrides: run.overrides + overridesIn(event),
    agentSeenAt: 'person' in event.data ? run.agentSeenAt : event.at,
  };
}

export const TURNED_DOWN: readonly FailedMember['stage'][] = [
  'rules',
  'checks',
  'review',
  'self_review_failed',
];

/** A request to review one's own work, or to wait for a person, turns nothing down. */
function isRefusal(event: SessionEvent): boolean {
  if (event.type !== 'judged') return false;
  return (event.data.failed ?? []).some(({ stage }) => TURNED_DOWN.includes(stage));
}

function overridesIn(event: SessionEvent): number {
  if (event.type !== 'judged') return 0;
  return event.data.accepted.filter((member) => member.override_reason !== undefined).length;
}
