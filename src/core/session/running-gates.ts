// Which checks and reviews of a session run, as its events tell it.

import type { SessionEvent } from './events.ts';
import type { RunningGate, Session } from './state.ts';

export function gatesAfter(
  { owner, gates }: Pick<Session, 'owner' | 'gates'>,
  event: SessionEvent,
): readonly RunningGate[] {
  switch (event.type) {
    case 'checking':
    case 'reviewing': {
      const { by, step_ids: stepIds } = event.data;
      const kind = event.type === 'checking' ? 'checks' : 'reviews';
      const { process } = by ?? owner;
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
