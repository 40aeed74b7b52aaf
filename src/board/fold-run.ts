// A run folded from its events: the session as the decider folds it, and a few counts that only
// people need. Pure, so that any prefix of a history can be folded, too.

import type { FailedMember, SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import type { Session } from '../core/session/state.ts';

/** Checks or reviews that have begun and have no verdict yet. */
export interface RunningGate {
  readonly kind: 'checks' | 'reviews';
  readonly stepIds: readonly string[];
  /** The process that runs them; they end with it. */
  readonly process: string;
}

export interface FoldedRun {
  readonly session: Session;
  /** Submissions turned down by rules, checks or reviews. */
  readonly refusals: number;
  /** Steps whose reviews were skipped for a reason. */
  readonly overrides: number;
  readonly gates: readonly RunningGate[];
  /** When something last happened that was not done by a person. */
  readonly agentSeenAt: string;
}

export function foldRun(run: FoldedRun | null, event: SessionEvent): FoldedRun {
  const session = evolve(run?.session ?? null, event);
  if (run === null) return { session, refusals: 0, overrides: 0, gates: [], agentSeenAt: event.at };
  return {
    session,
    refusals: run.refusals + (isRefusal(event) ? 1 : 0),
    overrides: run.overrides + overridesIn(event),
    gates: gatesAfter(run, event),
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

function gatesAfter({ session, gates }: FoldedRun, event: SessionEvent): readonly RunningGate[] {
  switch (event.type) {
    case 'checking':
    case 'reviewing': {
      const { by, step_ids: stepIds } = event.data;
      const kind = event.type === 'checking' ? 'checks' : 'reviews';
      const { process } = by ?? session.owner;
      return [...withoutSteps(gates, stepIds), { kind, stepIds, process }];
    }
    case 'checks_stopped':
      return withoutSteps(gates, event.data.step_ids);
    case 'judged': {
      const { accepted, failed = [], voided = [], position, completed } = event.data;
      if (position !== null || completed) return NONE;
      const judged = [...accepted, ...failed].map(({ step_id }) => step_id);
      return withoutSteps(gates, [...judged, ...voided]);
    }
    case 'went_back':
    case 'adopted':
    case 'aborted':
      return NONE;
    default:
      return gates;
  }
}

const NONE: readonly RunningGate[] = [];

function withoutSteps(
  gates: readonly RunningGate[],
  stepIds: readonly string[],
): readonly RunningGate[] {
  if (gates.length === 0) return gates;
  return gates.filter((gate) => !gate.stepIds.some((id) => stepIds.includes(id)));
}
