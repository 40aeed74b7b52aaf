// The workflow that a command is decided with, as its file was when the call arrived.

import type { Refusal } from '../refusal.ts';
import type { Workflow } from '../workflow.ts';
import type { Session } from './state.ts';

export interface WorkflowInUse {
  readonly workflow: Workflow;
  readonly hash: string;
  /** The refusal if the session's current step is no longer in it. */
  readonly stepGone: (session: Session) => Refusal;
}
