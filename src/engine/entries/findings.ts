// What is found out for a call before it can be decided.

import type { Evidence, SessionDecision } from '../../core/session/events.ts';
import type { Facts } from '../../core/session/facts.ts';
import type { Session } from '../../core/session/state.ts';
import type { VariableValues } from '../../core/variables.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import type { OpenGate } from '../submission/gate-in-use.ts';

/** What is needed to find something out: the context of a call, or of its background run. */
export type Finder = Pick<CallContext, 'workspace' | 'owner' | 'signal' | 'progress'>;

/** Everything that was found out for one call, by session id. */
export interface Findings {
  readonly facts: Map<string, Facts>;
  /** What ran to find out the facts. */
  readonly evidence: Map<string, readonly Evidence[]>;
  /** Nested sessions that are ready to be started, by their own id. */
  readonly plans: Map<string, NestedPlan>;
  /** Gates of sessions that move on with the call, by session and definition. */
  readonly gates: Map<string, OpenGate>;
}

export function noFindings(): Findings {
  return { facts: new Map(), evidence: new Map(), plans: new Map(), gates: new Map() };
}

/** The session whose decision needs a fact. */
export interface Requester {
  readonly id: string;
  readonly inUse: DefinitionInUse;
  readonly inputs: VariableValues;
  readonly context: Session['context'];
  /** What a session that it would run gets from it. */
  readonly parent: () => Promise<RunParent>;
}

/** What a nested session gets from the one that runs it. */
export interface RunParent
  extends Pick<Session, 'id' | 'goal' | 'inputs' | 'instanceId' | 'branchName' | 'level'> {
  /** The number of sessions on the stack, including itself. */
  readonly depth: number;
}

export interface NestedPlan {
  /** The session as it will be once it is started. */
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  readonly decision: SessionDecision;
}
