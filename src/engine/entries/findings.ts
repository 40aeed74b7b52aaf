// What is found out for a call before it can be decided, and what that is done with.

import type { Evidence, SessionDecision } from '../../core/session/events.ts';
import type { Facts } from '../../core/session/facts.ts';
import type { Session } from '../../core/session/state.ts';
import type { VariableValues } from '../../core/variables.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import type { OpenGate } from '../submission/gate-in-use.ts';

/** What finding out is done with; a call's own, or that of the run that goes on for it. */
export type Finder = Pick<CallContext, 'workspace' | 'owner' | 'signal' | 'progress'>;

/** Everything that was found out for one call, by session. */
export interface Findings {
  readonly facts: Map<string, Facts>;
  /** What ran for it. */
  readonly evidence: Map<string, readonly Evidence[]>;
  /** Nested sessions that are ready to be started, by their ids. */
  readonly plans: Map<string, NestedPlan>;
  /** Gates of sessions that move on with the call, by session and definition. */
  readonly gates: Map<string, OpenGate>;
}

export function noFindings(): Findings {
  return { facts: new Map(), evidence: new Map(), plans: new Map(), gates: new Map() };
}

/** Whose decision it is that needs something. */
export interface Asker {
  readonly id: string;
  readonly inUse: DefinitionInUse;
  readonly inputs: VariableValues;
  readonly context: Session['context'];
  /** As the parent of what it would run. */
  readonly parent: () => Promise<RunParent>;
}

/** What a nested session gets from the one that runs it. */
export interface RunParent
  extends Pick<Session, 'id' | 'goal' | 'instanceId' | 'branchName' | 'level'> {
  /** Sessions on the stack, itself included. */
  readonly depth: number;
}

export interface NestedPlan {
  /** As it will be once it is started. */
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  readonly decision: SessionDecision;
}
