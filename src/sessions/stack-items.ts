// A stack as answers and the log show it.

import { openStepId } from '../core/session/progress.ts';
import { type Session, workflowLabel } from '../core/session/state.ts';

export interface StackItem {
  readonly workflow: string;
  /** An open member of the current entry. */
  readonly step: string;
  readonly session_id: string;
}

export function stackItems(stack: readonly Session[]): StackItem[] {
  return stack.map(stackItem);
}

export function stackItem(session: Session): StackItem {
  return { workflow: workflowLabel(session), step: openStepId(session), session_id: session.id };
}
