// Who calls over a connection, and who owns the work. Over stdio the caller is fixed when the
// server starts. The stack belongs to the client's session if the client names one, so that a
// restarted server continues with it; otherwise it belongs to this process. A client that names its
// conversation with each call has a stack for each conversation.

import { identityIn } from '../core/session/conversation.ts';
import type { Owner } from '../core/session/state.ts';
import { type Caller, identityOf, isCoordinator, readCaller } from '../core/team/caller.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { conversationIn } from './client-conversation.ts';

export interface CallerIdentity {
  readonly caller: Caller;
  /** The owner of the stack. */
  readonly owner: Owner;
}

export function stdioCaller(
  env: NodeJS.ProcessEnv,
  agent = env.SGAI_AGENT_IDENTITY,
): CallerIdentity {
  const caller = readCaller(agent);
  if (typeof caller === 'string') throw new Error(`The agent's identity cannot be used: ${caller}`);
  const process = systemProcesses.own();
  const session = env.CLAUDE_CODE_SESSION_ID?.trim().slice(0, 200);
  const identity = session ? `claude-code:${session}` : `process:${process}`;
  return { caller, owner: ownerNamed(identity, caller, process) };
}

/** The same caller, for a call with this `_meta`. */
export function inConversation(identity: CallerIdentity, meta: unknown): CallerIdentity {
  const conversation = conversationIn(meta);
  if (conversation === null) return identity;
  const { caller, owner } = identity;
  const own = identityIn(conversation, owner.process);
  return { caller, owner: ownerNamed(own, caller, owner.process) };
}

let servers = 0;

/** For a server made by the library: a process may have several, each with its own stack. */
export function libraryIdentity(agent: string | undefined): CallerIdentity {
  const caller = readCaller(agent);
  if (typeof caller === 'string') throw new Error(`The agent's identity cannot be used: ${caller}`);
  servers += 1;
  const process = systemProcesses.own();
  return { caller, owner: ownerNamed(`process:${process}/${servers}`, caller, process) };
}

/**
 * The owner of a stack that belongs to a place such as a client session. Each named agent there gets
 * its own stack; a caller without a name is the coordinator.
 */
export function ownerNamed(identity: string, caller: Caller, process: string): Owner {
  if (isCoordinator(caller)) return { identity, process };
  return { identity: `${identity}/${caller.name}`, agent: identityOf(caller), process };
}
