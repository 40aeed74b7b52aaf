// The definition that a command is decided with, as the file was when the call came.

import type { Refusal } from '../refusal.ts';
import type { Workflow } from '../workflow.ts';
import type { Session } from './state.ts';

export interface WorkflowInUse {
  readonly workflow: Workflow;
  readonly hash: string;
  /** What to say where the session's current step is no longer in it. */
  readonly stepGone: (session: Session) => Refusal;
}
